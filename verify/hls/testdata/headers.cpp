// Uses the headers as kernels do, and prints what comes out: a name and a value a line.
#include "ap_axi_sdata.h"
#include "ap_int.h"
#include "ap_utils.h"
#include "hls_stream.h"

#include <cstdint>
#include <iostream>

template <class T> void print(const char *name, const T &x) { std::cout << name << " " << x << "\n"; }

// As reductions are written today.
template <unsigned W, class T> ap_uint<W> add(ap_uint<W> a, ap_uint<W> b) {
#pragma HLS INLINE
    constexpr unsigned bits = 8 * sizeof(T);
    ap_uint<W> result;
    for (unsigned i = 0; i < W / bits; i++) {
        ap_uint<bits> x = a((i + 1) * bits - 1, i * bits), y = b((i + 1) * bits - 1, i * bits);
        T sum = *reinterpret_cast<T *>(&x) + *reinterpret_cast<T *>(&y);
        result((i + 1) * bits - 1, i * bits) = *reinterpret_cast<ap_uint<bits> *>(&sum);
    }
    return result;
}
template <class T> void add_lanes(const char *name) {
    constexpr int n = 64 / int(sizeof(T));
    ap_uint<512> a, b;
    T *x = reinterpret_cast<T *>(&a), *y = reinterpret_cast<T *>(&b);
    for (int i = 0; i < n; i++) {
        x[i] = T(i * 3 + 0.5);
        y[i] = T(100 - i);
    }
    const ap_uint<512> sum = add<512, T>(a, b);
    const T *z = reinterpret_cast<const T *>(&sum);
    std::cout << name;
    for (int i = 0; i < n; i++)
        std::cout << " " << z[i];
    std::cout << "\n";
}
// A memory port of ap_uint<512> over an array of floats.
void scale(ap_uint<512> *memory, int n) {
    for (int i = 0; i < n; i++) {
        ap_uint<512> x = memory[i];
        for (int k = 0; k < 16; k++) {
            ap_uint<32> bits = x(k * 32 + 31, k * 32);
            bits(30, 23) = bits(30, 23) + 1; // twice as much
            x.range(k * 32 + 31, k * 32) = bits;
        }
        memory[i] = x;
    }
}

// What a compiler could get wrong that takes a float and an ap_uint for different memory.
__attribute__((noinline)) uint32_t bits_after(ap_uint<32> *bits, float *real) {
    *bits = 1;
    *real = 2;
    return bits->to_uint();
}
__attribute__((noinline)) float real_after(ap_uint<512> *bits, float *real) {
    *real = 1;
    bits->range(31, 0) = 0x40000000;
    return *real;
}
__attribute__((noinline)) float real_copied(ap_uint<32> *bits, const ap_uint<32> &from, float *real) {
    *real = 1;
    *bits = from;
    return *real;
}

void types() {
    static_assert(sizeof(ap_uint<1>) == 1 && sizeof(ap_int<8>) == 1 && sizeof(ap_uint<9>) == 2 && sizeof(ap_int<17>) == 4 &&
                      sizeof(ap_uint<24>) == 4 && sizeof(ap_uint<32>) == 4 && sizeof(ap_uint<33>) == 8 &&
                      sizeof(ap_int<64>) == 8 && sizeof(ap_uint<65>) == 16 && sizeof(ap_uint<512>) == 64,
                  "sizes are those of C integers and of rows of 64 bits");
    static_assert(alignof(ap_uint<16>) == 2 && alignof(ap_uint<512>) == 8, "and so is the alignment");
    static_assert(std::is_trivially_copyable<ap_uint<512>>::value, "may be copied as bytes");
    static_assert(ap_uint<77>::width == 77, "a width is known");
    ap_uint<512> shared = 0;
    ap_uint<32> word = 0;
    print("bits of a float", bits_after(&word, reinterpret_cast<float *>(&word)));
    print("a float of bits", real_after(&shared, reinterpret_cast<float *>(&shared)));
    print("a float of copied bits", real_copied(&word, ap_uint<32>(0x40400000), reinterpret_cast<float *>(&word)));
    enum Colour { red, green = 5 };
    ap_uint<8> a = 250, b = green;
    const int table[] = {0, 10, 20, 30, 40, 50};
    print("indexes", table[b]);
    print("enumerations", (a + green) == 255 && b == green && b != red && green < a);
    switch (b) {
    case green: print("switches", 1); break;
    default: print("switches", 0);
    }
    print("conditions", (a ? 1 : 0) + (!a ? 10 : 0) + ((a && b) ? 100 : 0));
    print("bit conditions", (a[1] ? 1 : 0) + (a[0] ? 10 : 0) + (a[1] == 1 ? 100 : 0) + (!a[0] ? 1000 : 0));
    print("choices", (b > 3 ? a : b).to_int());
    print("shifts of C integers", (1 << b) + (1024 >> ap_uint<3>(2)));
    print("doubles", a * 0.5);
    double d = a;
    print("to double", d);
    print("from double", ap_int<20>(-1234.9));
    print("from float", ap_uint<80>(3.0e20f));
    print("negative literals", ap_uint<100>(-1) == ~ap_uint<100>(0));
    print("long literals", ap_uint<96>("0x123456789abcdef012345678"));
    print("strings with a radix", (ap_int<6>("101010", 2), ap_int<6>("-25", 8), ap_int<6>("2A", 16), ap_int<6>("55", 10)));
    for (a = 0; a < 3; a++)
        b += a;
    print("loops", b);
    a = {7};
    print("braces", a);
    int c = a;
    c += b;
    print("adds to int", c);
    print("compares pointers", (ap_uint<64>)(&c) == 1);
    print("wide is not zero", !(ap_uint<65>(1) << 64) ? 0 : 1);
    print("wide as a condition", (ap_uint<65>(1) << 64) ? 1 : 0); // truncated to 64 bits
    ap_int<3> v1 = -3;
    ap_int<7> v2 = 54;
    ap_uint<10> r = (v2, v1);
    print("documented 0x1b5", r);
    r = v1.concat(v2);
    print("documented 0x2b6", r);
    (v1, v2) = 0xAB;
    print("documented 1 43", (v1, ap_uint<16>(v2)));
    ap_uint<16> bytes = 0x1234;
    bytes(7, 0) = bytes(15, 8);
    print("copies a range", bytes);
    bytes = (bytes(3, 0), ap_uint<12>(0xfff));
    print("joins", bytes);
    std::cout << "bases " << std::hex << ap_int<8>(-2) << " " << std::oct << ap_uint<9>(8) << std::dec << " " << ap_int<8>(-2) << "\n";
}

void beats() {
    ap_axiu<512, 0, 0, 8> wide;
    wide.data = 1;
    wide.data <<= 511;
    wide.keep_all();
    wide.dest = 0x1ff;
    wide.last = 1;
    wide.strb = wide.keep;
    wide.user = 3; // there is none
    wide.id = 4;
    print("data", wide.data(511, 504));
    print("keep", wide.keep);
    print("strb", wide.get_strb() == wide.get_keep());
    print("dest", wide.get_dest());
    print("last", wide.last && wide.get_last() == 1);
    print("absent", wide.user + wide.id + wide.get_user());
    ap_axis<24, 1, 2, 3> narrow;
    narrow.set_data(-5);
    narrow.set_keep(5);
    narrow.set_strb(3);
    narrow.set_user(1);
    narrow.set_last(true);
    narrow.set_id(2);
    narrow.set_dest(9);
    print("narrow", narrow.get_data() * 1000 + narrow.get_keep() * 100 + narrow.strb);
    print("narrow side", narrow.user * 1000 + narrow.id * 100 + narrow.dest * 10 + narrow.last);
    qdma_axis<64, 0, 0, 0> q;
    q.set_data(17);
    q.keep_all();
    q.set_last(1);
    print("qdma", q.get_data() + q.get_keep() + q.get_last());
    hls::axis<float, 0, 0, 1> real;
    real.data = 0.25f;
    real.keep = -1;
    real.dest = 1;
    print("axis of float", real.get_data() + real.keep.to_int() + real.dest.to_int());
    hls::axis_data<int, AXIS_ENABLE_LAST> only;
    only.data = 3;
    only.keep = 1; // left out
    only.last = 1;
    print("axis with last alone", only.data * 100 + only.keep * 10 + only.last);
}

template <class T> void take(hls::stream<T> &s, T &x) { s >> x; }

void streams() {
    hls::stream<int> s("numbers");
    hls::stream<ap_axiu<32, 0, 0, 0>, 4> deep("deep");
    print("empty", s.empty() && !s.full() && s.size() == 0);
    for (int i = 0; i < 1000; i++)
        s.write(i);
    s << 7;
    int x = -1, sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += s.read() == i;
    print("in order", sum);
    print("left", s.size());
    print("reads without waiting", s.read_nb(x) && x == 7 && !s.read_nb(x) && x == 7);
    print("writes without waiting", s.write_nb(5) && s.read() == 5);
    ap_axiu<32, 0, 0, 0> beat;
    for (int i = 0; i < 20; i++) {
        beat.data = i;
        deep << beat;
    }
    take(deep, beat);
    print("beyond its depth", deep.size() + beat.data);
    deep.read(beat);
    print("next", beat.data);
    ap_wait();
    ap_wait_n(3);
    try {
        s.read();
    } catch (const cclo_sim::error &e) {
        print("error:", e.what());
    }
    hls::stream<char> nameless;
    try {
        nameless.read();
    } catch (const cclo_sim::error &e) {
        print("error:", e.what());
    }
    const char *bad[] = {"12x", "", "0x"};
    for (const char *text : bad) {
        try {
            print("parsed", ap_uint<9>(text));
        } catch (const cclo_sim::error &e) {
            print("error:", e.what());
        }
    }
}

int main() {
    types();
    add_lanes<float>("floats");
    add_lanes<double>("doubles");
    add_lanes<int32_t>("int32");
    add_lanes<int64_t>("int64");
    alignas(64) float memory[32];
    for (int i = 0; i < 32; i++)
        memory[i] = float(i) + 0.75f;
    scale(reinterpret_cast<ap_uint<512> *>(memory), 2);
    std::cout << "memory";
    for (float x : memory)
        std::cout << " " << x;
    std::cout << "\n";
    beats();
    streams();
}
