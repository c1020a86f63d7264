// A kernel in C++ as a component of a simulation: what a library that holds one
// kernel offers to the emulator and to the shell around Verilated hardware.
//
// A component has the kernel's AXI4-Stream ports as queues of beats, in the order
// in which the kernel's description lists them, and runs the kernel as a coroutine:
// it goes on until the kernel waits for a beat, or for room for one. All functions
// of one component are called by one thread at a time. Nothing else of a
// simulation is called from here.
#ifndef CCLO_COMPONENT_H
#define CCLO_COMPONENT_H

#include <cstdint>

#define CCLO_COMPONENT_VERSION 1

extern "C" {

// A beat as the widest stream has it. Narrow streams use the low bytes.
struct cclo_beat {
    uint8_t data[64];
    uint64_t keep; // TKEEP, a bit a byte
    uint32_t dest; // TDEST, 0 where the port has none
    uint32_t last; // TLAST, 0 or 1
};

// A stream port.
struct cclo_port {
    const char *name;
    uint32_t output;    // 1: the kernel writes it
    uint32_t width;     // bits of data
    uint32_t dest_bits; // of TDEST
};

// A control register of a kernel that the host calls.
struct cclo_argument {
    const char *name;
    uint32_t offset;  // bytes, in the register space
    uint32_t bits;    // 32 or 64
    uint32_t pointer; // 1: an address in the memory of the engine
};

// What a kernel does when it has been run.
enum cclo_doing : uint32_t {
    cclo_idle = 0,   // has not been started, or its call has ended
    cclo_reads = 1,  // waits for a beat of a port
    cclo_writes = 2, // waits for room at a port
    cclo_polls = 3,  // looks at its ports again and again, and none has changed; it may
                     // count how often: run it again now and then
    cclo_failed = 4, // has done what no kernel may do; it will not run again
};

struct cclo_state {
    uint32_t doing;   // cclo_doing
    int32_t port;     // that it waits for, or -1
    uint64_t calls;   // of the top function that have ended
    const char *text; // why it has failed, else empty; lives as long as the component
};

// CCLO_COMPONENT_VERSION of the library.
uint32_t cclo_version(void);
const char *cclo_kernel(void); // its name
uint32_t cclo_free_running(void); // 1: ap_ctrl_none, called again whenever it returns
uint32_t cclo_ports(const cclo_port **ports);             // the result is how many
uint32_t cclo_arguments(const cclo_argument **arguments); // by offset

// A component whose ports hold up to `depth` beats each, at least 1.
void *cclo_open(uint32_t depth);
void cclo_close(void *component);

// Gives a stream of the kernel up to n beats; the result is how many there was
// room for.
uint32_t cclo_put(void *component, uint32_t port, const cclo_beat *beats, uint32_t n);
// Takes up to n beats from a stream; the result is how many there were.
uint32_t cclo_get(void *component, uint32_t port, cclo_beat *beats, uint32_t n);
// Beats that can be put to, or taken from, a port now.
uint32_t cclo_count(void *component, uint32_t port);
// Beats that the kernel has read from, or written to, a port so far.
uint64_t cclo_moved(void *component, uint32_t port);

// Starts a call of a kernel that the host calls, with an argument for each
// register; pointers are addresses in this process. 0 if a call is under way.
uint32_t cclo_start(void *component, const uint64_t *arguments);
// Runs the kernel until it can do no more; what it does is in *state.
void cclo_run(void *component, cclo_state *state);

} // extern "C"

#endif
