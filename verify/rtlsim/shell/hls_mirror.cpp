#include "hls_mirror.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "memory.h"

namespace sim {
namespace {

constexpr uint64_t page = 4096; // of host memory, and compared at once

std::string hex(uint64_t v) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llX", static_cast<unsigned long long>(v));
    return text;
}

} // namespace

Mirror::Mirror(int space, uint64_t address, uint64_t bytes)
    : space(space), address(address), bytes(bytes),
      all(static_cast<uint8_t *>(std::aligned_alloc(page, (bytes + 2 * margin + page - 1) / page * page)), std::free), seen(bytes) {
    if (!all) throw std::bad_alloc();
    std::memset(all.get(), mark, bytes + 2 * margin);
}

void Mirror::read(uintptr_t model) {
    sim_memory_read(model, space, address, data(), bytes);
    std::memcpy(seen.data(), data(), bytes);
}

std::string Mirror::write(uintptr_t model) {
    for (uint64_t i = 0; i < margin; i++) {
        if (data()[bytes + i] != mark) return "written outside of the memory: " + std::to_string(i) + " bytes behind " + hex(address + bytes) + ", where the allocation ends";
        if (all.get()[margin - 1 - i] != mark) return "written outside of the memory: " + std::to_string(i + 1) + " bytes before " + hex(address) + ", where the allocation begins";
    }
    for (uint64_t at = 0; at < bytes; at += page) {
        const auto end = std::min(at + page, bytes);
        if (std::memcmp(data() + at, seen.data() + at, end - at) == 0) continue;
        for (uint64_t i = at; i < end; i++) { // no other bytes: the engine may write to those beside them
            const auto from = i;
            while (i < end && data()[i] != seen[i]) i++;
            if (i > from) sim_memory_write(model, space, address + from, data() + from, i - from);
        }
        std::memcpy(seen.data() + at, data() + at, end - at);
    }
    return "";
}

} // namespace sim
