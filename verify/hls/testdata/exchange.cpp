// Kernels as they are written for ACCL, with everything that accl_hls.h gives them:
// macros, types, both classes, a class derived from one of them, calls in two halves.
#include "ap_int.h"
#include "ap_utils.h"
#include "accl_hls.h"
#include "ap_axi_sdata.h"

#ifndef ACCL_SYNTHESIS
#include <cstdio>
#endif

using namespace hls;
using namespace std;

typedef ap_axiu<1, 0, 0, 0> token_word;

// Hands memory to a stream, beat by beat, and says when it is done.
void hand_over(ap_uint<512> *memory, ap_uint<32> size, STREAM<stream_word> &out, STREAM<token_word> &token) {
#pragma HLS INTERFACE m_axi port=memory bundle=gmem_in
#pragma HLS INTERFACE axis register both port=out
    for (int chunk = 0; chunk < (size + 15) / 16; chunk++) {
        #pragma HLS pipeline II=1
        stream_word word;
        word.last = 1;
        word.keep = -1;
        word.dest = 0;
        word.data = memory[chunk];
        out.write(word);
    }
    token_word done;
    done.data = 1;
    token.write(done);
}

// Passes calls on, one client after the other.
void take_turns(STREAM<command_word> &cmd, STREAM<command_word> &ack, STREAM<command_word> &to, STREAM<command_word> &from) {
    if (!STREAM_IS_EMPTY(cmd)) {
        for (int i = 0; i < 15; i++) {
            STREAM_WRITE(to, STREAM_READ(cmd));
        }
        STREAM_WRITE(ack, STREAM_READ(from));
    }
}

// Chooses what to call while it runs, and fills a beat by way of pointers.
int choose(int kind, int repetitions, ap_uint<32> address, STREAM<command_word> &cmd, STREAM<command_word> &sts,
           STREAM<stream_word> &to, STREAM<stream_word> &from) {
    accl_hls::ACCLCommand accl(cmd, sts, 0, 0, 0, 3);
    accl_hls::ACCLData data(to, from);
    int operation = 100, flags = 3, calls = 0;
    switch (kind) {
        case 0:
            operation = ACCL_COPY;
            break;
        case ACCL_NOP:
            operation = ACCL_NOP;
            flags = 0;
            break;
    }
    for (ap_uint<32> i = 0; i < repetitions; i++) {
        ap_uint<512> beat;
        for (int k = 0; k < 16; k++) {
            float number = k;
            beat((k + 1) * 32 - 1, k * 32) = *reinterpret_cast<ap_uint<32>*>(&number);
        }
        data.push(beat, 0);
        {
            #pragma HLS protocol fixed
            accl.start_call(operation, 16, 0, 0, 0, 0, 0, 0, flags, address, 0, 0);
            accl.finalize_call();
        }
        calls++;
    }
    return calls;
}

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
