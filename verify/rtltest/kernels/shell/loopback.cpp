// Sends random beats through a loopback of BYTES bytes and compares what returns.
#include "Vloopback.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <random>

namespace {

struct Beat {
    uint8_t data[BYTES];
    uint64_t keep;
    uint8_t last, dest;
};

} // namespace

// The result is the number of cycles, or -1 if a beat was lost, changed or made up.
extern "C" __attribute__((visibility("default"))) int64_t through(uint64_t seed, uint64_t count, uint32_t idle, uint32_t stall) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(static_cast<int>(seed + 1));
    Vloopback model{&context};
    std::mt19937_64 random{seed};
    const auto step = [&] {
        model.ap_clk = 1;
        model.eval();
        model.ap_clk = 0;
        model.eval();
    };
    std::memset(&model.in_tdata, 0, BYTES);
    model.in_tvalid = model.in_tlast = model.in_tdest = model.out_tready = model.ap_clk = 0;
    model.in_tkeep = 0;
    model.ap_rst_n = 0;
    step();
    step();
    model.ap_rst_n = 1;
    step();

    std::deque<Beat> under_way;
    uint64_t sent = 0, received = 0;
    Beat beat{}, before{};
    bool waits = false;
    for (int64_t cycle = 0; cycle < static_cast<int64_t>(20 * count + 1000); cycle++) {
        if (!model.in_tvalid && sent < count && random() % 1000 >= idle) {
            for (uint8_t &byte : beat.data) byte = static_cast<uint8_t>(random());
            beat.keep = random() & (~uint64_t{0} >> (64 - BYTES));
            beat.last = random() & 1;
            beat.dest = static_cast<uint8_t>(random());
            std::memcpy(&model.in_tdata, beat.data, BYTES);
            model.in_tkeep = beat.keep;
            model.in_tlast = beat.last;
            model.in_tdest = beat.dest;
            model.in_tvalid = 1;
            sent++;
        }
        model.out_tready = random() % 1000 >= stall;
        model.eval();
        const bool taken = model.in_tvalid && model.in_tready;
        if (taken) under_way.push_back(beat);
        if (model.out_tvalid) {
            Beat b{};
            std::memcpy(b.data, &model.out_tdata, BYTES);
            b.keep = model.out_tkeep;
            b.last = model.out_tlast;
            b.dest = model.out_tdest;
            if (waits && std::memcmp(&b, &before, sizeof b) != 0) return -1;
            before = b;
            if (model.out_tready) {
                if (under_way.empty()) return -1;
                const Beat &want = under_way.front();
                if (std::memcmp(b.data, want.data, BYTES) != 0 || b.keep != want.keep || b.last != want.last || b.dest != want.dest) return -1;
                under_way.pop_front();
                received++;
            }
        } else if (waits) {
            return -1;
        }
        waits = model.out_tvalid && !model.out_tready;
        step();
        if (taken) model.in_tvalid = 0;
        if (received == count) return cycle + 1;
    }
    return -1;
}
