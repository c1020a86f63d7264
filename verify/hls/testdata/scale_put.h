// A kernel as it is written for ACCL: its header declares the top function with the
// names that accl_hls.h gives.
#include <accl_hls.h>

void scale_put(float *in, float *out, int count, unsigned int peer, ap_uint<32> comm_adr, ap_uint<32> dpcfg_adr,
               STREAM<command_word> &cmd_to_cclo, STREAM<command_word> &sts_from_cclo, STREAM<stream_word> &data_to_cclo,
               STREAM<stream_word> &data_from_cclo);
