// Runs the kernels of today's style and says what they did. The engine is played by
// queues: what a kernel will read is there before it starts.
#include <cstdio>

#include "scale_put.h"

void forward(STREAM<command_word> &from, STREAM<command_word> &to);
void schedule(ap_uint<32> size, ap_uint<32> neighbour, ap_uint<32> comm, ap_uint<32> config, STREAM<command_word> &cmd,
              STREAM<command_word> &sts);
int drain(STREAM<stream_word> &from, STREAM<stream_word> &to);
void tagged(STREAM<command_word> &cmd, STREAM<command_word> &sts);

static void answer(STREAM<command_word> &sts) {
    command_word word;
    word.data = 0;
    word.keep = -1;
    word.last = 1;
    STREAM_WRITE(sts, word);
}

// The words of a call up to the flags, and the low words of its addresses together.
static void print(STREAM<command_word> &cmd) {
    while (!STREAM_IS_EMPTY(cmd)) {
        std::printf(" ");
        for (int i = 0; i < 9; i++) {
            std::printf("%x:", STREAM_READ(cmd).data.to_uint());
        }
        unsigned low = 0;
        for (int i = 0; i < 6; i++) {
            const unsigned word = STREAM_READ(cmd).data.to_uint();
            low |= i == 2 ? word : 0;
        }
        std::printf("%x", low);
    }
    std::printf("\n");
}

int main() {
    STREAM<command_word> cmd("cmd"), sts("sts");
    STREAM<stream_word> to("to"), from("from");
    accl_hls::ACCLData data(from, to); // the other side of the streams

    float in[20], out[20];
    for (int i = 0; i < 20; i++) {
        in[i] = i + 1;
    }
    for (int k = 0; k < 2; k++) {
        ap_uint<512> beat = 0;
        for (int i = 0; i < 16; i++) {
            union {
                float number;
                uint32_t word;
            } value;
            value.number = 101 + 16 * k + i;
            beat((i + 1) * 32 - 1, i * 32) = value.word;
        }
        data.push(beat, 0);
    }
    answer(sts);
    scale_put(in, out, 20, 7, 0x20, 0x30, cmd, sts, to, from);
    std::printf("put");
    print(cmd);

    float doubled[20];
    int beats = 0;
    for (int i = 0; i < 20; i += 16, beats++) {
        const ap_uint<512> beat = data.pull().data;
        for (int k = 0; k < 16 && i + k < 20; k++) {
            union {
                float number;
                uint32_t word;
            } value;
            value.word = ap_uint<32>(beat(k * 32 + 31, k * 32)).to_uint();
            doubled[i + k] = value.number;
        }
    }
    std::printf("doubled %f %f, stored %f %f, %d beats\n", doubled[0], doubled[19], out[0], out[19], beats);

    for (int i = 0; i < 3; i++) {
        command_word word;
        word.data = i;
        word.keep = -1;
        word.last = i == 2;
        STREAM_WRITE(sts, word);
    }
    forward(sts, cmd);
    int words = 0;
    while (!STREAM_IS_EMPTY(cmd)) {
        STREAM_READ(cmd);
        words++;
    }
    std::printf("forwarded %d\n", words);

    answer(sts);
    schedule(8, 2, 1, 5, cmd, sts);
    std::printf("scheduled");
    print(cmd);

    answer(sts);
    answer(sts);
    tagged(cmd, sts);
    std::printf("tagged");
    print(cmd);

    data.push(ap_uint<512>(1), 5);
    data.push(ap_uint<512>(2), 5);
    const int moved = drain(from, to);
    data.pull();
    std::printf("drained %d to %u\n", moved, data.pull().dest.to_uint());
    return 0;
}
