// The Verilated platform behind a C API: a model runs many cycles at a call and
// stops early when the host has something to look at.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vplatform_top.h"
#include "host.h"
#include "memory.h"
#include "model.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

constexpr int reset_cycles = 20;
constexpr std::size_t max_printed = 1 << 16;

// Flags of sim_open.
constexpr uint32_t random_state = 1;

struct Platform : sim::Model {
    VerilatedContext context;
    std::unique_ptr<Vplatform_top> top;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> file;
    uint64_t trace_from = 0, trace_to = 0;
#endif

    // use makes the model the one of this thread.
    void use() {
        sim::current = this;
        Verilated::threadContextp(&context);
    }

    void half(int clk) {
        top->clk = clk;
        top->eval();
#if VM_TRACE
        if (file && cycle >= trace_from && cycle < trace_to) file->dump(2 * cycle + static_cast<uint64_t>(!clk));
#endif
        context.timeInc(1);
    }

    void step() {
        half(1);
        half(0);
        if (!top->rst)
            for (const auto &part : steps) part.second->step(*this);
        cycle++;
    }

    // status is what there is to look at.
    uint64_t status() const {
        uint64_t bits = error.empty() ? 0 : sim::status_failed;
        bool watched = false, busy = false;
        each([&](const sim::Part &part) {
            busy = busy || part.busy();
            watched = watched || dynamic_cast<const sim::Probe *>(&part) != nullptr;
            if (const auto *seen = dynamic_cast<const sim::HostPart *>(&part)) bits |= seen->status();
        });
        return bits | (watched && !busy ? sim::status_idle : 0);
    }
};

Platform &platform(uintptr_t handle) { return static_cast<Platform &>(sim::Model::of(handle)); }

void failure(const char *what, const char *file, int line, const char *message) {
    if (sim::current == nullptr) return;
    auto &model = *sim::current;
    model.fail(std::string(what) + " at " + (file ? file : "") + ":" + std::to_string(line) + (message ? std::string(": ") + message : "") +
                       (model.printed.empty() ? "" : "\n" + model.printed));
}

} // namespace

int sim_print(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (sim::current == nullptr) {
        std::fputs(text, stderr);
    } else if (auto &printed = sim::current->printed; printed.size() < max_printed) {
        printed += text;
    }
    return n;
}

void vl_finish(const char *file, int line, const char *) { failure("$finish", file, line, nullptr); }
void vl_stop(const char *file, int line, const char *) { failure("the model stops", file, line, nullptr); }
void vl_fatal(const char *file, int line, const char *, const char *message) { failure("the model fails", file, line, message); }


thread_local sim::Model *sim::current = nullptr;

// sim_open makes a model and resets it. Arguments are plusargs, one a line; the
// seed is that of registers that no reset sets.
SIM_API uintptr_t sim_open(const char *arguments, uint64_t seed, uint32_t flags) {
    auto *p = new Platform;
    p->use();
    std::vector<std::string> words{"platform_top"};
    for (const char *at = arguments; *at != 0;) {
        const char *end = std::strchr(at, '\n');
        const std::size_t n = end ? static_cast<std::size_t>(end - at) : std::strlen(at);
        words.emplace_back(at, n);
        at += n + (end ? 1 : 0);
    }
    p->arguments.assign(words.begin() + 1, words.end());
    std::vector<const char *> argv;
    for (const auto &word : words) argv.push_back(word.c_str());
    p->context.commandArgs(static_cast<int>(argv.size()), argv.data());
    sim_memory_seed(reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(p)), seed);
    p->context.randSeed(static_cast<int>(seed & 0x7FFFFFFF) + 1); // 0 would be the clock's
    p->context.randReset(flags & random_state ? 2 : 0);
#if VM_TRACE
    p->context.traceEverOn(true);
#endif
    p->top = std::make_unique<Vplatform_top>(&p->context);
    p->top->clk = 0;
    p->top->rst = 1;
    p->top->eval();
    for (int i = 0; i < reset_cycles; i++) p->step();
    p->top->rst = 0;
    p->cycle = 0;
    sim::current = nullptr;
    return reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(p));
}

SIM_API void sim_close(uintptr_t handle) {
    auto &p = platform(handle);
    p.use();
#if VM_TRACE
    if (p.file) p.file->close();
#endif
    p.top->final();
    sim::current = nullptr;
    delete &p;
}

// sim_run runs up to a number of cycles, and says how many there have been since
// power-up and what there is to look at.
SIM_API uint64_t sim_run(uintptr_t handle, uint64_t cycles, uint64_t *cycle) {
    auto &p = platform(handle);
    p.use();
    p.attention = false;
    for (uint64_t i = 0; i < cycles && p.error.empty() && !p.attention; i++) p.step();
    *cycle = p.cycle;
    const auto bits = p.status();
    sim::current = nullptr;
    return bits;
}

// sim_error copies why the model has failed, and returns the length.
SIM_API uint64_t sim_error(uintptr_t handle, char *text, uint64_t size) {
    const auto &error = sim::Model::of(handle).error;
    const auto n = std::min<uint64_t>(size, error.size());
    std::memcpy(text, error.data(), n);
    return n;
}

// sim_trace writes an FST file of a window of cycles: of what is in a scope of the
// hierarchy, empty for all, and some levels below it, 0 for all. The result is 0 if the model was built without. An empty name ends
// it.
SIM_API int sim_trace(uintptr_t handle, const char *name, const char *scope, int levels, uint64_t from, uint64_t to) {
#if VM_TRACE
    auto &p = platform(handle);
    p.use();
    if (p.file) {
        p.file->close();
        p.file.reset();
    }
    if (*name != 0) {
        p.file = std::make_unique<VerilatedFstC>();
        constexpr int all_levels = 99;
        p.top->trace(p.file.get(), all_levels);
        if (*scope != 0 || levels > 0) p.file->dumpvars(levels > 0 ? levels : all_levels, *scope != 0 ? scope : "TOP");
        p.file->open(name);
        p.trace_from = from;
        p.trace_to = to;
    }
    sim::current = nullptr;
    return 1;
#else
    (void)handle, (void)name, (void)scope, (void)levels, (void)from, (void)to;
    return 0;
#endif
}
