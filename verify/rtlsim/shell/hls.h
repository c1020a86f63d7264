// Kernels in C++ (component.h) on the streams of a model: sim_hls_*.sv. Each
// instance has its component from a library of its own, which the argument
// +hls_<instance>=<path> of the model names.
//
// In a cycle the modules give components beats and take some; after it all
// components run. So nothing depends on the order in which modules are evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "component.h"
#include "hls_library.h"
#include "hls_mirror.h"
#include "hls_packets.h"
#include "model.h"

namespace sim {

// Component is an instance of a kernel.
class Component : public Part {
  public:
    ~Component() override;
    bool busy() const override;
    void step(Model &model) override;

    // What its module says of it.
    void open(Model &model, const std::string &name, const std::string &kernel);
    void port(Model &model, std::size_t number, const std::string &name, bool output, uint32_t width,
              uint32_t dest_bits);
    void argument(Model &model, std::size_t number, uint32_t offset, uint32_t bits, int space);
    std::unique_ptr<Packets> packets;         // of plugins
    std::size_t calls = none, answers = none; // ports that lead to the engine's calls

    // What its module does in a cycle. take without a beat is to ask for room.
    bool take(Model &model, std::size_t number, const cclo_beat *beat);
    bool give(Model &model, std::size_t number, cclo_beat &beat);
    void start(std::size_t word, uint32_t value);
    bool has_ended();

    // An allocation that a pointer of the next call of the host leads into.
    void mirror(bool others, int space, uint64_t address, uint64_t bytes);
    const cclo_state &doing() const { return state; }
    uint64_t moved(std::size_t number) const;

    static constexpr std::size_t none = ~std::size_t{0};

  private:
    static constexpr uint32_t depth = 4; // beats of a port
    // A beat that does not move keeps the model running for a while only, one that
    // has moved until what it has caused can be seen.
    static constexpr uint64_t patience = 4096, settled = 256;
    // How often a kernel looks at its ports when it is run, before it counts as one
    // that polls.
    static constexpr uint64_t looks = 64;

    struct Port {
        std::string name;
        bool output = false;
        bool stands = false;  // a beat, at the pins
        bool changed = false; // since the kernel has run
        uint64_t passed = 0;  // beats, between the module and the component
        uint64_t written = 0; // that packets know of
    };
    struct Argument {
        uint32_t offset, bits;
        int space; // of the memory that it points to, or -1
    };
    void failed(Model &model, const std::string &text);
    void failed(Model &model, const Port &port, const std::string &text);
    void begin(Model &model);
    bool can_go_on(uint64_t cycle) const;
    void write_back(Model &model);

    std::string name, kernel;
    Library library;
    void *instance = nullptr;
    cclo_state state{cclo_idle, -1, 0, ""};
    std::vector<Port> ports;
    std::vector<Argument> arguments;
    std::vector<std::unique_ptr<Mirror>> mirrors;
    std::vector<uint32_t> words; // of the registers, from the first argument on
    uint64_t called = 0;         // words of calls to the engine that memory has been written for
    uint64_t ends = 0;           // calls of the host that have been seen to end
    bool asked = false;          // by the host, in this cycle
    bool running = false, ended = false;
    bool fresh = true;           // has not run yet
    bool answered = false;       // by the engine, in this cycle
    bool active = false;         // has moved a beat
    uint64_t last = 0;           // cycle in which it did
    uint64_t ran = 0;            // cycle in which it has run
};

} // namespace sim

// An allocation that a pointer of the next call leads into, beside others or as the
// first one.
SIM_API void sim_hls_mirror(uintptr_t model, int id, int others, int space, uint64_t address, uint64_t bytes);
// What a component does (cclo_doing), at which port, or -1, and how many calls of
// its kernel have ended.
SIM_API void sim_hls_state(uintptr_t model, int id, uint32_t *doing, int32_t *port, uint64_t *calls);
// Copies why a kernel has failed, and returns the length.
SIM_API uint64_t sim_hls_text(uintptr_t model, int id, char *text, uint64_t size);
// Beats that its kernel has read from, or written to, a port.
SIM_API uint64_t sim_hls_beats(uintptr_t model, int id, uint32_t port);
