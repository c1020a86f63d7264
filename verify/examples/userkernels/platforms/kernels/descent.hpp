// Gradient descent over all ranks, each with targets of its own. In every step the
// kernel streams its gradients into an allreduce and takes the sums from it, both at
// once. Nothing of that is in memory; the host only starts the kernel.
#include "cclo_hls.hpp"

const unsigned per_beat = cclo::BeatBytes / sizeof(float);

inline ap_uint<cclo::BeatBits> gradients(const float *weights, const float *targets, unsigned count, unsigned first) {
    ap_uint<cclo::BeatBits> beat = 0;
    for (unsigned k = 0; k < per_beat && first + k < count; k++)
        cclo::set(beat, k, weights[first + k] - targets[first + k]);
    return beat;
}

// The engine knows comm_adr and dpcfg_adr already.
inline void descend(float *weights, float *targets, unsigned count, unsigned steps, float rate, unsigned, unsigned,
                    cclo::Command &engine, cclo::Data &data) {
    engine.streams(cclo::stream_flags::Op0 | cclo::stream_flags::Res);
    for (unsigned step = 0; step < steps; step++) {
        engine.start_allreduce(count, cclo::ReduceFunction::Sum, 0, 0);
        unsigned given = 0, taken = 0; // elements
        bool called = true;
        uint32_t code = 0;
        while (called || (code == 0 && taken < count)) {
            if (given < count && data.try_push(gradients(weights, targets, count, given))) given += per_beat;
            cclo::kernel_beat sums;
            if (taken < count && data.try_pull(sums)) {
                for (unsigned k = 0; k < per_beat && taken + k < count; k++)
                    weights[taken + k] -= rate * cclo::get<float>(sums.data, k);
                taken += per_beat;
            }
            if (called && engine.answered(code)) called = false;
        }
        if (code != 0) return;
    }
}
