// Moves beats and vectors over the kernel streams, and says what was on them.
#include <cstdio>
#include <cstring>

#include "cclo_hls.hpp"

// An element of a kernel's own, that does not divide a beat.
struct Colour {
    uint8_t red, green, blue;
};

namespace cclo {
template <>
struct element<Colour> {
    static constexpr unsigned bytes = 3;
    static ap_uint<24> pack(const Colour &c) {
        ap_uint<24> bits;
        bits.range(7, 0) = c.red;
        bits.range(15, 8) = c.green;
        bits.range(23, 16) = c.blue;
        return bits;
    }
    static Colour unpack(const ap_uint<24> &bits) {
        Colour c;
        c.red = ap_uint<8>(bits.range(7, 0)).to_uint();
        c.green = ap_uint<8>(bits.range(15, 8)).to_uint();
        c.blue = ap_uint<8>(bits.range(23, 16)).to_uint();
        return c;
    }
};
}  // namespace cclo

static hls::stream<cclo::kernel_beat> to("to"), from("from");

// Prints what was pushed, and gives it back.
static void turn(const char *what) {
    while (!to.empty()) {
        const cclo::kernel_beat b = to.read();
        std::printf("%s dest %u last %d keep %llx strb %llx ", what, b.dest.to_uint(), static_cast<int>(b.last),
                    static_cast<unsigned long long>(b.keep.to_uint64()), static_cast<unsigned long long>(b.strb.to_uint64()));
        for (int i = 0; i < 64; i++) {
            std::printf("%02x", ap_uint<8>(b.data.range(i * 8 + 7, i * 8)).to_uint());
        }
        std::printf("\n");
        from.write(b);
    }
}

template <class T, int N>
static void around(cclo::Data &data, const char *what) {
    T sent[N], got[N];
    uint8_t bytes[sizeof(sent)];
    for (unsigned i = 0; i < sizeof(sent); i++) {
        bytes[i] = static_cast<uint8_t>(i * 7 + 1);
    }
    std::memcpy(static_cast<void *>(sent), bytes, sizeof(sent));
    std::memset(static_cast<void *>(got), 0, sizeof(got));
    data.push_elements(sent, N, 5);
    turn(what);
    data.pull_elements(got, N);
    std::printf("%s %s, %s left\n", what, std::memcmp(sent, got, sizeof(sent)) == 0 ? "came back" : "differs",
                from.empty() ? "nothing" : "beats");
}

int main() {
    cclo::Data data(to, from);
    ap_uint<512> beat = 0;
    cclo::set(beat, 0, static_cast<uint32_t>(0x11223344));
    cclo::set(beat, 3, -2.0);
    cclo::types::float16 half;
    half.bits = 0xABCD;
    cclo::set(beat, 31, half);
    data.push(beat);
    turn("plain");
    data.push(beat, 7, false, 0xFF);
    turn("partial");
    const cclo::kernel_beat whole = data.pull();
    data.push(whole);
    turn("again");
    std::printf("room %d\n", data.try_push(beat, 9) && data.try_push(whole));
    turn("tried");
    cclo::kernel_beat next;
    int got = 0;
    while (data.try_pull(next)) {
        got++;
    }
    std::printf("pulled %d, then none\n", got);
    std::printf("elements %x %f %x %llx %d\n", cclo::get<uint32_t>(beat, 0), cclo::get<double>(beat, 3),
                cclo::get<cclo::types::float16>(beat, 31).bits.to_uint(), static_cast<unsigned long long>(cclo::get<int64_t>(beat, 7)),
                cclo::get<int32_t>(beat, 7));
    around<float, 20>(data, "float");
    around<cclo::types::float64, 8>(data, "float64");
    around<cclo::types::float16, 33>(data, "float16");
    around<int32_t, 1>(data, "int32_t");
    around<Colour, 50>(data, "Colour");
    data.push_elements(static_cast<const int64_t *>(nullptr), 0);
    data.pull_elements(static_cast<int64_t *>(nullptr), 0);
    turn("nothing");
    return 0;
}
