// Shows all halves as floats, and what arithmetic makes of random ones, as bits.
#include "ap_int.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

static uint16_t bits(half x) { return uint16_t(reinterpret_cast<ap_uint<16> *>(&x)->to_uint()); }
static half number(ap_uint<16> x) { return *reinterpret_cast<half *>(&x); }

int main() {
    for (unsigned i = 0; i < 65536; i++) {
        const float f = number(i);
        uint32_t u;
        std::memcpy(&u, &f, 4);
        std::printf("float %x %x %x 0\n", i, u, bits(half(f)));
    }
    uint32_t state = 1;
    const auto random = [&] {
        state = state * 1664525 + 1013904223;
        return state >> 16;
    };
    for (int i = 0; i < 20000; i++) {
        const unsigned a = random(), b = i % 2 ? random() : a + (random() & 2047) - 1024;
        const half x = number(a), y = number(b);
        half z = x;
        z += y;
        std::printf("+ %x %x %x\n", bits(x), bits(y), bits(z));
        std::printf("- %x %x %x\n", bits(x), bits(y), bits(x - y));
        std::printf("* %x %x %x\n", bits(x), bits(y), bits(x * y));
        std::printf("/ %x %x %x\n", bits(x), bits(y), bits(x / y));
        std::printf("< %x %x %x\n", bits(x), bits(y), unsigned(x < y));
        std::printf("== %x %x %x\n", bits(x), bits(y), unsigned(x == y));
    }
}
