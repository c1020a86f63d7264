// The move engine, cycle by cycle: all that goes in and comes out are words of
// 64 bits.
#include "Vmoves_tb.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <memory>

#define API extern "C" __attribute__((visibility("default")))

double sc_time_stamp() { return 0; }

struct Bench {
    VerilatedContext context;
    std::unique_ptr<Vmoves_tb> model;
};

API Bench *bench_new(uint64_t seed) {
    auto bench = std::make_unique<Bench>();
    bench->context.randReset(2);
    bench->context.randSeed(static_cast<int>(seed + 1));
    bench->model = std::make_unique<Vmoves_tb>(&bench->context);
    bench->model->clk = 0;
    return bench.release();
}

API void bench_delete(Bench *bench) { delete bench; }

API void bench_cycle(Bench *bench, const uint64_t *in, uint64_t *out) {
    Vmoves_tb &model = *bench->model;
    std::memcpy(&model.in_words, in, sizeof model.in_words);
    model.clk = 0;
    model.eval();
    std::memcpy(out, &model.out_words, sizeof model.out_words);
    model.clk = 1;
    model.eval();
}
