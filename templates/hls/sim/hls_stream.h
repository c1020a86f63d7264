// Stand-in for the vendor's header of the same name, for tests only:
// hls::stream<T> and hls::stream<T, DEPTH> with read, write, >>, <<, read_nb, write_nb,
// empty, full, size and capacity.
//
// A stream is unbounded, whatever its DEPTH, unless it is a port of a component
// (component.hpp): such a one holds as many elements as the component says, and a read
// or write that cannot be done yet waits. Reading any other stream that is empty can
// never be done: it throws cclo_sim::error with the stream's name.
#ifndef CCLO_SIM_HLS_STREAM_H
#define CCLO_SIM_HLS_STREAM_H

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cclo_error.hpp"

namespace cclo_sim {

// What is between a stream that is a port and the simulation.
struct Gate {
    virtual void wait() = 0;   // comes back when something may have changed
    virtual void look() = 0;   // the kernel has looked without moving anything
    virtual void moved() = 0;  // the kernel has read or written an element
    virtual bool gone() = 0;   // the component is being closed: nothing will change any more
    virtual void side(bool writes) = 0; // fails if the kernel may not do that here

    std::size_t depth = 0;

  protected:
    ~Gate() = default;
};

// Tells the component that is running, if there is one, that its kernel looks at an
// empty stream which is no port.
using Look = void (*)();
inline Look &inner_look() {
    static Look function = nullptr;
    return function;
}

// Elements in the order in which they came.
template <class T> class Queue {
  public:
    std::size_t size() const { return count; }
    T &front() { return slots[first]; }
    // A new last element, with any value.
    T &push() {
        if (count == slots.size())
            grow();
        return slots[(first + count++) & (slots.size() - 1)];
    }
    void pop() {
        first = (first + 1) & (slots.size() - 1);
        count--;
    }

  private:
    void grow() {
        std::vector<T> larger(slots.empty() ? 4 : slots.size() * 2);
        for (std::size_t i = 0; i < count; i++)
            larger[i] = std::move(slots[(first + i) & (slots.size() - 1)]);
        slots.swap(larger);
        first = 0;
    }

    std::vector<T> slots; // a power of two of them
    std::size_t first = 0, count = 0;
};

} // namespace cclo_sim

namespace hls {

template <class T, int DEPTH = 0> class stream;

template <class T> class stream<T, 0> {
  public:
    using value_type = T;

    stream() = default;
    stream(const char *name) : name_(name ? name : "") {}
    stream(const std::string &name) : name_(name) {}
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;

    void set_name(const char *name) { name_ = name ? name : ""; }
    const char *get_name() const { return name_.c_str(); }

    void read(T &x) {
        if (gate_)
            gate_->side(false);
        while (__builtin_expect(queue_.size() == 0, 0)) {
            if (!gate_)
                cclo_sim::fail("a read of " + described() + ", which is empty, after " + std::to_string(reads_) +
                               " elements");
            if (gate_->gone())
                return;
            gate_->wait();
        }
        take(x);
    }
    T read() {
        T x = T();
        read(x);
        return x;
    }
    void operator>>(T &x) { read(x); }

    void write(const T &x) {
        if (gate_) {
            gate_->side(true);
            while (__builtin_expect(queue_.size() >= gate_->depth, 0)) {
                if (gate_->gone())
                    return;
                gate_->wait();
            }
        }
        give(x);
    }
    void operator<<(const T &x) { write(x); }

    bool read_nb(T &x) {
        if (gate_)
            gate_->side(false);
        if (queue_.size() == 0) {
            look();
            if (queue_.size() == 0)
                return false;
        }
        take(x);
        return true;
    }
    bool write_nb(const T &x) {
        if (gate_) {
            gate_->side(true);
            if (queue_.size() >= gate_->depth) {
                look();
                if (queue_.size() >= gate_->depth)
                    return false;
            }
        }
        give(x);
        return true;
    }

    bool empty() const {
        look();
        return queue_.size() == 0;
    }
    bool full() const {
        if (gate_)
            gate_->look();
        return gate_ && queue_.size() >= gate_->depth;
    }
    unsigned size() const {
        look();
        return unsigned(queue_.size());
    }
    unsigned capacity() const { return gate_ ? unsigned(gate_->depth) : unsigned(INT_MAX); }

    // For component.hpp: the stream as a port.
    void attach(cclo_sim::Gate *gate, const char *name) {
        gate_ = gate;
        name_ = name;
    }
    cclo_sim::Queue<T> &queue() { return queue_; }

  private:
    void take(T &x) {
        x = queue_.front();
        queue_.pop();
        reads_++;
        if (gate_)
            gate_->moved();
    }
    void give(const T &x) {
        queue_.push() = x;
        if (gate_)
            gate_->moved();
    }
    void look() const {
        if (gate_)
            gate_->look();
        else if (queue_.size() == 0 && cclo_sim::inner_look())
            cclo_sim::inner_look()();
    }
    std::string described() const { return name_.empty() ? "a stream without a name" : "the stream \"" + name_ + "\""; }

    std::string name_;
    cclo_sim::Queue<T> queue_;
    cclo_sim::Gate *gate_ = nullptr;
    uint64_t reads_ = 0;
};

template <class T, int DEPTH> class stream : public stream<T, 0> {
  public:
    stream() = default;
    stream(const char *name) : stream<T, 0>(name) {}
    stream(const std::string &name) : stream<T, 0>(name) {}
};

} // namespace hls

#endif
