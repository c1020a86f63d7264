// A kernel with one or two input streams and an output stream, driven with what a
// test gives it and random gaps. IN0, IN1 and OUT are the names of the ports; with
// WIDE the operands come side by side at IN0.
#include "verilated.h"

#include <cstdint>
#include <cstring>

#include "rhythm.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define PORT(name, signal) model.JOIN(name, signal)

#include TEXT(MODEL.h)

namespace {

struct Beat {
    uint8_t data[64];
    uint64_t keep;
    uint8_t last, tdest, unused[6];
};

struct Options {
    uint64_t seed, idle0, idle1, stall, max_cycles; // idle and stall of 256 cycles
};

struct Times {
    uint64_t first_in, last_in, first_out, last_out;
};

enum Failure : int64_t { CHANGED = -1, TOO_MANY = -2, ENDLESS = -3 };

constexpr uint64_t QUIET = 2000; // cycles after which nothing more will come

// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    }
};

struct Bench {
    Context context;
    MODEL model{&context};

    explicit Bench(uint64_t seed) : context{seed} {}

    void step() {
        model.ap_clk = 1;
        model.eval();
        model.ap_clk = 0;
        model.eval();
    }

    void offer0(bool valid, const Beat& b) {
        PORT(IN0, _tvalid) = valid;
        std::memcpy(&PORT(IN0, _tdata), b.data, 64);
        std::memcpy(&PORT(IN0, _tkeep), &b.keep, 8);
        PORT(IN0, _tlast) = b.last & 1;
        PORT(IN0, _tdest) = b.tdest;
    }

#if defined(WIDE)
    void offer1(bool, const Beat& b) {
        std::memcpy(reinterpret_cast<uint8_t*>(&PORT(IN0, _tdata)) + 64, b.data, 64);
        std::memcpy(reinterpret_cast<uint8_t*>(&PORT(IN0, _tkeep)) + 8, &b.keep, 8);
    }
#elif defined(IN1)
    void offer1(bool valid, const Beat& b) {
        PORT(IN1, _tvalid) = valid;
        std::memcpy(&PORT(IN1, _tdata), b.data, 64);
        PORT(IN1, _tkeep) = b.keep;
        PORT(IN1, _tlast) = b.last & 1;
    }
#else
    void offer1(bool, const Beat&) {}
#endif

    int64_t run(const Options& o, const Beat* in0, const Beat* in1, uint64_t count, Beat* out, uint64_t room, Times& times) {
        Random random{o.seed};
        Rhythm rhythm0{random, o.idle0}, rhythm1{random, o.idle1}, taking{random, o.stall};
        Beat nothing{};
        uint64_t sent0 = 0, sent1 = 0, received = 0, quiet = 0;
        bool valid0 = false, valid1 = false, waiting = false;
        Beat held{};
        times = {};

        model.ap_rst_n = 0;
        model.ap_clk = 0;
        PORT(OUT, _tready) = 0;
        offer1(false, nothing);
        offer0(false, nothing);
        model.eval();
        for (int i = 0; i < 4; i++) step();
        model.ap_rst_n = 1;
        step();

        for (uint64_t cycle = 0; quiet < QUIET; cycle++) {
            if (cycle == o.max_cycles) return ENDLESS;
            valid0 = valid0 || (sent0 < count && rhythm0.next());
#if defined(IN1)
            valid1 = valid1 || (sent1 < count && rhythm1.next());
#endif
            for (uint64_t i = 0; i < 64; i += 8) { // what stands there without valid
                uint64_t r = random.next();
                std::memcpy(nothing.data + i, &r, 8);
            }
            nothing.keep = random.next();
            nothing.last = nothing.keep >> 8 & 1;
            nothing.tdest = (nothing.keep >> 16 & 0xF);
            offer0(valid0, valid0 ? in0[sent0] : nothing);
#if defined(WIDE)
            offer1(valid0, valid0 ? in1[sent0] : nothing);
#else
            offer1(valid1, valid1 ? in1[sent1] : nothing);
#endif
            PORT(OUT, _tready) = taking.next();
            model.eval();

            bool moved = false;
            if (PORT(OUT, _tvalid)) {
                Beat b{};
                std::memcpy(b.data, &PORT(OUT, _tdata), 64);
                b.keep = PORT(OUT, _tkeep);
                b.last = PORT(OUT, _tlast);
                if (waiting && std::memcmp(&b, &held, sizeof b) != 0) return CHANGED;
                held = b;
                waiting = !PORT(OUT, _tready);
                moved = true;
                if (!waiting) {
                    if (received == room) return TOO_MANY;
                    out[received] = b;
                    if (received++ == 0) times.first_out = cycle;
                    times.last_out = cycle;
                }
            } else if (waiting) {
                return CHANGED;
            }
            if (valid0 && PORT(IN0, _tready)) {
                if (sent0++ == 0) times.first_in = cycle;
                times.last_in = cycle;
                valid0 = false;
                moved = true;
            }
#if defined(IN1)
            if (valid1 && PORT(IN1, _tready)) {
                sent1++;
                valid1 = false;
                moved = true;
            }
#endif
            step();
            quiet = moved ? 0 : quiet + 1;
        }
        return static_cast<int64_t>(received);
    }

    // Full beats for one TDEST at full speed, without a reset before: returns how
    // many came out, of which as many are kept as there is room for.
    uint64_t bulk(uint8_t tdest, const uint8_t* in0, const uint8_t* in1, uint64_t count, uint8_t* out, uint64_t room) {
        Verilated::threadContextp(&context); // calls go from thread to thread
        Beat a{}, b{};
        uint64_t sent = 0, received = 0;
        a.keep = b.keep = ~uint64_t{0};
        a.tdest = tdest;
        PORT(OUT, _tready) = 1;
        for (int quiet = 0; quiet < 64; quiet++) {
            bool valid = sent < count;
            if (valid) {
                std::memcpy(a.data, in0 + 64 * sent, 64);
                std::memcpy(b.data, in1 + 64 * sent, 64);
                a.last = b.last = sent + 1 == count;
            }
            offer0(valid, a);
            offer1(valid, b);
            bool taken = valid && PORT(IN0, _tready);
#if defined(IN1)
            if (taken != (valid && PORT(IN1, _tready))) return 0; // they go together
#endif
            sent += taken;
            step();
            bool came = PORT(OUT, _tvalid);
            if (came && received++ < room) std::memcpy(out + 64 * (received - 1), &PORT(OUT, _tdata), 64);
            if (taken || came) quiet = 0;
        }
        return received;
    }

    // A reset, for blocks at full speed.
    void restart() {
        Verilated::threadContextp(&context);
        model.ap_rst_n = 0;
        model.ap_clk = 0;
        offer1(false, Beat{});
        offer0(false, Beat{});
        model.eval();
        for (int i = 0; i < 4; i++) step();
        model.ap_rst_n = 1;
        for (int i = 0; i < 2; i++) step();
    }
};

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench* bench_new(uint64_t seed) { return new Bench(seed); }
API void bench_delete(Bench* b) { delete b; }
API int64_t bench_run(Bench* b, const Options* o, const Beat* in0, const Beat* in1, uint64_t count, Beat* out, uint64_t room, Times* times) {
    return b->run(*o, in0, in1, count, out, room, *times);
}
API void bench_restart(Bench* b) { b->restart(); }
API uint64_t bench_bulk(Bench* b, uint8_t tdest, const uint8_t* in0, const uint8_t* in1, uint64_t count, uint8_t* out, uint64_t room) {
    return b->bulk(tdest, in0, in1, count, out, room);
}
