#include "host.h"

#include <algorithm>
#include <cstring>

#include "svdpi.h"

using sim::Calls;
using sim::Control;
using sim::current;
using sim::Kernel;
using sim::Model;
using sim::Probe;

bool Probe::busy() const { return !asleep || current == nullptr || current->cycle - since < settled; }

// Calls.

extern "C" svBit sim_calls_word(int id, uint32_t *word) {
    auto &calls = current->part<Calls>(id);
    if (calls.words.empty()) return 0;
    *word = calls.words.front();
    calls.words.pop_front();
    return 1;
}

extern "C" void sim_calls_answer(int id, uint32_t answer) {
    auto &calls = current->part<Calls>(id);
    calls.answers.push_back(answer);
    current->attention = true;
}

// sim_calls_place gives an engine a call.
SIM_API void sim_calls_place(uintptr_t model, int id, const uint32_t *words, uint64_t count) {
    auto &calls = Model::of(model).part<Calls>(id);
    calls.words.insert(calls.words.end(), words, words + count);
}

// sim_calls_take takes the next answer; the result is 0 if there is none.
SIM_API int sim_calls_take(uintptr_t model, int id, uint32_t *answer) {
    auto &calls = Model::of(model).part<Calls>(id);
    if (calls.answers.empty()) return 0;
    *answer = calls.answers.front();
    calls.answers.pop_front();
    return 1;
}

// Control ports.

extern "C" void sim_axil_next(int id, svBit *read, svBit *write, uint32_t *address, uint32_t *data) {
    auto &port = current->part<Control>(id);
    *read = *write = 0;
    *address = *data = 0;
    if (port.accesses.empty() || current->cycle < port.next) return;
    const auto access = port.awaits = port.accesses.front();
    port.accesses.pop_front();
    port.running = true;
    (access.write ? *write : *read) = 1;
    *address = access.address;
    *data = access.data;
}

extern "C" void sim_axil_done(int id, uint32_t data, int response) {
    auto &port = current->part<Control>(id);
    port.running = false;
    if (response == 0 && port.awaits.until != 0 && (data & port.awaits.until) == 0) {
        port.accesses.push_front(port.awaits);
        port.next = current->cycle + Control::pause;
        return;
    }
    port.results.push_back({data, response});
    current->attention = true;
}

// sim_axil_start begins an access. Those of a port end in order.
SIM_API void sim_axil_start(uintptr_t model, int id, int write, uint32_t address, uint32_t data) {
    Model::of(model).part<Control>(id).accesses.push_back({write != 0, address, data, 0});
}

// sim_axil_await reads a register until one of some bits is set, which is when this
// access ends.
SIM_API void sim_axil_await(uintptr_t model, int id, uint32_t address, uint32_t mask) {
    Model::of(model).part<Control>(id).accesses.push_back({false, address, 0, mask});
}

// sim_axil_cancel lets reads end that wait for bits.
SIM_API void sim_axil_cancel(uintptr_t model, int id) {
    auto &port = Model::of(model).part<Control>(id);
    port.awaits.until = 0;
    for (auto &access : port.accesses) access.until = 0;
}

// sim_axil_take takes the result of the oldest access that has ended; it is 0 if
// there is none.
SIM_API int sim_axil_take(uintptr_t model, int id, uint32_t *data, uint32_t *response) {
    auto &port = Model::of(model).part<Control>(id);
    if (port.results.empty()) return 0;
    *data = port.results.front().data;
    *response = static_cast<uint32_t>(port.results.front().response);
    port.results.pop_front();
    return 1;
}

// Kernel streams.

extern "C" svBit sim_kernel_take(int id, svBit valid, const svBitVecVal *data, const svBitVecVal *keep, svBit last, int tdest) {
    auto &kernel = current->part<Kernel>(id);
    if (valid) {
        Kernel::Beat beat;
        std::copy_n(data, beat.data.size(), beat.data.begin());
        beat.keep = static_cast<uint64_t>(keep[1]) << 32 | keep[0];
        beat.tdest = static_cast<uint32_t>(tdest);
        beat.last = last;
        if (kernel.out.empty()) current->attention = true;
        kernel.out.push_back(beat);
    }
    if (!kernel.in.empty() && kernel.pauses < Kernel::patience) kernel.pauses++;
    return kernel.out.size() < kernel.limit;
}

extern "C" svBit sim_kernel_give(int id, svBitVecVal *data, svBit *last, int *tdest) {
    auto &kernel = current->part<Kernel>(id);
    *last = 0;
    *tdest = 0;
    if (kernel.in.empty()) return 0;
    const auto &beat = kernel.in.front();
    std::copy(beat.data.begin(), beat.data.end(), data);
    *last = beat.last;
    *tdest = static_cast<int>(beat.tdest);
    kernel.in.pop_front();
    kernel.pauses = 0;
    return 1;
}

// sim_kernel_limit sets how many beats each stream holds on the host's side.
SIM_API void sim_kernel_limit(uintptr_t model, int id, uint64_t beats) { Model::of(model).part<Kernel>(id).limit = std::max<uint64_t>(beats, 1); }

// sim_kernel_push puts whole beats on the stream into the engine, the last of
// them with TLAST if the data end there; the result is how many found room.
SIM_API uint64_t sim_kernel_push(uintptr_t model, int id, uint32_t tdest, const uint8_t *data, uint64_t beats, int last) {
    auto &kernel = Model::of(model).part<Kernel>(id);
    const uint64_t n = std::min<uint64_t>(beats, kernel.limit - std::min(kernel.limit, kernel.in.size()));
    for (uint64_t i = 0; i < n; i++) {
        Kernel::Beat beat;
        std::memcpy(beat.data.data(), data + i * Kernel::beat_bytes, Kernel::beat_bytes);
        beat.keep = ~uint64_t{0};
        beat.tdest = tdest;
        beat.last = last && i == beats - 1;
        kernel.in.push_back(beat);
    }
    if (n > 0) kernel.pauses = 0;
    return n;
}

// sim_kernel_pull takes beats of one TDEST that the engine has put on its stream;
// the result is how many.
SIM_API uint64_t sim_kernel_pull(uintptr_t model, int id, uint8_t *data, uint64_t beats, uint32_t *tdest) {
    auto &kernel = Model::of(model).part<Kernel>(id);
    uint64_t n = 0;
    while (n < beats && !kernel.out.empty()) {
        const auto &beat = kernel.out.front();
        if (n > 0 && beat.tdest != *tdest) break;
        *tdest = beat.tdest;
        std::memcpy(data + n * Kernel::beat_bytes, beat.data.data(), Kernel::beat_bytes);
        kernel.out.pop_front();
        n++;
    }
    return n;
}

// Probes.

extern "C" void sim_probe_asleep(int id, svBit asleep) {
    auto &probe = current->part<Probe>(id);
    probe.asleep = asleep;
    probe.since = current->cycle;
}

extern "C" void sim_probe_halted(int id, uint32_t cause, uint32_t pc) {
    auto &probe = current->part<Probe>(id);
    if (probe.halted) return;
    probe.halted = true;
    probe.cause = cause;
    probe.pc = pc;
    current->attention = true;
}

extern "C" void sim_probe_trace(int id, uint32_t word) {
    auto &probe = current->part<Probe>(id);
    if (probe.trace.size() < Probe::enough) probe.trace.push_back(word);
}

extern "C" void sim_probe_issue(int id, const svBitVecVal *fields) {
    auto &probe = current->part<Probe>(id);
    if (probe.issues.size() >= Probe::enough) return;
    Probe::Issue issue;
    issue.cycle = current->cycle;
    std::copy_n(fields, issue.fields.size(), issue.fields.begin());
    probe.issues.push_back(issue);
}

extern "C" void sim_account_ended(int id, const svBitVecVal *counts) {
    auto &probe = current->part<Probe>(id);
    if (probe.accounts.size() >= Probe::enough_accounts) probe.accounts.pop_front();
    Probe::Account account{current->cycle, {}};
    std::copy_n(counts, account.counts.size(), account.counts.begin());
    probe.accounts.push_back(account);
}

// sim_account_take takes the account of the next call that has ended; the result is
// 0 if there is none.
SIM_API int sim_account_take(uintptr_t model, int id, uint64_t *ended, uint32_t *counts) {
    auto &probe = Model::of(model).part<Probe>(id);
    if (probe.accounts.empty()) return 0;
    *ended = probe.accounts.front().ended;
    std::copy(probe.accounts.front().counts.begin(), probe.accounts.front().counts.end(), counts);
    probe.accounts.pop_front();
    return 1;
}

// sim_probe_halt says why and where a processor has halted; the result is 0 if it
// has not.
SIM_API int sim_probe_halt(uintptr_t model, int id, uint32_t *cause, uint32_t *pc) {
    const auto &probe = Model::of(model).part<Probe>(id);
    *cause = probe.cause;
    *pc = probe.pc;
    return probe.halted;
}

// sim_probe_words takes words that firmware has traced; the result is how many.
SIM_API uint64_t sim_probe_words(uintptr_t model, int id, uint32_t *words, uint64_t count) {
    auto &probe = Model::of(model).part<Probe>(id);
    const auto n = std::min<uint64_t>(count, probe.trace.size());
    std::copy_n(probe.trace.begin(), n, words);
    probe.trace.erase(probe.trace.begin(), probe.trace.begin() + static_cast<std::ptrdiff_t>(n));
    return n;
}

// sim_probe_move takes the next move that an engine has issued; the result is 0
// if there is none.
SIM_API int sim_probe_move(uintptr_t model, int id, uint64_t *cycle, uint32_t *fields) {
    auto &probe = Model::of(model).part<Probe>(id);
    if (probe.issues.empty()) return 0;
    *cycle = probe.issues.front().cycle;
    std::copy(probe.issues.front().fields.begin(), probe.issues.front().fields.end(), fields);
    probe.issues.pop_front();
    return 1;
}
