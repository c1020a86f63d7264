// The control processor for a test in Go: runs cycles until the processor wants
// something of the bus, halts or has executed enough, and keeps what it executed.
#include "Vcontrol_processor.h"
#include "Vcontrol_processor___024root.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#define API extern "C" __attribute__((visibility("default")))

// What the core retires, and its registers: of the vendor's the stand-in's.
#ifdef MICROBLAZE_V
#define CPU(name) rootp->control_processor__DOT__core__DOT__cpu__DOT__##name
#define RETIRED(name) CPU(name)
#else
#define CPU(name) rootp->control_processor__DOT__##name
#define RETIRED(name) name
#endif

namespace {

const char *stopped; // by the model

// Why a run ended; the test knows the same numbers.
enum Stop : int64_t { CYCLES, ACCESS, HALTED, FULL, BROKEN };

struct Retired {
    uint32_t pc, rd, value, cycle; // cycles since the reset
};

struct Access {
    uint32_t address, write, wdata, strobe;
};

struct Halt {
    uint32_t cause, pc, address, instruction;
};

struct Core {
    VerilatedContext context;
    std::unique_ptr<Vcontrol_processor> model;
    uint64_t noise; // on inputs that mean nothing
    uint64_t cycle = 0;

    Retired retired[4096];
    uint32_t count = 0;
    Access access{}; // present one
    Halt halt{};
    bool answered = false, open = false;
    uint32_t delay = 0, rdata = 0, error = 0;
    const char *broken = "";

    uint32_t random() {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(noise >> 32);
    }

    Access present() const {
        return {model->bus_address, model->bus_write, model->bus_wdata, model->bus_strobe};
    }

    // What follows from inputs in the same cycle.
    void settle() {
        Verilated::threadContextp(&context); // the test goes from thread to thread
        model->clk = 0;
        model->eval();
    }

    void edge() {
        model->clk = 1;
        model->eval();
        cycle++;
    }

    void clock() {
        settle();
        edge();
    }

    void reset() {
        model->rst = 1;
        model->bus_ready = random() & 1;
        model->bus_rdata = random();
        model->bus_error = random() & 1;
        uint32_t cycles = 1 + random() % 4;
        for (uint32_t i = 0; i < cycles; i++) clock();
        model->rst = 0;
        cycle = 0;
        count = 0;
        answered = open = false;
        broken = "";
        stopped = nullptr;
    }

    Stop run(uint64_t cycles) {
        for (; cycles > 0; cycles--) {
            if (count == sizeof retired / sizeof *retired) return FULL;
            if (model->halted) return quiet();
            if (model->bus_valid && !answered) {
                access = present();
                open = true;
                return ACCESS;
            }
            if (answered) {
                Access now = present();
                if (!model->bus_valid || std::memcmp(&now, &access, sizeof now) != 0) return fail("an access changed before it was answered");
            }
            model->bus_ready = answered && delay == 0;
            model->bus_rdata = model->bus_ready ? rdata : random();
            model->bus_error = model->bus_ready ? error : random() & 1;
            if (answered && delay-- == 0) answered = false;
            settle();
            if (model->RETIRED(retired)) {
                retired[count++] = {model->RETIRED(retired_pc), model->RETIRED(retired_rd), model->RETIRED(retired_value), static_cast<uint32_t>(cycle)};
            }
            edge();
            if (stopped) return fail(stopped);
        }
        return CYCLES;
    }

    // A halted core does nothing more.
    Stop quiet() {
        halt = {model->cause, model->trap_pc, model->trap_address, 0};
        for (int i = 0; i < 8; i++) {
            model->bus_ready = random() & 1;
            model->bus_rdata = random();
            model->bus_error = random() & 1;
            settle();
            if (model->RETIRED(retired) || model->bus_valid || !model->halted || model->cause != halt.cause || model->trap_pc != halt.pc || model->trap_address != halt.address)
                return fail("the halted core does something");
            edge();
            if (stopped) return fail(stopped);
        }
        settle();
        halt.instruction = model->trap_instruction;
        return HALTED;
    }

    Stop fail(const char *why) {
        broken = why;
        return BROKEN;
    }
};

Core &of(uintptr_t handle) { return *reinterpret_cast<Core *>(handle); }

} // namespace

#ifdef MICROBLAZE_V
void vl_stop(const char *, int line, const char *) {
    static std::string text;
    text = "the core behind the buses has seen a rule broken: line " + std::to_string(line);
    stopped = text.c_str();
}
#endif

API uintptr_t core_open(uint64_t seed, const char *firmware, const char *more) {
    auto core = new Core;
    core->noise = seed;
    core->context.randReset(2);
    core->context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    std::string plus = std::string("+firmware=") + firmware;
    const char *arguments[] = {"core", plus.c_str(), more};
    core->context.commandArgs(3, arguments);
    core->model = std::make_unique<Vcontrol_processor>(&core->context);
    core->model->clk = 0;
    core->reset();
    return reinterpret_cast<uintptr_t>(core);
}

API void core_close(uintptr_t handle) {
    Verilated::threadContextp(&of(handle).context);
    delete &of(handle);
    Verilated::threadContextp(Verilated::defaultContextp());
}
API void core_reset(uintptr_t handle) { of(handle).reset(); }
API int64_t core_run(uintptr_t handle, uint64_t cycles) { return of(handle).run(cycles); }
API uint64_t core_cycle(uintptr_t handle) { return of(handle).cycle; }

API void core_answer(uintptr_t handle, uint32_t delay, uint32_t rdata, uint32_t error) {
    Core &core = of(handle);
    core.answered = true;
    core.delay = delay;
    core.rdata = rdata;
    core.error = error;
}

// What was executed since the last call, in place until the next run.
API uintptr_t core_retired(uintptr_t handle) { return reinterpret_cast<uintptr_t>(of(handle).retired); }
API uint32_t core_take(uintptr_t handle) {
    uint32_t count = of(handle).count;
    of(handle).count = 0;
    return count;
}

API uintptr_t core_access(uintptr_t handle) { return reinterpret_cast<uintptr_t>(&of(handle).access); }
API uintptr_t core_halt(uintptr_t handle) { return reinterpret_cast<uintptr_t>(&of(handle).halt); }
API const char *core_broken(uintptr_t handle) { return of(handle).broken; }

API uintptr_t core_ram(uintptr_t handle) {
    return reinterpret_cast<uintptr_t>(&of(handle).model->rootp->control_processor__DOT__ram__DOT__memory[0]);
}

API uintptr_t core_registers(uintptr_t handle) {
    return reinterpret_cast<uintptr_t>(&of(handle).model->CPU(core__DOT__registers__DOT__values)[0]);
}
