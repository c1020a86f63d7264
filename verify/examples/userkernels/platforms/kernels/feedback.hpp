// Error feedback: what the compressor drops of a gradient is added to the next one
// at the same place. Each instance, that is each lane of an engine, has a memory of
// its own, for gradients of 1024 elements that all go through it.
#include "topk.hpp"

static top2 with_feedback(const gradients &g) {
    const unsigned blocks = 64;
    static float left[blocks][16];
#pragma HLS ARRAY_PARTITION variable = left dim = 2
    static unsigned block = 0;
    gradients due;
    for (unsigned i = 0; i < 16; i++) {
#pragma HLS UNROLL
        due.at[i] = cclo::from_float<float32>(cclo::to_float(g.at[i]) + left[block][i]);
    }
    const top2 kept = float32_to_top2(due);
    const gradients sent = top2_to_float32(kept);
    for (unsigned i = 0; i < 16; i++) {
#pragma HLS UNROLL
        left[block][i] = cclo::to_float(due.at[i]) - cclo::to_float(sent.at[i]);
    }
    block = (block + 1) % blocks;
    return kept;
}
