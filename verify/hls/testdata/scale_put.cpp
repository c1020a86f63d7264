// Doubles a vector, puts it to the kernel of another rank, and stores what that one
// puts here.
#include <scale_put.h>

void scale_put(float *in, float *out, int count, unsigned int peer, ap_uint<32> comm_adr, ap_uint<32> dpcfg_adr,
               STREAM<command_word> &cmd_to_cclo, STREAM<command_word> &sts_from_cclo, STREAM<stream_word> &data_to_cclo,
               STREAM<stream_word> &data_from_cclo) {
#pragma HLS INTERFACE s_axilite port=count
#pragma HLS INTERFACE s_axilite port=peer
#pragma HLS INTERFACE s_axilite port=comm_adr
#pragma HLS INTERFACE s_axilite port=dpcfg_adr
#pragma HLS INTERFACE m_axi port=in offset=slave
#pragma HLS INTERFACE m_axi port=out offset=slave
#pragma HLS INTERFACE axis port=cmd_to_cclo
#pragma HLS INTERFACE axis port=sts_from_cclo
#pragma HLS INTERFACE axis port=data_to_cclo
#pragma HLS INTERFACE axis port=data_from_cclo
#pragma HLS INTERFACE s_axilite port=return
    accl_hls::ACCLCommand engine(cmd_to_cclo, sts_from_cclo, comm_adr, dpcfg_adr, 0, 3);
    accl_hls::ACCLData stream(data_to_cclo, data_from_cclo);

    ap_uint<512> beat;
    int done = 0;
    while (done < count) {
        for (int i = 0; i < 16 && done < count; i++, done++) {
            union {
                float number;
                uint32_t word;
            } doubled;
            doubled.number = 2 * in[done];
            beat((i + 1) * 32 - 1, i * 32) = doubled.word;
        }
        stream.push(beat, 0);
    }
    // The operand comes from the stream: its address means nothing.
    engine.stream_put(count, 9, peer, (ap_uint<64>)in);
    done = 0;
    while (done < count) {
        beat = stream.pull().data;
        for (int i = 0; i < 16 && done < count; i++, done++) {
            ap_uint<32> word = beat((i + 1) * 32 - 1, i * 32);
            out[done] = *reinterpret_cast<float *>(&word);
        }
    }
}
