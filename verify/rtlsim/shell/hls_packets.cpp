#include "hls_packets.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace sim {
namespace {

uint64_t kept(uint64_t keep) { return static_cast<uint64_t>(__builtin_popcountll(keep)); }

std::string hex(uint64_t v) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(v));
    return text;
}

} // namespace

Packets::Packets(std::vector<std::size_t> operands, std::size_t result)
    : operands(std::move(operands)), result(result), streams(this->operands.size()) {}

void Packets::given(std::size_t port, const cclo_beat &beat) {
    const auto at = std::find(operands.begin(), operands.end(), port);
    if (at == operands.end()) return;
    auto &s = streams[static_cast<std::size_t>(at - operands.begin())];
    if (!s.open) s.packets.push_back({s.beats, 0, 0, beat.dest});
    s.open = beat.last == 0;
    s.beats++;
    auto &packet = s.packets.back();
    packet.bytes += kept(beat.keep);
    if (!s.open) packet.end = s.beats;
}

void Packets::written(uint64_t results, const std::vector<uint64_t> &read) { reads.insert(reads.end(), results, read); }

// expected is how many bytes the results of a packet have; 0 if that is not known.
uint64_t Packets::expected(const Packet &packet) const {
    for (const auto &r : ratios)
        if (r.tdest == packet.tdest) return packet.bytes % r.from == 0 ? packet.bytes / r.from * r.to : 0;
    return packet.bytes;
}

std::string Packets::taken(const cclo_beat &beat) {
    const auto read = reads.front();
    reads.pop_front();
    for (std::size_t i = 0; i < streams.size(); i++)
        if (streams[i].packets.empty() || streams[i].packets.front().first >= read[i])
            return "it is ahead: operand " + std::to_string(i) + " of packet " + std::to_string(number) + " has not been read";
    if (beat.keep == 0) return "TKEEP is 0";
    if ((beat.keep & (beat.keep + 1)) != 0) return "TKEEP " + hex(beat.keep) + " has holes";
    if (beat.last == 0 && ~beat.keep != 0) return "TKEEP " + hex(beat.keep) + " ends a packet, TLAST does not";
    bytes += kept(beat.keep);
    const auto &lead = streams.front().packets.front();
    for (std::size_t i = 0; i < streams.size(); i++)
        if (beat.last != 0 && !streams[i].packets.front().complete(read[i]))
            return "TLAST comes before that of operand " + std::to_string(i);
    if (const auto want = expected(lead); lead.complete(read[0]) && want != 0) {
        const auto text = std::to_string(bytes) + " bytes, the results of its packet have " + std::to_string(want);
        if (beat.last == 0 && bytes >= want) return "TLAST is missing after " + text;
        if (beat.last != 0 && bytes != want) return "TLAST comes after " + text;
    }
    if (beat.last != 0) {
        number++;
        bytes = 0;
        for (auto &s : streams) s.packets.pop_front();
    }
    return "";
}

} // namespace sim
