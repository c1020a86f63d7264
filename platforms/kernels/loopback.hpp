// Sends back what it receives.
#ifndef LOOPBACK_HPP
#define LOOPBACK_HPP

#include "cclo_hls.hpp"

void loopback(hls::stream<cclo::beat<8> > &in, hls::stream<cclo::beat<8> > &out) {
#pragma HLS INTERFACE axis port = in
#pragma HLS INTERFACE axis port = out
#pragma HLS INTERFACE ap_ctrl_none port = return
#pragma HLS PIPELINE II = 1
    out.write(in.read());
}

#endif
