// vadd_put between a host, memory and an engine that a test plays.
#include "Vvadd_put.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "rhythm.h"

namespace {

struct Beat {
    uint8_t data[64];
    uint64_t keep;
    uint8_t last, tdest, unused[6];
};

// What the host writes, and how it sees the end.
struct Write {
    uint32_t offset, value;
};

struct Options {
    uint64_t seed;
    uint64_t base;    // address of the first byte of memory
    uint64_t pauses;  // of memory and streams, of 256 cycles
    uint64_t take;    // beats of the put that the engine takes before it answers
    uint32_t answer;
    uint32_t control, start, done, idle, ready; // control register and its bits
    uint64_t max_cycles;
    uint64_t reset; // before it
};

struct Result {
    uint32_t call[16];
    uint64_t words, sent, received; // words of the call, beats of the put, beats taken
    uint64_t answered, ended;       // cycles
    uint64_t busy;                  // the control register while it runs
};

enum Failure : int64_t { OUTSIDE = -1, CROSSES = -2, CHANGED = -3, ENDLESS = -4, TOO_MANY = -5, NO_LAST = -6, SIZE = -7 };

struct Burst {
    uint64_t address;
    unsigned beats;
};

// Watches that a payload stays until it is taken.
template <typename T> struct Steady {
    bool waiting = false;
    T held{};
    bool good(bool valid, bool ready, const T& now) {
        bool ok = !waiting || (valid && std::memcmp(&held, &now, sizeof now) == 0);
        waiting = valid && !ready;
        held = now;
        return ok;
    }
};

// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    }
};

struct Bench {
    Context context;
    Vvadd_put model{&context};

    explicit Bench(uint64_t seed) : context{seed} {}

    int64_t run(const Options& o, const Write* writes, uint64_t write_count, uint8_t* memory, uint64_t size,
                const Beat* in, uint64_t in_count, Beat* out, uint64_t room, Result& result) {
        Random random{o.seed};
        Rhythm ar{random, o.pauses}, r{random, o.pauses}, aw{random, o.pauses}, w{random, o.pauses}, b{random, o.pauses};
        Rhythm call{random, o.pauses}, put{random, o.pauses}, get{random, o.pauses};
        std::deque<Burst> reads, addresses;
        std::deque<std::vector<Beat>> lines; // of writes
        unsigned responses = 0;
        bool r_valid = false, b_valid = false, in_valid = false, answer_valid = false, answer_given = false;
        unsigned r_at = 0;
        Steady<uint64_t> steady_ar, steady_aw;
        Steady<Beat> steady_put, steady_w;
        Steady<uint32_t> steady_call;
        result = {};

        for (auto* s : {&model.s_axi_control_awvalid, &model.s_axi_control_wvalid, &model.s_axi_control_bready, &model.s_axi_control_arvalid,
                        &model.s_axi_control_rready, &model.m_axi_gmem_awready, &model.m_axi_gmem_wready, &model.m_axi_gmem_bvalid,
                        &model.m_axi_gmem_arready, &model.m_axi_gmem_rvalid, &model.cmd_to_cclo_tready, &model.sts_from_cclo_tvalid,
                        &model.data_to_cclo_tready, &model.data_from_cclo_tvalid, &model.ap_clk})
            *s = 0;
        model.s_axi_control_wstrb = 0xF;
        model.m_axi_gmem_rresp = model.m_axi_gmem_bresp = 0;
        model.eval();
        if (o.reset) {
            model.ap_rst_n = 0;
            for (int i = 0; i < 4; i++) tick();
            model.ap_rst_n = 1;
            tick();
        }

        // The host: writes, then starts, then reads the control register until done.
        enum { WRITING, STARTING, POLLING, AFTER } host = WRITING;
        uint64_t written = 0, after = 0;
        bool address_gone = false, data_gone = false;
        if (write_count == 0) host = STARTING;

        for (uint64_t cycle = 0; after < 300; cycle++) {
            if (cycle == o.max_cycles) return ENDLESS;
            if (host == AFTER) after++;
            bool writing = host == WRITING || host == STARTING;
            model.s_axi_control_awvalid = writing && !address_gone;
            model.s_axi_control_wvalid = writing && !data_gone && (address_gone || (cycle & 1));
            model.s_axi_control_awaddr = host == WRITING ? writes[written].offset : o.control;
            model.s_axi_control_wdata = host == WRITING ? writes[written].value : o.start;
            model.s_axi_control_bready = 1;
            model.s_axi_control_arvalid = host == POLLING && !address_gone;
            model.s_axi_control_araddr = o.control;
            model.s_axi_control_rready = 1;

            // Memory.
            model.m_axi_gmem_arready = ar.next();
            model.m_axi_gmem_awready = aw.next();
            model.m_axi_gmem_wready = w.next();
            r_valid = r_valid || (!reads.empty() && r.next());
            model.m_axi_gmem_rvalid = r_valid;
            if (r_valid) {
                std::memcpy(&model.m_axi_gmem_rdata, memory + (reads.front().address + 64 * r_at - o.base), 64);
                model.m_axi_gmem_rlast = r_at + 1 == reads.front().beats;
            }
            b_valid = b_valid || (responses != 0 && b.next());
            model.m_axi_gmem_bvalid = b_valid;

            // The engine.
            model.cmd_to_cclo_tready = call.next();
            model.data_to_cclo_tready = result.words == 15 && result.sent < o.take && put.next();
            answer_valid = answer_valid || (result.words == 15 && result.sent >= o.take && !answer_given && call.next());
            model.sts_from_cclo_tvalid = answer_valid;
            model.sts_from_cclo_tdata = o.answer;
            in_valid = in_valid || (result.received < in_count && get.next());
            model.data_from_cclo_tvalid = in_valid;
            if (in_valid) {
                const Beat& x = in[result.received];
                std::memcpy(&model.data_from_cclo_tdata, x.data, 64);
                model.data_from_cclo_tkeep = x.keep;
                model.data_from_cclo_tlast = x.last;
                model.data_from_cclo_tdest = x.tdest;
            }
            model.eval();

            // Memory.
            if (!steady_ar.good(model.m_axi_gmem_arvalid, model.m_axi_gmem_arready, model.m_axi_gmem_araddr)) return CHANGED;
            if (!steady_aw.good(model.m_axi_gmem_awvalid, model.m_axi_gmem_awready, model.m_axi_gmem_awaddr)) return CHANGED;
            if (r_valid && model.m_axi_gmem_rready) {
                r_valid = false;
                if (++r_at == reads.front().beats) {
                    reads.pop_front();
                    r_at = 0;
                }
            }
            if (model.m_axi_gmem_arvalid && model.m_axi_gmem_arready) {
                if (model.m_axi_gmem_arsize != 6 || model.m_axi_gmem_arburst != 1) return SIZE;
                Burst x{model.m_axi_gmem_araddr, model.m_axi_gmem_arlen + 1u};
                if (int64_t wrong = check(x, o.base, size)) return wrong;
                reads.push_back(x);
            }
            if (model.m_axi_gmem_awvalid && model.m_axi_gmem_awready) {
                if (model.m_axi_gmem_awsize != 6 || model.m_axi_gmem_awburst != 1) return SIZE;
                Burst x{model.m_axi_gmem_awaddr, model.m_axi_gmem_awlen + 1u};
                if (int64_t wrong = check(x, o.base, size)) return wrong;
                addresses.push_back(x);
            }
            Beat line{};
            std::memcpy(line.data, &model.m_axi_gmem_wdata, 64);
            line.keep = model.m_axi_gmem_wstrb;
            line.last = model.m_axi_gmem_wlast;
            if (!steady_w.good(model.m_axi_gmem_wvalid, model.m_axi_gmem_wready, line)) return CHANGED;
            if (model.m_axi_gmem_wvalid && model.m_axi_gmem_wready) {
                if (lines.empty() || lines.back().back().last) lines.emplace_back();
                lines.back().push_back(line);
            }
            if (b_valid && model.m_axi_gmem_bready) {
                b_valid = false;
                responses--;
            }
            while (!addresses.empty() && !lines.empty() && lines.front().back().last) {
                if (lines.front().size() != addresses.front().beats) return NO_LAST;
                for (unsigned i = 0; i < addresses.front().beats; i++)
                    for (unsigned byte = 0; byte < 64; byte++)
                        if (lines.front()[i].keep >> byte & 1)
                            memory[addresses.front().address + 64 * i + byte - o.base] = lines.front()[i].data[byte];
                addresses.pop_front();
                lines.pop_front();
                responses++;
            }

            // The engine.
            if (!steady_call.good(model.cmd_to_cclo_tvalid, model.cmd_to_cclo_tready, model.cmd_to_cclo_tdata)) return CHANGED;
            if (model.cmd_to_cclo_tvalid && model.cmd_to_cclo_tready) {
                if (result.words == 15) return TOO_MANY;
                result.call[result.words++] = model.cmd_to_cclo_tdata;
                if (model.cmd_to_cclo_tlast != (result.words == 15)) return NO_LAST;
            }
            if (answer_valid && model.sts_from_cclo_tready) {
                answer_valid = false;
                answer_given = true;
                result.answered = cycle;
            }
            Beat x{};
            std::memcpy(x.data, &model.data_to_cclo_tdata, 64);
            x.keep = model.data_to_cclo_tkeep;
            x.last = model.data_to_cclo_tlast;
            x.tdest = model.data_to_cclo_tdest;
            if (!steady_put.good(model.data_to_cclo_tvalid, model.data_to_cclo_tready, x)) return CHANGED;
            if (model.data_to_cclo_tvalid && model.data_to_cclo_tready) {
                if (result.sent == room) return TOO_MANY;
                out[result.sent++] = x;
            }
            if (in_valid && model.data_from_cclo_tready) {
                in_valid = false;
                result.received++;
            }

            // The host.
            if (writing) {
                if (model.s_axi_control_awvalid && model.s_axi_control_awready) address_gone = true;
                if (model.s_axi_control_wvalid && model.s_axi_control_wready) data_gone = true;
                if (model.s_axi_control_bvalid) {
                    address_gone = data_gone = false;
                    if (host == STARTING) host = POLLING;
                    else if (++written == write_count) host = STARTING;
                }
            } else if (host == POLLING) {
                if (model.s_axi_control_arvalid && model.s_axi_control_arready) address_gone = true;
                if (model.s_axi_control_rvalid) {
                    address_gone = false;
                    if (model.s_axi_control_rdata & o.done) {
                        host = AFTER;
                        result.ended = cycle;
                        if (!(model.s_axi_control_rdata & o.idle) || !(model.s_axi_control_rdata & o.ready)) result.busy |= 2;
                        if (!reads.empty() || !addresses.empty() || responses != 0) return CHANGED;
                    } else if (model.s_axi_control_rdata & o.idle) {
                        result.busy |= 1;
                    }
                }
            }
            tick();
        }
        return 0;
    }

    static int64_t check(const Burst& x, uint64_t base, uint64_t size) {
        if (x.address < base || x.address + 64 * x.beats > base + size || x.address % 64 != 0) return OUTSIDE;
        if (x.address / 4096 != (x.address + 64 * x.beats - 1) / 4096) return CROSSES;
        return 0;
    }

    void tick() {
        model.ap_clk = 1;
        model.eval();
        model.ap_clk = 0;
        model.eval();
    }
};

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench* bench_new(uint64_t seed) { return new Bench(seed); }
API void bench_delete(Bench* b) { delete b; }


API int64_t bench_run(Bench* b, const Options* options, const Write* writes, uint64_t write_count, uint8_t* memory, uint64_t size,
                      const Beat* in, uint64_t in_count, Beat* out, uint64_t room, Result* result) {
    return b->run(*options, writes, write_count, memory, size, in, in_count, out, room, *result);
}
