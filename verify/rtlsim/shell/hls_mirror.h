// Allocations that pointers of a kernel lead to, as the kernel sees them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace sim {

// Mirror is the copy of an allocation.
class Mirror {
  public:
    const int space;
    const uint64_t address, bytes;

    Mirror(int space, uint64_t address, uint64_t bytes);

    bool holds(int in, uint64_t at) const { return in == space && at - address < bytes; }
    uint64_t pointer(uint64_t at) const { return reinterpret_cast<uintptr_t>(data()) + (at - address); }
    // read shows the kernel what is in the memory of a model.
    void read(uintptr_t model);
    // write writes what the kernel has changed. The result is what it has done
    // wrong, or empty.
    std::string write(uintptr_t model);

  private:
    // What stands before and behind, to see whether it is written to.
    static constexpr uint64_t margin = 4096;
    static constexpr uint8_t mark = 0xA5;

    uint8_t *data() const { return all.get() + margin; }

    std::unique_ptr<uint8_t, decltype(&std::free)> all; // with margins
    std::vector<uint8_t> seen;                          // what the kernel has been shown
};

} // namespace sim
