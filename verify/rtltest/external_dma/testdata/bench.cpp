// Drives the streams of a data mover: queues in, queues out, each with a pace of
// its own, and watches that what is offered stays until it is taken.
#include "Vexternal_dma_bench.h"
#include "verilated.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

#include "memory.h"

thread_local sim::Model *sim::current = nullptr;

namespace {

struct Command {
    std::array<uint32_t, 4> words;
    uint8_t dest;
};

struct Beat {
    std::array<uint8_t, 64> data;
    uint64_t keep;
    uint8_t last;

    bool operator==(const Beat &b) const { return data == b.data && keep == b.keep && last == b.last; }
};

enum Channel { read_command, read_status, read_data, write_command, write_status, write_data, channels };

// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed + 1));
    }
};

struct Bench : sim::Model {
    Context context;
    Vexternal_dma_bench top{&context};
    uint64_t random;
    std::array<uint32_t, channels> idle{}; // per mille of cycles without valid or ready

    std::deque<Command> commands[2]; // read, write
    std::deque<Beat> to_write, was_read;
    std::deque<uint32_t> statuses[2];
    uint64_t status_count[2] = {0, 0}, first_beat = 0, last_beat = 0, last_status[2] = {0, 0};

    bool beat_waits = false, status_waits[2] = {false, false};
    Beat waiting_beat{};
    uint32_t waiting_status[2] = {0, 0};

    explicit Bench(uint64_t seed) : context{seed}, random(seed * 2 + 1) {
        sim::current = this;
        top.ap_clk = 0;
        top.ap_rst_n = 0;
        top.s_axi_control_awvalid = top.s_axi_control_wvalid = top.s_axi_control_arvalid = 0;
        top.s_axi_control_awaddr = top.s_axi_control_araddr = 0;
        top.s_axi_control_wdata = 0;
        top.s_axi_control_wstrb = 0;
        top.s_axi_control_bready = top.s_axi_control_rready = 1;
        top.s_axis_mm2s_cmd_tvalid = top.s_axis_s2mm_cmd_tvalid = top.s_axis_s2mm_tvalid = 0;
        top.m_axis_mm2s_tready = top.m_axis_mm2s_sts_tready = top.m_axis_s2mm_sts_tready = 0;
        top.s_axis_s2mm_tdest = 0;
        for (int i = 0; i < 8; i++) clock();
        top.ap_rst_n = 1;
        clock();
        clock();
    }

    void clock() {
        top.eval();
        top.ap_clk = 1;
        top.eval();
        top.ap_clk = 0;
        top.eval();
        cycle++;
    }

    bool goes(Channel c) {
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        return ((random * 0x2545F4914F6CDD1Du) >> 32) % 1000 >= idle[c];
    }

    template <class Data> static void put(Data &to, const void *from, size_t bytes) { std::memcpy(&to, from, bytes); }

    // step is a cycle. Valid, once given, stays until the word is taken.
    void step() {
        if (!top.s_axis_mm2s_cmd_tvalid && !commands[0].empty() && goes(read_command)) {
            const Command &c = commands[0].front();
            put(top.s_axis_mm2s_cmd_tdata, c.words.data(), sizeof c.words);
            top.s_axis_mm2s_cmd_tdest = c.dest;
            top.s_axis_mm2s_cmd_tvalid = 1;
        }
        if (!top.s_axis_s2mm_cmd_tvalid && !commands[1].empty() && goes(write_command)) {
            const Command &c = commands[1].front();
            put(top.s_axis_s2mm_cmd_tdata, c.words.data(), sizeof c.words);
            top.s_axis_s2mm_cmd_tdest = c.dest;
            top.s_axis_s2mm_cmd_tvalid = 1;
        }
        if (!top.s_axis_s2mm_tvalid && !to_write.empty() && goes(write_data)) {
            const Beat &b = to_write.front();
            put(top.s_axis_s2mm_tdata, b.data.data(), 64);
            top.s_axis_s2mm_tkeep = b.keep;
            top.s_axis_s2mm_tlast = b.last;
            top.s_axis_s2mm_tvalid = 1;
        }
        top.m_axis_mm2s_tready = goes(read_data);
        top.m_axis_mm2s_sts_tready = goes(read_status);
        top.m_axis_s2mm_sts_tready = goes(write_status);
        top.eval();

        const bool command_taken[2] = {top.s_axis_mm2s_cmd_tvalid && top.s_axis_mm2s_cmd_tready,
                                       top.s_axis_s2mm_cmd_tvalid && top.s_axis_s2mm_cmd_tready};
        const bool beat_taken = top.s_axis_s2mm_tvalid && top.s_axis_s2mm_tready;
        beat_out();
        status_out(0, top.m_axis_mm2s_sts_tvalid, top.m_axis_mm2s_sts_tready, top.m_axis_mm2s_sts_tdata);
        status_out(1, top.m_axis_s2mm_sts_tvalid, top.m_axis_s2mm_sts_tready, top.m_axis_s2mm_sts_tdata);
        clock();
        if (command_taken[0]) {
            commands[0].pop_front();
            top.s_axis_mm2s_cmd_tvalid = 0;
        }
        if (command_taken[1]) {
            commands[1].pop_front();
            top.s_axis_s2mm_cmd_tvalid = 0;
        }
        if (beat_taken) {
            to_write.pop_front();
            top.s_axis_s2mm_tvalid = 0;
        }
    }

    void beat_out() {
        if (beat_waits && !top.m_axis_mm2s_tvalid) fail("the stream takes a beat back");
        if (!top.m_axis_mm2s_tvalid) return;
        Beat b;
        std::memcpy(b.data.data(), &top.m_axis_mm2s_tdata, 64);
        b.keep = top.m_axis_mm2s_tkeep;
        b.last = top.m_axis_mm2s_tlast;
        if (beat_waits && !(b == waiting_beat)) fail("a beat changes while it waits");
        waiting_beat = b;
        beat_waits = !top.m_axis_mm2s_tready;
        if (beat_waits) return;
        if (first_beat == 0) first_beat = cycle;
        last_beat = cycle;
        was_read.push_back(b);
    }

    void status_out(int which, bool valid, bool ready, uint32_t value) {
        if (status_waits[which] && (!valid || value != waiting_status[which])) fail("a status changes while it waits");
        status_waits[which] = valid && !ready;
        waiting_status[which] = value;
        if (!valid || !ready) return;
        statuses[which].push_back(value);
        status_count[which]++;
        last_status[which] = cycle;
    }
};

Bench &of(uintptr_t bench) { return static_cast<Bench &>(sim::Model::of(bench)); }

} // namespace

SIM_API uintptr_t bench_new(uint64_t seed) { return reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(new Bench(seed))); }

SIM_API void bench_free(uintptr_t bench) { delete &of(bench); }

SIM_API void bench_pace(uintptr_t bench, uint32_t channel, uint32_t idle) { of(bench).idle[channel] = idle; }

SIM_API void bench_command(uintptr_t bench, uint32_t write, const uint32_t *words, uint32_t dest) {
    Command c{{words[0], words[1], words[2], words[3]}, static_cast<uint8_t>(dest)};
    of(bench).commands[write].push_back(c);
}

SIM_API void bench_beat(uintptr_t bench, const uint8_t *data, uint64_t keep, uint32_t last) {
    Beat b;
    std::memcpy(b.data.data(), data, 64);
    b.keep = keep;
    b.last = static_cast<uint8_t>(last);
    of(bench).to_write.push_back(b);
}

// Runs until there have been so many statuses since the beginning, or for so many
// cycles, or until something fails. The result is the number of cycles.
SIM_API uint64_t bench_run(uintptr_t bench, uint64_t cycles, uint64_t reads, uint64_t writes) {
    Bench &b = of(bench);
    sim::current = &b;
    uint64_t n = 0;
    while (n < cycles && b.error.empty() && (b.status_count[0] < reads || b.status_count[1] < writes)) {
        b.step();
        n++;
    }
    return n;
}

SIM_API uint32_t bench_status(uintptr_t bench, uint32_t write, uint32_t *value) {
    auto &queue = of(bench).statuses[write];
    if (queue.empty()) return 0;
    *value = queue.front();
    queue.pop_front();
    return 1;
}

SIM_API uint64_t bench_take(uintptr_t bench, uint8_t *data, uint64_t *keep, uint32_t *last, uint64_t room) {
    auto &queue = of(bench).was_read;
    uint64_t n = 0;
    for (; n < room && !queue.empty(); n++) {
        std::memcpy(data + 64 * n, queue.front().data.data(), 64);
        keep[n] = queue.front().keep;
        last[n] = queue.front().last;
        queue.pop_front();
    }
    return n;
}

// Cycles: now, of the first and the last beat read, of the last read and write status.
SIM_API void bench_times(uintptr_t bench, uint64_t *times) {
    const Bench &b = of(bench);
    times[0] = b.cycle;
    times[1] = b.first_beat;
    times[2] = b.last_beat;
    times[3] = b.last_status[0];
    times[4] = b.last_status[1];
}

// Beats and commands that nobody took, and beats read that nobody asked about.
SIM_API uint64_t bench_left(uintptr_t bench) {
    const Bench &b = of(bench);
    return b.to_write.size() + b.commands[0].size() + b.commands[1].size() + b.was_read.size() + b.statuses[0].size() +
           b.statuses[1].size();
}

SIM_API const char *bench_error(uintptr_t bench) { return of(bench).error.c_str(); }

// Accesses a register; 0 if there is no answer.
SIM_API uint32_t bench_register_write(uintptr_t bench, uint32_t address, uint32_t value, uint32_t strobes) {
    Bench &b = of(bench);
    sim::current = &b;
    auto &t = b.top;
    t.s_axi_control_awaddr = static_cast<uint16_t>(address);
    t.s_axi_control_wdata = value;
    t.s_axi_control_wstrb = static_cast<uint8_t>(strobes);
    t.s_axi_control_awvalid = t.s_axi_control_wvalid = 1;
    for (int i = 0; i < 100; i++) {
        t.eval();
        const bool address_taken = t.s_axi_control_awvalid && t.s_axi_control_awready;
        const bool data_taken = t.s_axi_control_wvalid && t.s_axi_control_wready;
        const bool answered = t.s_axi_control_bvalid;
        b.clock();
        if (address_taken) t.s_axi_control_awvalid = 0;
        if (data_taken) t.s_axi_control_wvalid = 0;
        if (answered) return 1;
    }
    return 0;
}

SIM_API uint32_t bench_register_read(uintptr_t bench, uint32_t address, uint32_t *value) {
    Bench &b = of(bench);
    sim::current = &b;
    auto &t = b.top;
    t.s_axi_control_araddr = static_cast<uint16_t>(address);
    t.s_axi_control_arvalid = 1;
    for (int i = 0; i < 100; i++) {
        t.eval();
        const bool taken = t.s_axi_control_arvalid && t.s_axi_control_arready;
        const bool answered = t.s_axi_control_rvalid;
        *value = t.s_axi_control_rdata;
        b.clock();
        if (taken) t.s_axi_control_arvalid = 0;
        if (answered) return 1;
    }
    return 0;
}
