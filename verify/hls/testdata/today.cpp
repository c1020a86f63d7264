// Runs the kernels of today's style and says what they did. The engine is played by
// queues: what a kernel will read is there before it starts.
#include <cstdio>

#include "scale_put.h"

void forward(STREAM<command_word> &from, STREAM<command_word> &to);
void schedule(ap_uint<32> size, ap_uint<32> neighbour, ap_uint<32> comm, ap_uint<32> config, STREAM<command_word> &cmd,
              STREAM<command_word> &sts);
int drain(STREAM<stream_word> &from, STREAM<stream_word> &to);
void tagged(STREAM<command_word> &cmd, STREAM<command_word> &sts);
void hand_over(ap_uint<512> *memory, ap_uint<32> size, STREAM<stream_word> &out, STREAM<ap_axiu<1, 0, 0, 0> > &token);
void take_turns(STREAM<command_word> &cmd, STREAM<command_word> &ack, STREAM<command_word> &to, STREAM<command_word> &from);
int choose(int kind, int repetitions, ap_uint<32> address, STREAM<command_word> &cmd, STREAM<command_word> &sts,
           STREAM<stream_word> &to, STREAM<stream_word> &from);

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

static unsigned data_of(STREAM<stream_word> &stream) { return STREAM_READ(stream).data.range(31, 0).to_uint(); }

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

    ap_uint<512> memory[2] = {7, 8};
    STREAM<ap_axiu<1, 0, 0, 0> > token("token");
    hand_over(memory, 17, from, token);
    const unsigned first = data_of(from), second = data_of(from);
    std::printf("handed %u %u, token %d\n", first, second, static_cast<int>(token.read().data));

    answer(sts);
    answer(sts);
    const int calls = choose(0, 2, 9, cmd, sts, to, from);
    STREAM<command_word> passed("passed"), acks("acks"), answers("answers");
    answer(answers);
    take_turns(cmd, acks, passed, answers);
    std::printf("chose %d, %s, passed", calls, STREAM_IS_EMPTY(acks) ? "not answered" : "answered");
    print(passed);
    return 0;
}
