// Converts numbers: from standard input, 32 bits each, to the 16-bit formats; and every
// number of these, which come first.
#include <cstdio>

#include "cclo_hls.hpp"

static void put(uint32_t word) {
    for (int i = 0; i < 4; i++) {
        std::putchar(static_cast<int>(word >> (8 * i) & 0xFFU));
    }
}

static uint32_t bits(float value) { return cclo::element<float>::pack(value).to_uint(); }

int main() {
    for (uint32_t i = 0; i <= 0xFFFF; i++) {
        cclo::types::float16 half;
        half.bits = i;
        cclo::types::bfloat16 brain;
        brain.bits = i;
        put(bits(cclo::to_float(half)));
        put(bits(cclo::to_float(brain)));
    }
    uint8_t in[4];
    while (std::fread(in, 1, 4, stdin) == 4) {
        const uint32_t word = static_cast<uint32_t>(in[0]) | static_cast<uint32_t>(in[1]) << 8 | static_cast<uint32_t>(in[2]) << 16 |
                              static_cast<uint32_t>(in[3]) << 24;
        const float value = cclo::element<float>::unpack(word);
        put(cclo::from_float<cclo::types::float16>(value).bits.to_uint());
        put(cclo::from_float<cclo::types::bfloat16>(value).bits.to_uint());
        put(bits(cclo::to_float(cclo::from_float<cclo::types::float32>(value))));
        const double wide = cclo::to_double(cclo::from_double<cclo::types::float64>(value));
        put(bits(static_cast<float>(wide)));
        put(static_cast<uint32_t>(cclo::to_int(cclo::from_int<cclo::types::int32>(static_cast<int32_t>(word)))));
        const int64_t both = static_cast<int64_t>(word) << 31;
        put(static_cast<uint32_t>(cclo::to_int(cclo::from_int<cclo::types::int64>(both)) >> 31));
    }
    return 0;
}
