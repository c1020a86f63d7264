// The host's side of the simulation: calls, accesses to control ports, kernel
// streams, and what the probes of engines see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "model.h"

namespace sim {

// Status is what there is to look at, as sim_run answers it.
enum Status : uint64_t {
    status_idle = 1,      // nothing will happen before the host does something
    status_halted = 2,    // a processor has halted
    status_failed = 4,    // the model
    status_answered = 8,  // a call
    status_accessed = 16, // a control port
    status_sent = 32,     // beats to a user kernel
    status_packets = 64,  // or requests, of a network engine
    status_traced = 128,  // words of firmware
    status_issued = 256,  // moves
};

// HostPart is a part that the host has something to look at in.
struct HostPart : Part {
    virtual uint64_t status() const = 0;
};

// Calls are those that the host gives to an engine, word by word, and its answers.
struct Calls : HostPart {
    std::deque<uint32_t> words;
    std::deque<uint32_t> answers;

    bool busy() const override { return !words.empty(); }
    uint64_t status() const override { return answers.empty() ? 0 : status_answered; }
};

// Control is a control port and what the host does there, in order.
struct Control : HostPart {
    struct Access {
        bool write;
        uint32_t address, data;
        uint32_t until = 0; // read again, until one of these bits is set
    };
    struct Result {
        uint32_t data;
        int32_t response;
    };
    std::deque<Access> accesses;
    std::deque<Result> results;
    bool running = false;
    Access awaits{};   // what is being read again and again, if that waits for bits
    uint64_t next = 0; // cycle of the next attempt

    // Cycles between two attempts.
    static constexpr uint64_t pause = 16;

    bool busy() const override { return running || !accesses.empty(); }
    uint64_t status() const override { return results.empty() ? 0 : status_accessed; }
};

// Kernel is what the host does at the kernel streams of an engine.
struct Kernel : HostPart {
    static constexpr std::size_t beat_bytes = 64;
    struct Beat {
        std::array<uint32_t, beat_bytes / 4> data;
        uint64_t keep;
        uint32_t tdest;
        bool last;
    };
    std::deque<Beat> in, out; // into the engine, and out of it
    std::size_t limit = 1 << 20;
    uint32_t pauses = 0; // cycles in which the engine has not taken what is there

    // A stream that does not move keeps the model running for a while only.
    static constexpr uint32_t patience = 4096;

    bool busy() const override { return !in.empty() && pauses < patience; }
    uint64_t status() const override { return out.empty() ? 0 : status_sent; }
};

// Probe is what the host sees of an engine.
struct Probe : HostPart {
    static constexpr std::size_t enough = 1 << 16; // of traced words and of moves
    static constexpr std::size_t issue_words = 32;
    // settled is for how many cycles an engine has to sleep before nothing is on
    // its way any more outside of it.
    static constexpr uint64_t settled = 256;

    struct Issue {
        uint64_t cycle;
        std::array<uint32_t, issue_words> fields;
    };
    static constexpr std::size_t account_words = 17;

    // Account is what the cycles of a call went by with (sim_engine_account.sv).
    struct Account {
        uint64_t ended; // cycle
        std::array<uint32_t, account_words> counts;
    };
    std::deque<Account> accounts; // the latest
    static constexpr std::size_t enough_accounts = 64;

    bool asleep = false, halted = false;
    uint64_t since = 0; // cycle in which it fell asleep
    uint32_t cause = 0, pc = 0;
    std::deque<uint32_t> trace;
    std::deque<Issue> issues;

    bool busy() const override;
    uint64_t status() const override {
        return (halted ? status_halted : 0) | (trace.empty() ? 0 : status_traced) |
               (issues.empty() ? 0 : status_issued);
    }
};

} // namespace sim
