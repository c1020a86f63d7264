// An example of a user kernel that calls the engine itself. It reads count elements
// from src, adds 1 to each and puts them to the kernel stream of another rank; it
// writes the count elements that another rank puts to this one to dst. All of that
// goes on at once: nothing waits for the other. If the call fails it does not wait
// for data: the rest of dst becomes 0, and what was not put is discarded.
#ifndef VADD_PUT_HPP
#define VADD_PUT_HPP

#include "cclo_hls.hpp"
#include "ieee754.hpp"

namespace vadd {

const unsigned stream = 9; // engines of before 2024 reserve the numbers below
const unsigned per_beat = cclo::BeatBytes / sizeof(float);

// Beat i of the elements, plus 1.
inline cclo::kernel_beat operand(const float *src, unsigned count, unsigned i) {
#pragma HLS INLINE
    const unsigned left = count - i * per_beat;
    cclo::kernel_beat beat;
    beat.data = 0;
    beat.keep = -1;
    if (left < per_beat) beat.keep = beat.keep >> (per_beat - left) * sizeof(float);
    beat.strb = beat.keep;
    beat.last = left <= per_beat;
    beat.dest = 0;
    for (unsigned k = 0; k < per_beat; k++) {
#pragma HLS UNROLL
        if (k < left) {
            cclo::types::float32 sum;
            sum.bits = ieee754::sum<8, 23>(cclo::element<float>::pack(src[i * per_beat + k]),
                                           cclo::element<float>::pack(1));
            cclo::set(beat.data, k, sum);
        }
    }
    return beat;
}

// Writes beat i of the result.
inline void store(float *dst, unsigned count, unsigned i, const ap_uint<cclo::BeatBits> &data) {
#pragma HLS INLINE
    for (unsigned k = 0; k < per_beat; k++) {
#pragma HLS UNROLL
        const unsigned at = i * per_beat + k;
        if (at < count) dst[at] = cclo::get<float>(data, k);
    }
}

} // namespace vadd

void vadd_put(float *src, float *dst, int count, unsigned int destination, unsigned int comm_adr,
              unsigned int dpcfg_adr,
              hls::stream<cclo::word> &cmd_to_cclo, hls::stream<cclo::word> &sts_from_cclo,
              hls::stream<cclo::kernel_beat> &data_to_cclo, hls::stream<cclo::kernel_beat> &data_from_cclo) {
#pragma HLS INTERFACE m_axi port = src offset = slave bundle = gmem
#pragma HLS INTERFACE m_axi port = dst offset = slave bundle = gmem
#pragma HLS INTERFACE s_axilite port = src
#pragma HLS INTERFACE s_axilite port = dst
#pragma HLS INTERFACE s_axilite port = count
#pragma HLS INTERFACE s_axilite port = destination
#pragma HLS INTERFACE s_axilite port = comm_adr
#pragma HLS INTERFACE s_axilite port = dpcfg_adr
#pragma HLS INTERFACE s_axilite port = return
#pragma HLS INTERFACE axis port = cmd_to_cclo
#pragma HLS INTERFACE axis port = sts_from_cclo
#pragma HLS INTERFACE axis port = data_to_cclo
#pragma HLS INTERFACE axis port = data_from_cclo
    if (count <= 0) return;
    const unsigned elements = count;
    const unsigned beats = (elements + vadd::per_beat - 1) / vadd::per_beat;

    cclo::Command engine(cmd_to_cclo, sts_from_cclo, comm_adr, dpcfg_adr, 0, cclo::stream_flags::Op0);
    cclo::Data data(data_to_cclo, data_from_cclo);
    engine.start_stream_put(elements, vadd::stream, destination, 0);

    unsigned put = 0, stored = 0;
    bool called = true, failed = false;
    cclo::kernel_beat next = vadd::operand(src, elements, 0);
    while (called || (!failed && (put < beats || stored < beats))) {
#pragma HLS PIPELINE
        if (put < beats && data.try_push(next)) {
            put++;
            if (put < beats) next = vadd::operand(src, elements, put);
        }
        cclo::kernel_beat arrived;
        if (stored < beats && data.try_pull(arrived)) {
            vadd::store(dst, elements, stored, arrived.data);
            stored++;
        }
        uint32_t code;
        if (called && engine.answered(code)) {
            called = false;
            failed = code != 0;
        }
    }
    for (; stored < beats; stored++) {
#pragma HLS PIPELINE
        vadd::store(dst, elements, stored, 0);
    }
}

#endif
