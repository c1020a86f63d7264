// A kernel as a component of a simulation: the C++ side of component.h. For tests
// only.
//
// A glue file defines a class derived from cclo_sim::Component that has the kernel's
// streams, names them as its ports in the order of the table of ports, and calls the
// kernel's top function:
//
//     struct Kernel : cclo_sim::Component {
//         hls::stream<ap_axiu<512, 0, 0, 8>> in; hls::stream<ap_axiu<512, 0, 0, 8>> out;
//         Kernel() { input(in, "in"); output(out, "out"); }
//         void call(const uint64_t *) override { loopback(in, out); }
//     };
//     const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};
//     CCLO_COMPONENT_WITHOUT_ARGUMENTS(Kernel, "loopback", 1, ports)
//
// component.cpp is compiled beside it. The kernel runs on a stack of its own of
// cclo_sim::stack_bytes and may be continued by another thread than before: it must
// not keep the address of a thread_local variable. What it throws, it dies of.
#ifndef CCLO_COMPONENT_HPP
#define CCLO_COMPONENT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include "component.h"
#pragma GCC visibility pop

#include "ap_axi_sdata.h"
#include "ap_int.h"
#include "ap_utils.h"
#include "hls_stream.h"

namespace cclo_sim {

constexpr std::size_t stack_bytes = std::size_t(8) << 20; // addresses; memory is what of it is used
// Looks at streams, without anything moving, after which a kernel polls.
constexpr unsigned patience = 64;

// How an element of a stream travels as a beat.
template <class T> struct Plain {
    static constexpr int width = bits_of<T>::value, dest_bits = 0;
    static_assert(width <= 512, "a port has up to 512 bits");

    static void from_beat(T &x, const cclo_beat &beat) { set_bytes(x, beat.data); }
    static void to_beat(cclo_beat &beat, const T &x) {
        beat.keep = low_mask((width + 7) / 8);
        get_bytes(beat.data, x);
    }

    template <int W, bool S> static void set_bytes(ap_int_base<W, S> &x, const uint8_t *bytes) {
        uint64_t w[ap_int_base<W, S>::words];
        std::memcpy(w, bytes, sizeof(w));
        x.load(w);
    }
    template <int W, bool S> static void get_bytes(uint8_t *bytes, const ap_int_base<W, S> &x) {
        for (int i = 0; i < x.words; i++) {
            const uint64_t w = x.limb_unsigned(i);
            std::memcpy(bytes + i * 8, &w, 8);
        }
    }
    template <class D> static std::enable_if_t<!shape_t<D>::own> set_bytes(D &x, const uint8_t *bytes) {
        std::memcpy(static_cast<void *>(&x), bytes, sizeof(x));
    }
    template <class D> static std::enable_if_t<!shape_t<D>::own> get_bytes(uint8_t *bytes, const D &x) {
        std::memcpy(bytes, static_cast<const void *>(&x), sizeof(x));
    }
};

template <class T> struct Beats : Plain<T> {};

template <class T, std::size_t U, std::size_t I, std::size_t D, uint8_t E, bool S>
struct Beats<hls::axis<T, U, I, D, E, S>> {
    using Axis = hls::axis<T, U, I, D, E, S>;
    static constexpr int width = bits_of<T>::value, dest_bits = int(D);

    static void from_beat(Axis &x, const cclo_beat &beat) {
        Plain<T>::set_bytes(x.data, beat.data);
        x.keep = beat.keep;
        x.strb = beat.keep;
        x.last = beat.last;
        x.dest = beat.dest;
        x.user = 0;
        x.id = 0;
    }
    static void to_beat(cclo_beat &beat, const Axis &x) {
        Plain<T>::get_bytes(beat.data, x.data);
        beat.keep = number(x.keep, low_mask(Axis::bytes));
        beat.last = uint32_t(number(x.last, 1));
        beat.dest = uint32_t(number(x.dest, 0));
    }

  private:
    static uint64_t number(const absent &, uint64_t otherwise) { return otherwise; }
    template <int W> static uint64_t number(const ap_uint<W> &x, uint64_t) { return x.to_uint64(); }
};

class Component {
  public:
    Component();
    Component(const Component &) = delete;
    Component &operator=(const Component &) = delete;
    virtual ~Component();

    virtual void call(const uint64_t *arguments) = 0;

    // The functions of component.h.
    void open(uint32_t depth);
    void close(); // lets the kernel's variables be destroyed
    uint32_t put(uint32_t port, const cclo_beat *beats, uint32_t n);
    uint32_t get(uint32_t port, cclo_beat *beats, uint32_t n);
    uint32_t count(uint32_t port) const;
    uint64_t moved(uint32_t port) const;
    bool start(const uint64_t *arguments);
    void run(cclo_state *state);

    // Something that the kernel does without moving a beat.
    void look();

  protected:
    template <class T> void input(hls::stream<T> &stream, const char *name) { add(stream, name, false); }
    template <class T> void output(hls::stream<T> &stream, const char *name) { add(stream, name, true); }

  private:
    struct Port : Gate {
        Port(Component *owner, std::string name, bool output, int width, int dest_bits, int index)
            : owner(owner), name(std::move(name)), output(output), width(width), dest_bits(dest_bits), index(index) {}
        virtual ~Port() = default;

        void wait() override;
        void look() override { owner->look(); }
        void moved() override {
            beats++;
            owner->looks_ = 0;
        }
        bool gone() override;
        void side(bool writes) override {
            if (__builtin_expect(writes != output, 0))
                wrong_side();
        }
        [[noreturn]] void wrong_side() const;

        virtual uint32_t held() const = 0;
        virtual uint32_t put(const cclo_beat *beats, uint32_t n) = 0;
        virtual uint32_t get(cclo_beat *beats, uint32_t n) = 0;

        Component *owner;
        std::string name;
        bool output;
        int width, dest_bits, index;
        uint64_t beats = 0;
    };

    template <class T> struct PortOf final : Port {
        PortOf(Component *owner, hls::stream<T> &stream, const char *name, bool output, int index)
            : Port(owner, name, output, Beats<T>::width, Beats<T>::dest_bits, index), queue(stream.queue()) {
            stream.attach(this, name);
        }
        uint32_t held() const override { return uint32_t(queue.size()); }
        uint32_t put(const cclo_beat *beats, uint32_t n) override {
            uint32_t done = 0;
            for (; done < n && queue.size() < depth; done++)
                Beats<T>::from_beat(queue.push(), beats[done]);
            return done;
        }
        uint32_t get(cclo_beat *beats, uint32_t n) override {
            uint32_t done = 0;
            for (; done < n && queue.size() > 0; done++) {
                std::memset(&beats[done], 0, sizeof(cclo_beat));
                Beats<T>::to_beat(beats[done], queue.front());
                queue.pop();
            }
            return done;
        }

        Queue<T> &queue;
    };

    template <class T> void add(hls::stream<T> &stream, const char *name, bool output) {
        ports_.push_back(std::make_unique<PortOf<T>>(this, stream, name, output, int(ports_.size())));
    }

    struct Stack;
    static void enter(unsigned upper, unsigned lower);
    void body();
    void yield(cclo_doing doing, int port);
    [[noreturn]] void leave();
    bool can_run() const;
    void check_ports();
    uint64_t all_moved() const;
    std::string progress() const;

    std::vector<std::unique_ptr<Port>> ports_;
    std::unique_ptr<Stack> stack_;
    std::vector<uint64_t> arguments_;
    std::string text_;
    cclo_doing doing_ = cclo_idle;
    int port_ = -1;
    uint64_t calls_ = 0;
    unsigned looks_ = 0;    // since the last beat that moved
    unsigned refusals_ = 0; // to end, while the component is closed
    bool called_ = false, closing_ = false;
};

// What the library holds.
struct Description {
    const char *kernel;
    uint32_t free_running;
    const cclo_port *ports;
    uint32_t port_count;
    const cclo_argument *arguments;
    uint32_t argument_count;
    Component *(*make)();
};
const Description &description() __attribute__((weak)); // not there in a program without a component

} // namespace cclo_sim

#define CCLO_SIM_COMPONENT(KERNEL, NAME, FREE, PORTS, ARGUMENTS, ARGUMENT_COUNT)                                       \
    const cclo_sim::Description &cclo_sim::description() {                                                             \
        static const cclo_sim::Description d = {                                                                       \
            NAME,                                                                                                      \
            FREE,                                                                                                      \
            PORTS,                                                                                                     \
            uint32_t(sizeof(PORTS) / sizeof(PORTS[0])),                                                                \
            ARGUMENTS,                                                                                                 \
            ARGUMENT_COUNT,                                                                                            \
            []() -> cclo_sim::Component * { return new KERNEL(); }};                                                   \
        return d;                                                                                                      \
    }

// The class, the kernel's name, 1 if it runs freely, the table of ports, that of
// arguments.
#define CCLO_COMPONENT(KERNEL, NAME, FREE, PORTS, ARGUMENTS)                                                           \
    CCLO_SIM_COMPONENT(KERNEL, NAME, FREE, PORTS, ARGUMENTS, uint32_t(sizeof(ARGUMENTS) / sizeof(ARGUMENTS[0])))
#define CCLO_COMPONENT_WITHOUT_ARGUMENTS(KERNEL, NAME, FREE, PORTS)                                                    \
    CCLO_SIM_COMPONENT(KERNEL, NAME, FREE, PORTS, nullptr, 0)

#endif
