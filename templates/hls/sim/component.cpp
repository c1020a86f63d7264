// The runtime behind component.h: a kernel as a coroutine that stops where it waits for
// its ports. For tests only. See component.hpp.
#include "component.hpp"

#include <cxxabi.h>
#include <exception>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace cclo_sim {

namespace {

// Thrown through a kernel that is being closed.
struct closed {};

// Set while a component runs; asked for anew each time, because a kernel may be
// continued by another thread.
thread_local Component *running = nullptr;
__attribute__((noipa)) Component *current() { return running; }
__attribute__((noipa)) void set_current(Component *component) { running = component; }

void inner() {
    if (Component *component = current())
        component->look();
}
[[maybe_unused]] const bool told = (inner_look() = inner, true);

std::string from(const char *what) { return std::string("kernel ") + description().kernel + ": " + what; }

} // namespace

// What the C++ library knows of exceptions under way belongs to a thread; a kernel takes
// its own along. The layout is that of the Itanium C++ ABI.
struct Exceptions {
    void *caught = nullptr;
    unsigned uncaught = 0;

    void exchange() { std::swap(*this, *reinterpret_cast<Exceptions *>(abi::__cxa_get_globals())); }
};

// A kernel that goes on however often it is told to end is left where it is.
constexpr unsigned stubborn = 1000;

// The kernel's stack, with a page below that nobody may touch.
struct Component::Stack {
    Stack() {
        guard = std::size_t(sysconf(_SC_PAGESIZE));
        void *at = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (at == MAP_FAILED)
            fail("no memory for a stack of " + std::to_string(stack_bytes) + " bytes");
        memory = static_cast<char *>(at);
        mprotect(memory, guard, PROT_NONE);
    }
    ~Stack() { munmap(memory, guard + stack_bytes); }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;

    char *bottom() const { return memory + guard; }

    // The sanitizer has to know on which stack we are.
    void leaves_thread() {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(&thread_fake, bottom(), stack_bytes);
#endif
    }
    void back_on_thread() {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(thread_fake, nullptr, nullptr);
#endif
    }
    void leaves_kernel([[maybe_unused]] bool for_ever) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &kernel_fake, thread_bottom, thread_bytes);
#endif
    }
    void back_in_kernel() {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(kernel_fake, &thread_bottom, &thread_bytes);
#endif
    }

    char *memory = nullptr;
    std::size_t guard = 0;
    ucontext_t kernel, thread;
    Exceptions exceptions;
    bool ended = false;
#ifdef __SANITIZE_ADDRESS__
    void *thread_fake = nullptr, *kernel_fake = nullptr;
    const void *thread_bottom = nullptr;
    std::size_t thread_bytes = 0;
#endif
};

Component::Component() = default;
Component::~Component() = default;

void Component::open(uint32_t depth) {
    for (auto &port : ports_)
        port->depth = depth < 1 ? 1 : depth;
    check_ports();
}

// The glue's two lists of ports have to say the same.
void Component::check_ports() {
    const Description &d = description();
    std::string wrong;
    if (ports_.size() != d.port_count)
        wrong = std::to_string(ports_.size()) + " streams for " + std::to_string(d.port_count) + " ports";
    for (std::size_t i = 0; wrong.empty() && i < ports_.size(); i++) {
        const Port &p = *ports_[i];
        const cclo_port &expected = d.ports[i];
        const auto is = [](const std::string &name, bool output, int width, int dest) {
            return (output ? "output " : "input ") + name + " of " + std::to_string(width) + " bits and " +
                   std::to_string(dest) + " bits of dest";
        };
        const std::string have = is(p.name, p.output, p.width, p.dest_bits);
        const std::string want =
            is(expected.name, expected.output != 0, int(expected.width), int(expected.dest_bits));
        if (have != want)
            wrong = "port " + std::to_string(i) + " is an " + have + ", expected an " + want;
    }
    if (!wrong.empty()) {
        doing_ = cclo_failed;
        text_ = from(wrong.c_str());
    }
}

uint32_t Component::put(uint32_t port, const cclo_beat *beats, uint32_t n) {
    return port < ports_.size() && !ports_[port]->output ? ports_[port]->put(beats, n) : 0;
}

uint32_t Component::get(uint32_t port, cclo_beat *beats, uint32_t n) {
    return port < ports_.size() && ports_[port]->output ? ports_[port]->get(beats, n) : 0;
}

uint32_t Component::count(uint32_t port) const {
    if (port >= ports_.size())
        return 0;
    const Port &p = *ports_[port];
    return p.output ? p.held() : uint32_t(p.depth) - p.held();
}

uint64_t Component::moved(uint32_t port) const { return port < ports_.size() ? ports_[port]->beats : 0; }

uint64_t Component::all_moved() const {
    uint64_t sum = 0;
    for (const auto &port : ports_)
        sum += port->beats;
    return sum;
}

std::string Component::progress() const {
    std::string text;
    for (const auto &port : ports_)
        text += (text.empty() ? "" : ", ") + std::to_string(port->beats) + (port->output ? " written to " : " read from ") +
                port->name;
    return text.empty() ? "" : " (beats: " + text + ")";
}

bool Component::start(const uint64_t *arguments) {
    const Description &d = description();
    if (d.free_running || called_ || doing_ == cclo_failed)
        return false;
    arguments_.assign(arguments, arguments + (arguments ? d.argument_count : 0));
    arguments_.resize(d.argument_count);
    called_ = true;
    return true;
}

// Whether the kernel would do anything else than before.
bool Component::can_run() const {
    if (doing_ == cclo_failed || !(called_ || description().free_running))
        return false;
    if (closing_ || port_ < 0)
        return true;
    const Port &p = *ports_[port_];
    return p.output ? p.held() < p.depth : p.held() > 0;
}

void Component::run(cclo_state *state) {
    if (can_run()) {
        if (!stack_) {
            stack_ = std::make_unique<Stack>();
            getcontext(&stack_->kernel);
            stack_->kernel.uc_stack.ss_sp = stack_->bottom();
            stack_->kernel.uc_stack.ss_size = stack_bytes;
            stack_->kernel.uc_link = nullptr;
            const uintptr_t self = reinterpret_cast<uintptr_t>(this);
            makecontext(&stack_->kernel, reinterpret_cast<void (*)()>(enter), 2, unsigned(self >> 32), unsigned(self));
        }
        looks_ = 0;
        Component *before = current();
        set_current(this);
        stack_->exceptions.exchange();
        stack_->leaves_thread();
        swapcontext(&stack_->thread, &stack_->kernel);
        stack_->back_on_thread();
        stack_->exceptions.exchange();
        set_current(before);
    }
    if (state) {
        state->doing = doing_;
        state->port = port_;
        state->calls = calls_;
        state->text = text_.c_str();
    }
}

void Component::close() {
    if (!stack_ || stack_->ended)
        return;
    closing_ = true;
    run(nullptr);
}

void Component::enter(unsigned upper, unsigned lower) {
    Component *self = reinterpret_cast<Component *>(uintptr_t(upper) << 32 | lower);
    self->stack_->back_in_kernel();
    self->body();
    self->leave();
}

// Ends the coroutine; nobody comes back.
void Component::leave() {
    stack_->ended = true;
    stack_->leaves_kernel(true);
    swapcontext(&stack_->kernel, &stack_->thread);
    std::terminate();
}

void Component::body() {
    try {
        if (description().free_running) {
            for (;;) {
                const uint64_t before = all_moved();
                const unsigned looked = looks_;
                call(nullptr);
                calls_++;
                // A kernel that only comes back must not keep us here for ever.
                if (all_moved() == before && looks_ == looked)
                    look();
            }
        }
        for (;;) {
            if (called_) {
                call(arguments_.data());
                calls_++;
                called_ = false;
            }
            yield(cclo_idle, -1);
        }
    } catch (const closed &) {
        doing_ = cclo_idle;
    } catch (const std::exception &e) {
        doing_ = cclo_failed;
        text_ = from(e.what()) + progress();
    } catch (...) {
        doing_ = cclo_failed;
        text_ = from("throws something that is not a std::exception") + progress();
    }
    port_ = -1;
}

void Component::yield(cclo_doing doing, int port) {
    if (current() != this)
        fail("a port is used outside of the kernel");
    doing_ = doing;
    port_ = port;
    looks_ = 0;
    if (!closing_) {
        stack_->leaves_kernel(false);
        swapcontext(&stack_->kernel, &stack_->thread);
        stack_->back_in_kernel();
    }
    if (!closing_)
        return;
    if (++refusals_ > stubborn)
        leave();
    // Destructors that wait for a port while we unwind must not throw again.
    if (std::uncaught_exceptions() == 0)
        throw closed();
}

void Component::look() {
    if (++looks_ >= patience)
        yield(cclo_polls, -1);
}

void Component::Port::wait() { owner->yield(output ? cclo_writes : cclo_reads, index); }

bool Component::Port::gone() {
    if (owner->closing_ && ++owner->refusals_ > stubborn)
        owner->leave();
    return owner->closing_ && std::uncaught_exceptions() > 0;
}

void Component::Port::wrong_side() const {
    fail(output ? "a read of " + name + ", which is an output" : "a write to " + name + ", which is an input");
}

} // namespace cclo_sim

using cclo_sim::Component;
using cclo_sim::description;

extern "C" {

uint32_t cclo_version(void) { return CCLO_COMPONENT_VERSION; }
const char *cclo_kernel(void) { return description().kernel; }
uint32_t cclo_free_running(void) { return description().free_running; }
uint32_t cclo_ports(const cclo_port **ports) {
    *ports = description().ports;
    return description().port_count;
}
uint32_t cclo_arguments(const cclo_argument **arguments) {
    *arguments = description().arguments;
    return description().argument_count;
}

void *cclo_open(uint32_t depth) {
    try {
        Component *component = description().make();
        component->open(depth);
        return component;
    } catch (...) { // no memory
        return nullptr;
    }
}
void cclo_close(void *component) {
    auto *c = static_cast<Component *>(component);
    if (c)
        c->close();
    delete c;
}

uint32_t cclo_put(void *component, uint32_t port, const cclo_beat *beats, uint32_t n) {
    return static_cast<Component *>(component)->put(port, beats, n);
}
uint32_t cclo_get(void *component, uint32_t port, cclo_beat *beats, uint32_t n) {
    return static_cast<Component *>(component)->get(port, beats, n);
}
uint32_t cclo_count(void *component, uint32_t port) { return static_cast<Component *>(component)->count(port); }
uint64_t cclo_moved(void *component, uint32_t port) { return static_cast<Component *>(component)->moved(port); }

uint32_t cclo_start(void *component, const uint64_t *arguments) {
    return static_cast<Component *>(component)->start(arguments);
}
void cclo_run(void *component, cclo_state *state) { static_cast<Component *>(component)->run(state); }

} // extern "C"
