// A queue behind a function that pushes numbers and pops them again.
#include "Vfifo.h"
#include "verilated.h"

#include <cstdint>
#include <memory>

#include "step.h"

extern "C" __attribute__((visibility("default"))) uint64_t through(uint64_t seed, uint64_t count) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    Vfifo model{&context};
    model.clear = 0;
    model.in_valid = 0;
    model.out_ready = 0;
    model.rst = 1;
    step(model);
    model.rst = 0;
    uint64_t sum = 0, pushed = 0, popped = 0;
    for (uint64_t cycle = 0; popped < count && cycle < 10 * count; cycle++) {
        model.in_valid = pushed < count;
        model.in_data = static_cast<uint8_t>(pushed);
        model.out_ready = 1;
        model.eval();
        if (model.in_valid && model.in_ready) pushed++;
        if (model.out_valid) {
            sum += model.out_data;
            popped++;
        }
        step(model);
    }
    return sum;
}
