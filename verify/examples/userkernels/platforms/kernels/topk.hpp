// A compressor of gradients: of 16 float32, 64 bytes, it keeps the two of largest
// magnitude as float16, each with its place, 8 bytes. The others become 0.
#include "cclo_hls.hpp"

using cclo::types::float16;
using cclo::types::float32;
using cclo::types::top2;

typedef cclo::block<float32, 16> gradients;

inline top2 float32_to_top2(const gradients &g) {
    unsigned first = 0, second = 0; // places of the largest and the next one
    ap_uint<31> most = 0, next = 0; // their magnitudes, whose bits are in order
    for (unsigned i = 0; i < 16; i++) {
#pragma HLS UNROLL
        const ap_uint<31> size = g.at[i].bits;
        if (size > most) {
            next = most, second = first;
            most = size, first = i;
        } else if (size > next) {
            next = size, second = i;
        }
    }
    top2 kept;
    kept.bits.range(15, 0) = cclo::from_float<float16>(cclo::to_float(g.at[first])).bits;
    kept.bits.range(31, 16) = first;
    kept.bits.range(47, 32) = cclo::from_float<float16>(cclo::to_float(g.at[second])).bits;
    kept.bits.range(63, 48) = second;
    return kept;
}

inline gradients top2_to_float32(const top2 &kept) {
    float16 first, second;
    first.bits = kept.bits.range(15, 0);
    second.bits = kept.bits.range(47, 32);
    gradients g;
    for (unsigned i = 0; i < 16; i++) {
#pragma HLS UNROLL
        g.at[i].bits = 0;
        if (i == kept.bits.range(31, 16)) g.at[i] = cclo::from_float<float32>(cclo::to_float(first));
        if (i == kept.bits.range(63, 48)) g.at[i] = cclo::from_float<float32>(cclo::to_float(second));
    }
    return g;
}
