#include "memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "svdpi.h"

namespace sim {
namespace {

constexpr uint64_t line_bytes = 64;
constexpr unsigned page_shift = 16;
constexpr uint64_t page_bytes = uint64_t{1} << page_shift;
constexpr int slave_error = 2, decode_error = 3; // responses of AXI

constexpr unsigned block_shift = 12; // a page knows of so much whether the hardware has written there

struct Page : std::array<uint8_t, page_bytes> {
    uint32_t written = 0; // blocks
};

// Random makes numbers that look random (xorshift64*).
struct Random {
    uint64_t state = 1;

    void seed(uint64_t seed) {
        state = (seed + 1) * 0x9E3779B97F4A7C15u;
        if (state == 0) state = 1;
    }
    uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return static_cast<uint32_t>((state * 0x2545F4914F6CDD1Du) >> 32);
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{next()} * n) >> 32); }
};

struct Range {
    uint64_t from, to;
    MemoryError kind;
};

// Space is an address space.
struct Space {
    uint64_t limit = 0; // 0: none
    uint32_t latency = 0, jitter = 0;
    uint32_t stall_per_mille = 0, longest_stall = 0;
    std::vector<Range> errors; // the last one that fits counts

    // page is the page of an address, or nullptr if nothing was written to it.
    Page *page(uint64_t address) {
        const uint64_t number = address >> page_shift;
        if (last != nullptr && number == last_number) return last;
        const auto at = pages.find(number);
        if (at == pages.end()) return nullptr;
        last_number = number;
        return last = at->second.get();
    }
    Page &page_to_write(uint64_t address) {
        if (Page *p = page(address)) return *p;
        auto &fresh = pages[address >> page_shift];
        fresh = std::make_unique<Page>(); // zeros
        last_number = address >> page_shift;
        return *(last = fresh.get());
    }
    void put(uint64_t line, const uint8_t *data, uint64_t strobes) {
        if (strobes == 0) return;
        Page &page = page_to_write(line);
        const uint64_t offset = line & (page_bytes - 1);
        uint8_t *to = page.data() + offset;
        page.written |= 1u << (offset >> block_shift);
        if (strobes == ~uint64_t{0}) {
            std::memcpy(to, data, line_bytes);
            return;
        }
        for (uint64_t i = 0; i < line_bytes; i++)
            if (strobes >> i & 1) to[i] = data[i];
    }
    bool outside(uint64_t address, uint64_t bytes) const {
        return limit != 0 && (address >= limit || bytes > limit - address);
    }
    // error_at is what is wrong with a line.
    MemoryError error_at(uint64_t line) const {
        for (auto e = errors.rbegin(); e != errors.rend(); ++e)
            if (line < e->to && line + (line_bytes - 1) >= e->from) return e->kind;
        return memory_works;
    }
    int response_at(uint64_t line) const {
        if (outside(line, line_bytes)) return decode_error;
        switch (error_at(line)) {
        case memory_slave_error: return slave_error;
        case memory_decode_error: return decode_error;
        default: return 0;
        }
    }

  private:
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
    uint64_t last_number = 0;
    Page *last = nullptr; // the page that was used last
};

struct Memory;

// Port is one side, reads or writes, of a port.
struct Port {
    Memory *memory = nullptr;
    Space *space = nullptr;
    int response = 0;        // to the burst at work
    uint64_t unanswered = 0; // bursts
};

struct Memory : Part {
    Random random;
    std::map<int, Space> spaces;
    std::map<std::pair<int, bool>, Port> ports;

    bool busy() const override {
        return std::any_of(ports.begin(), ports.end(), [](const auto &p) { return p.second.unanswered != 0; });
    }
};

Memory &memory_of(uintptr_t model) { return Model::of(model).part<Memory>(0); }

Port &port_of(void *handle) { return *static_cast<Port *>(handle); }

} // namespace
} // namespace sim

// For the host.

SIM_API void sim_memory_seed(uintptr_t model, uint64_t seed) { sim::memory_of(model).random.seed(seed); }

SIM_API int sim_memory_read(uintptr_t model, int number, uint64_t address, uint8_t *out, uint64_t bytes) {
    sim::Space &space = sim::memory_of(model).spaces[number];
    if (bytes != 0 && space.outside(address, bytes)) return 0;
    while (bytes > 0) {
        const uint64_t at = address & (sim::page_bytes - 1), n = std::min(bytes, sim::page_bytes - at);
        if (const sim::Page *page = space.page(address)) std::memcpy(out, page->data() + at, n);
        else std::memset(out, 0, n);
        address += n;
        out += n;
        bytes -= n;
    }
    return 1;
}

SIM_API int sim_memory_write(uintptr_t model, int number, uint64_t address, const uint8_t *in, uint64_t bytes) {
    sim::Space &space = sim::memory_of(model).spaces[number];
    if (bytes != 0 && space.outside(address, bytes)) return 0;
    while (bytes > 0) {
        const uint64_t at = address & (sim::page_bytes - 1), n = std::min(bytes, sim::page_bytes - at);
        std::memcpy(space.page_to_write(address).data() + at, in, n);
        address += n;
        in += n;
        bytes -= n;
    }
    return 1;
}

// sim_memory_written is the end of the block of an address if the hardware has
// written there, else 0.
SIM_API uint64_t sim_memory_written(uintptr_t model, int number, uint64_t address) {
    const sim::Page *page = sim::memory_of(model).spaces[number].page(address);
    const uint64_t block = address >> sim::block_shift;
    if (page == nullptr || (page->written >> (block % (sim::page_bytes >> sim::block_shift)) & 1) == 0) return 0;
    return (block + 1) << sim::block_shift;
}

SIM_API void sim_memory_limit(uintptr_t model, int space, uint64_t bytes) {
    sim::memory_of(model).spaces[space].limit = bytes;
}

SIM_API void sim_memory_latency(uintptr_t model, int space, uint32_t cycles, uint32_t jitter) {
    sim::Space &s = sim::memory_of(model).spaces[space];
    s.latency = cycles;
    s.jitter = jitter;
}

SIM_API void sim_memory_stall(uintptr_t model, int space, uint32_t per_mille, uint32_t longest) {
    sim::Space &s = sim::memory_of(model).spaces[space];
    s.stall_per_mille = per_mille;
    s.longest_stall = std::max(longest, 1u);
}

SIM_API void sim_memory_error(uintptr_t model, int space, uint64_t from, uint64_t to, uint32_t kind) {
    auto &errors = sim::memory_of(model).spaces[space].errors;
    const bool everywhere = from == 0 && to == ~uint64_t{0};
    if (everywhere) errors.clear();
    if (!everywhere || kind != sim::memory_works) errors.push_back({from, to, static_cast<sim::MemoryError>(kind)});
}

// For the model.
extern "C" {

void *sim_axi_open(int number, int space, int writes) {
    sim::Memory &memory = sim::current->part<sim::Memory>(0);
    sim::Port &port = memory.ports[{number, writes != 0}];
    port.memory = &memory;
    port.space = &memory.spaces[space];
    return &port;
}

void sim_axi_reset(void *handle) {
    sim::Port &port = sim::port_of(handle);
    port.response = 0;
    port.unanswered = 0;
}

int sim_axi_delay(void *handle) {
    sim::Port &port = sim::port_of(handle);
    port.unanswered++;
    const uint32_t jitter = port.space->jitter;
    return static_cast<int>(port.space->latency + (jitter == 0 ? 0 : port.memory->random.below(jitter + 1)));
}

int sim_axi_pause(void *handle) {
    const sim::Port &port = sim::port_of(handle);
    const uint32_t per_mille = port.space->stall_per_mille;
    if (per_mille == 0 || port.memory->random.below(1000) >= per_mille) return 0;
    return static_cast<int>(1 + port.memory->random.below(port.space->longest_stall));
}

int sim_axi_silent(void *handle, uint64_t line, int beats) {
    const sim::Space &space = *sim::port_of(handle).space;
    if (space.errors.empty()) return 0;
    for (int i = 0; i < beats; i++)
        if (space.error_at(line + i * sim::line_bytes) == sim::memory_silent) return 1;
    return 0;
}

int sim_axi_read_beat(void *handle, uint64_t line, svBitVecVal *data, int last) {
    sim::Port &port = sim::port_of(handle);
    if (last) port.unanswered--;
    uint8_t *out = reinterpret_cast<uint8_t *>(data);
    const int response = port.space->response_at(line);
    if (response != 0) std::memset(out, 0xE5, sim::line_bytes);
    else if (const sim::Page *page = port.space->page(line))
        std::memcpy(out, page->data() + (line & (sim::page_bytes - 1)), sim::line_bytes);
    else std::memset(out, 0, sim::line_bytes);
    return response;
}

int sim_axi_write_beat(void *handle, uint64_t line, const svBitVecVal *data, const svBitVecVal *strobe_words, int last) {
    sim::Port &port = sim::port_of(handle);
    const int response = port.space->response_at(line);
    const uint64_t strobes = response != 0 ? 0 : strobe_words[0] | uint64_t{strobe_words[1]} << 32;
    port.space->put(line, reinterpret_cast<const uint8_t *>(data), strobes);
    port.response = std::max(port.response, response);
    const int so_far = port.response;
    if (last) port.response = 0;
    return so_far;
}

void sim_axi_commit(void *handle) { sim::port_of(handle).unanswered--; }

void sim_axi_violation(int number, const char *rule) {
    sim::current->fail("AXI port " + std::to_string(number) + ": " + rule);
}

} // extern "C"
