// Kernels as they are written for ACCL, with everything that accl_hls.h gives them:
// macros, types, both classes, a class derived from one of them, calls in two halves.
#include "ap_int.h"
#include "ap_utils.h"
#include "accl_hls.h"
#include "ap_axi_sdata.h"

#ifndef ACCL_SYNTHESIS
#include <cstdio>
#endif

// Forwards a call's words as they come, and the answer to them.
void forward(STREAM<ap_axiu<32, 0, 0, 0> > &from, STREAM<ap_axiu<32, 0, 0, 0> > &to) {
#pragma HLS INTERFACE axis port=from
#pragma HLS INTERFACE axis port=to
#pragma HLS INTERFACE ap_ctrl_none port=return
    command_word word;
    do {
#pragma HLS PIPELINE II=1
        word = STREAM_READ(from);
        STREAM_WRITE(to, word);
    } while (word.last == 0);
}

// Sends a stream to a neighbour, by a call of its own.
void schedule(ap_uint<32> size, ap_uint<32> neighbour, ap_uint<32> comm, ap_uint<32> config, STREAM<command_word> &cmd,
              STREAM<command_word> &sts) {
    send_section: {
#pragma HLS protocol fixed
        accl_hls::ACCLCommand accl(cmd, sts);
        accl.start_call(ACCL_SEND, size, comm, neighbour, 0, 0, config, 0, 3, 0, 0, 0);
        ap_wait();
        accl.finalize_call();
    }
}

// A class of the kernel's own.
class Tagged : public accl_hls::ACCLCommand {
public:
    Tagged(STREAM<command_word> &cmd, STREAM<command_word> &sts, ap_uint<32> tag) : ACCLCommand(cmd, sts, 0x30, 0x40, 0, 0), tag(tag) {}
    void both(ap_uint<32> len, ap_uint<32> peer) {
        start_call(ACCL_SEND, len, comm_adr, peer, 0, tag, dpcfg_adr, cflags, sflags, 1, 0, 0);
        start_call(ACCL_RECV, len, comm_adr, peer, 0, tag, dpcfg_adr, cflags, sflags, 0, 2, 0);
        finalize_call();
        STREAM_READ(sts);
    }

private:
    ap_uint<32> tag;
};

// Waits for room and data with the macros.
int drain(STREAM<stream_word> &from, STREAM<stream_word> &to) {
    int moved = 0;
    while (!STREAM_IS_EMPTY(from)) {
        if (STREAM_IS_FULL(to)) {
            break;
        }
        stream_word word = STREAM_READ(from);
        word.dest = word.dest + 1;
        STREAM_WRITE(to, word);
        moved++;
    }
#ifndef ACCL_SYNTHESIS
    std::cout << "moved " << moved << std::endl;
#endif
    return moved;
}

static_assert(DATA_WIDTH == 512 && DEST_WIDTH == 8, "widths of the contract");

void tagged(STREAM<command_word> &cmd, STREAM<command_word> &sts) { Tagged(cmd, sts, 77).both(9, 1); }
