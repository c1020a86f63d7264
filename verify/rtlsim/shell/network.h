// The network behind the engines of a model (networklayer.sv, network_krnl.sv,
// rdma_stack.sv): what the hardware sends goes to the host, what the host gives
// comes out as the stack's streams say. All functions may be called between two
// evals, and return at once. `id` is the number of the network engine.
#pragma once

#include <cstdint>

#include "model.h"

namespace sim {

enum NetworkChunk : uint64_t {
    network_bytes,  // of a session; where messages can be lost, a whole packet
    network_send,   // a message of RDMA
    network_write,  // data for the memory of the remote rank, by RDMA
};

enum NetworkRequest : uint64_t {
    network_listen = 1,
    network_connect,
    network_close,
};

} // namespace sim

// The next bytes that the hardware sends, or -1: meta is {NetworkChunk, session,
// address, host memory, end of a packet, 0}.
SIM_API int64_t sim_network_pop(uintptr_t model, int32_t id, uint64_t *meta, uint8_t *data, uint64_t size);

// Gives the hardware bytes of a session: a packet, or as many as one packet may
// have. 0 if there is no room now.
SIM_API int32_t sim_network_push(uintptr_t model, int32_t id, uint32_t session, const uint8_t *data, uint64_t bytes);

// Whether there is room for a push of the session.
SIM_API int32_t sim_network_room(uintptr_t model, int32_t id, uint32_t session);

// The next request of the hardware: 0 if there is none. The last word is the port,
// or the session to be closed.
SIM_API int32_t sim_network_request(uintptr_t model, int32_t id, uint64_t *kind, uint64_t *ip, uint64_t *port);
SIM_API void sim_network_answer(uintptr_t model, int32_t id, uint64_t kind, uint32_t session, int32_t ok);

// TCP: the space that the session has for data; without it requests are refused.
SIM_API void sim_network_window(uintptr_t model, int32_t id, uint32_t session, uint64_t bytes);

// TCP: the remote side has closed the session.
SIM_API void sim_network_closed(uintptr_t model, int32_t id, uint32_t session);

// Cycles that everything takes at the least, and up to jitter more; how often of
// 1000 cycles each stream pauses, and of 1000 TCP requests are refused.
SIM_API void sim_network_shape(uintptr_t model, int32_t id, uint32_t latency, uint32_t jitter, uint32_t pauses,
                               uint32_t refusals, uint64_t seed);
