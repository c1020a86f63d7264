// The rules of packets that a plugin has to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "component.h"

namespace sim {

// Packets holds a plugin to the order of packets: each of its results is for a packet
// of every operand, and has the bytes that its conversion makes of those of the first
// one.
class Packets {
  public:
    // The ports of operands, and of results.
    Packets(std::vector<std::size_t> operands, std::size_t result);
    // Of so many bytes of the first operand a TDEST makes so many bytes.
    void ratio(uint32_t tdest, uint32_t from, uint32_t to) { ratios.push_back({tdest, from, to}); }

    const std::vector<std::size_t> operands;
    const std::size_t result;

    // A beat of an operand.
    void given(std::size_t port, const cclo_beat &beat);
    // Results were written when so many beats of each operand had been read.
    void written(uint64_t results, const std::vector<uint64_t> &read);
    // The result is what is wrong with the next beat of results, or empty.
    std::string taken(const cclo_beat &beat);

  private:
    struct Packet {
        uint64_t first, end; // beats; end is 0 while it is open
        uint64_t bytes;
        uint32_t tdest;
        bool complete(uint64_t read) const { return end != 0 && end <= read; }
    };
    struct Stream {
        uint64_t beats = 0;
        bool open = false;
        std::deque<Packet> packets; // from that of the next result on
    };
    struct Ratio {
        uint32_t tdest, from, to;
    };
    uint64_t expected(const Packet &packet) const;

    std::vector<Stream> streams; // of operands
    std::vector<Ratio> ratios;
    std::deque<std::vector<uint64_t>> reads; // when the next results were written
    uint64_t number = 1;                     // of the result's packet
    uint64_t bytes = 0;                      // of it, so far
};

} // namespace sim
