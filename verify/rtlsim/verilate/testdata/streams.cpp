// Offers a module words and takes them, each at times that a seed decides, and keeps
// what the model says until it stops.
#include "Vdriven.h"
#include "verilated.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

static std::string said;
static bool stopped;

int sim_print(const char *format, ...) {
    char text[4096];
    va_list list;
    va_start(list, format);
    int n = std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    said += text;
    return n;
}
void vl_stop(const char *, int, const char *) { stopped = true; }

extern "C" __attribute__((visibility("default"))) const char *run(uint64_t seed, uint64_t planted, uint64_t cycles) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(static_cast<int>(seed) + 1);
    Vdriven top{&context};
    uint64_t random = seed * 2 + 1;
    said.clear();
    stopped = false;
    bool waits = false;
    for (uint64_t i = 0; i < cycles && !stopped; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        top.rst = i < 4;
        top.planted = planted;
        if (!waits) {
            top.in_valid = random >> 60 & 1;
            top.in_data = random >> 20;
            top.in_last = random >> 61 & 1;
        }
        top.out_ready = (random >> 57 & 3) == 0;
        top.pair_ready = random >> 50 & random >> 48 & 3;
        top.ask_ready = (random >> 53 & 3) == 0;
        top.clk = 0;
        top.eval();
        waits = top.in_valid && !top.in_ready && !top.rst;
        top.clk = 1;
        top.eval();
    }
    return said.c_str();
}
