// Gradient descent over all ranks, each with targets of its own. In every step the
// kernel streams its gradients to the engine, has them reduced over all ranks, and
// takes the sums from a stream. The host only starts it.
#include "cclo_hls.hpp"

const unsigned per_beat = cclo::BeatBytes / sizeof(float);

inline void descend(float *weights, float *targets, unsigned count, unsigned steps, float rate, uint64_t buffer,
                    unsigned, unsigned, cclo::Command &engine, cclo::Data &data) { // engine knows comm_adr and dpcfg_adr
    const uint64_t sums = buffer + count * sizeof(float);
    for (unsigned step = 0; step < steps; step++) {
        engine.streams(cclo::stream_flags::Op0);
        engine.start_copy(count, 0, buffer);
        for (unsigned i = 0; i < count; i += per_beat) {
            ap_uint<cclo::BeatBits> gradients = 0;
            for (unsigned k = 0; k < per_beat && i + k < count; k++)
                cclo::set(gradients, k, weights[i + k] - targets[i + k]);
            data.push(gradients);
        }
        if (engine.finish() != 0) return;

        engine.streams(0);
        if (engine.allreduce(count, cclo::ReduceFunction::Sum, buffer, sums) != 0) return;

        engine.streams(cclo::stream_flags::Res);
        engine.start_copy(count, sums, 0);
        for (unsigned i = 0; i < count; i += per_beat) {
            const cclo::kernel_beat beat = data.pull();
            for (unsigned k = 0; k < per_beat && i + k < count; k++)
                weights[i + k] -= rate * cclo::get<float>(beat.data, k);
        }
        if (engine.finish() != 0) return;
    }
}
