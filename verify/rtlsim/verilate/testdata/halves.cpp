// Halves numbers, one a cycle.
#include "Vhalves.h"
#include "verilated.h"

#include <cstdint>

#include "step.h"

extern "C" __attribute__((visibility("default"))) void halve(const uint8_t *values, uint64_t count) {
    VerilatedContext context;
    Vhalves model{&context};
    model.enable = 1;
    for (uint64_t i = 0; i < count; i++) {
        model.value = values[i];
        step(model);
    }
}
