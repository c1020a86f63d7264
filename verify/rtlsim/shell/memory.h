// The memory behind the AXI4 ports of a model (sim_axi_memory.sv): address spaces
// of sparse pages that are zero until written, the time their answers take, and
// the addresses that fail. All functions may be called between two evals.
#pragma once

#include <cstdint>

#include "model.h"

namespace sim {

enum MemoryError : uint32_t {
    memory_works,
    memory_slave_error,   // SLVERR
    memory_decode_error,  // DECERR
    memory_silent,        // no answer, until the error is taken away
};

} // namespace sim

// Seeds everything random: jitter and stalls.
SIM_API void sim_memory_seed(uintptr_t model, uint64_t seed);

// Bytes at once, as a host sees them: errors and delays play no part. 0, and
// nothing is moved, if they do not lie below the limit of the space.
SIM_API int sim_memory_read(uintptr_t model, int space, uint64_t address, uint8_t *out, uint64_t bytes);
SIM_API int sim_memory_write(uintptr_t model, int space, uint64_t address, const uint8_t *in, uint64_t bytes);

// Everything from here up answers DECERR. With 0 the space has 64 bits.
SIM_API void sim_memory_limit(uintptr_t model, int space, uint64_t bytes);

// Cycles from an address to its data and from the last data to the response: the
// latency and up to jitter more. The order stays.
SIM_API void sim_memory_latency(uintptr_t model, int space, uint32_t cycles, uint32_t jitter);

// After an address or a beat, with this probability, comes a pause of up to
// `longest` cycles.
SIM_API void sim_memory_stall(uintptr_t model, int space, uint32_t per_mille, uint32_t longest);

// Lines that touch [from, to) fail (a MemoryError); a later call wins over earlier
// ones, and memory_works over 0 to 2^64-1 forgets them all. A failing beat reads
// undefined data and writes nothing.
SIM_API void sim_memory_error(uintptr_t model, int space, uint64_t from, uint64_t to, uint32_t kind);
