// What the parts of the shell share: the model that they belong to.
//
// A part is the C++ side of one simulation module. It is made when its module or
// the host first asks for it, and belongs to one model. DPI functions find it by
// sim::current, functions of the C API by the model's handle.
#pragma once

#include <cstdint>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define SIM_API extern "C" __attribute__((visibility("default")))

namespace sim {

class Model;

// Part is the C++ side of a simulation module.
struct Part {
    virtual ~Part() = default;
    // step is called after each cycle, if the part is among the model's steps.
    virtual void step(Model &) {}
    // busy says that the part will do something in a cycle to come, so that the
    // model has to run.
    virtual bool busy() const { return false; }
};

// kind_of numbers the kinds of parts: DPI functions look for theirs in each cycle.
inline std::atomic<std::size_t> kinds{0};
template <class T> std::size_t kind_of() {
    static const std::size_t kind = kinds++;
    return kind;
}

// Model is what all simulation models have in common.
class Model {
  public:
    virtual ~Model() = default;

    static Model &of(uintptr_t handle) { return *reinterpret_cast<Model *>(handle); }

    // part finds the part of a kind with a number, and makes it if it is missing.
    template <class T> T &part(int id) {
        const auto kind = kind_of<T>(), number = static_cast<std::size_t>(id);
        if (kind >= parts.size()) parts.resize(kind + 1);
        if (number >= parts[kind].size()) parts[kind].resize(number + 1);
        auto &slot = parts[kind][number];
        if (!slot) slot = std::make_unique<T>();
        return static_cast<T &>(*slot);
    }

    // fail ends the run with an error: the first one is kept.
    void fail(const std::string &text) {
        if (error.empty()) error = text;
        attention = true;
    }

    uint64_t cycle = 0;     // since power-up
    bool attention = false; // what the host waits for is there: end the run
    std::string error;      // what has failed, or empty
    std::string printed;    // what the model has said

    std::map<int, Part *> steps;        // after each cycle, in order
    std::vector<std::string> arguments; // plusargs

    // argument is what comes after a plusarg's name and '=', or empty.
    std::string argument(const std::string &name) const {
        const auto start = "+" + name + "=";
        for (const auto &a : arguments)
            if (a.compare(0, start.size(), start) == 0) return a.substr(start.size());
        return "";
    }

  protected:
    // each visits the parts that there are.
    template <class F> void each(F visit) const {
        for (const auto &kind : parts)
            for (const auto &part : kind)
                if (part) visit(*part);
    }

  private:
    std::vector<std::vector<std::unique_ptr<Part>>> parts; // by kind and number
};

// current is the model that is evaluated in this thread.
extern thread_local Model *current;

} // namespace sim
