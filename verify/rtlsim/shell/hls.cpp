#include "hls.h"

#include <algorithm>
#include <cstring>

#include "svdpi.h"

using sim::Component;
using sim::current;
using sim::Model;

namespace sim {
namespace {

uint32_t small(std::size_t v) { return static_cast<uint32_t>(v); }

uintptr_t handle(Model &model) { return reinterpret_cast<uintptr_t>(&model); }

} // namespace

Component::~Component() {
    if (instance != nullptr) library.end(instance);
}

void Component::failed(Model &model, const std::string &text) { model.fail(name + " (" + kernel + "): " + text); }

void Component::failed(Model &model, const Port &port, const std::string &text) {
    failed(model, "beat " + std::to_string(port.passed) + " of " + port.name + ": " + text);
}

void Component::open(Model &model, const std::string &its_name, const std::string &its_kernel) {
    name = its_name;
    kernel = its_kernel;
    const auto path = model.argument("hls_" + name);
    if (path.empty()) return failed(model, "no argument says which library it is in");
    if (const auto why = library.open(path); !why.empty()) return failed(model, why);
    if (library.kernel() != kernel) return failed(model, path + " holds the kernel " + library.kernel());
    if (instance = library.begin(depth); instance == nullptr) return failed(model, path + " makes no component");
}

// port checks that the component has a port as its module does. Ports come in order.
void Component::port(Model &model, std::size_t number, const std::string &its_name, bool output, uint32_t width, uint32_t dest_bits) {
    ports.resize(number + 1);
    ports[number].name = its_name;
    ports[number].output = output;
    if (instance == nullptr) return;
    const cclo_port *have = nullptr;
    if (number < library.ports(&have) && its_name == have[number].name && output == (have[number].output != 0) &&
        width == have[number].width && dest_bits == have[number].dest_bits)
        return;
    failed(model, "its library was built for other ports: " + its_name + " is not the same");
}

// argument says where the memory of a pointer is; space is -1 for others.
void Component::argument(Model &model, std::size_t number, uint32_t offset, uint32_t bits, int space) {
    arguments.push_back({offset, bits, space});
    words.resize(std::max<std::size_t>(words.size(), (offset - arguments.front().offset) / 4 + bits / 32));
    if (instance == nullptr) return;
    const cclo_argument *have = nullptr;
    if (number < library.arguments(&have) && have[number].offset == offset && have[number].bits == bits &&
        (have[number].pointer != 0) == (space >= 0))
        return;
    failed(model, "its library was built for other arguments: number " + std::to_string(number) + " is not the same");
}

bool Component::take(Model &model, std::size_t number, const cclo_beat *beat) {
    if (instance == nullptr) return false;
    if (beat != nullptr) {
        auto &p = ports[number];
        library.put(instance, small(number), beat, 1);
        p.changed = active = true;
        p.passed++;
        last = model.cycle;
        answered = answered || number == answers;
        if (packets) packets->given(number, *beat);
    }
    return library.count(instance, small(number)) > 0;
}

bool Component::give(Model &model, std::size_t number, cclo_beat &beat) {
    auto &p = ports[number];
    if (p.stands) last = model.cycle; // it has been taken
    p.stands = false;
    if (instance == nullptr || library.get(instance, small(number), &beat, 1) == 0) return false;
    p.stands = p.changed = active = true;
    p.passed++;
    last = model.cycle;
    if (packets && packets->result == number)
        if (const auto why = packets->taken(beat); !why.empty()) failed(model, p, why);
    return true;
}

void Component::start(std::size_t word, uint32_t value) {
    if (word < words.size()) words[word] = value;
    asked = true;
}

bool Component::has_ended() { return std::exchange(ended, false); }

uint64_t Component::moved(std::size_t number) const { return instance != nullptr && number < ports.size() ? library.moved(instance, small(number)) : 0; }

bool Component::busy() const {
    if (!active || current == nullptr) return false;
    const auto since = current->cycle - last;
    if (since < settled) return true;
    if (since >= patience) return false;
    if (state.doing == cclo_polls) return true;
    for (std::size_t i = 0; i < ports.size(); i++)
        if (ports[i].stands || (ports[i].output && library.count(instance, small(i)) > 0)) return true;
    return false;
}

bool Component::can_go_on(uint64_t cycle) const {
    if (fresh) return true;
    switch (state.doing) {
    case cclo_reads:
    case cclo_writes:
        if (state.port >= 0 && small(ports.size()) > static_cast<uint32_t>(state.port)) return ports[static_cast<std::size_t>(state.port)].changed;
        [[fallthrough]];
    case cclo_polls:
        if (cycle - ran >= looks) return true; // it may count how often it has looked
        return std::any_of(ports.begin(), ports.end(), [](const Port &p) { return p.changed; });
    default: return false;
    }
}

void Component::step(Model &model) {
    if (instance == nullptr) return;
    if (std::exchange(asked, false)) begin(model);
    if (std::exchange(answered, false) && running) {
        write_back(model); // what it has changed since its call
        for (const auto &m : mirrors) m->read(handle(model));
    }
    if (!can_go_on(model.cycle)) return;
    library.run(instance, &state);
    ran = model.cycle;
    fresh = false;
    for (auto &p : ports) p.changed = false;
    if (packets) {
        std::vector<uint64_t> read;
        for (const auto operand : packets->operands) read.push_back(moved(operand));
        auto &result = ports[packets->result];
        const auto written = moved(packets->result);
        packets->written(written - result.written, read);
        result.written = written;
    }
    if (calls != none && running && moved(calls) != called) {
        called = moved(calls);
        write_back(model); // before its call leaves
    }
    if (state.calls != ends) {
        ends = state.calls;
        if (running) {
            write_back(model);
            running = false;
            ended = true;
        }
    }
    if (state.doing == cclo_failed) failed(model, state.text != nullptr ? state.text : "it has failed");
}

// begin starts a call of the host.
void Component::begin(Model &model) {
    for (const auto &m : mirrors) m->read(handle(model));
    std::vector<uint64_t> values;
    for (const auto &a : arguments) {
        const auto at = (a.offset - arguments.front().offset) / 4;
        uint64_t value = words[at];
        if (a.bits > 32) value |= static_cast<uint64_t>(words[at + 1]) << 32;
        if (a.space >= 0) {
            const auto m = std::find_if(mirrors.begin(), mirrors.end(), [&](const auto &m) { return m->holds(a.space, value); });
            if (m == mirrors.end()) return failed(model, "argument " + std::to_string(values.size()) + " points to memory that nobody has");
            value = (*m)->pointer(value);
        }
        values.push_back(value);
    }
    if (library.start(instance, values.data()) == 0) return failed(model, "it is called while a call is under way");
    running = fresh = true;
}

// write_back writes what the kernel has changed in memory.
void Component::write_back(Model &model) {
    for (const auto &m : mirrors)
        if (const auto why = m->write(handle(model)); !why.empty()) return failed(model, "it has failed: " + why);
}

void Component::mirror(bool others, int space, uint64_t address, uint64_t bytes) {
    if (!others) mirrors.clear();
    for (const auto &m : mirrors)
        if (m->holds(space, address)) return;
    mirrors.push_back(std::make_unique<Mirror>(space, address, bytes));
}

} // namespace sim

// What modules say of their components, before the first cycle.

extern "C" void sim_hls_open(int id, const char *name, const char *kernel) {
    auto &component = current->part<Component>(id);
    component.open(*current, name, kernel);
    current->steps[id] = &component;
}

extern "C" void sim_hls_port(int id, int port, const char *name, svBit output, int width, int dest_bits) {
    current->part<Component>(id).port(*current, static_cast<std::size_t>(port), name, output != 0, static_cast<uint32_t>(width),
                                      static_cast<uint32_t>(dest_bits));
}

extern "C" void sim_hls_argument(int id, int number, int offset, int bits, int space) {
    current->part<Component>(id).argument(*current, static_cast<std::size_t>(number), static_cast<uint32_t>(offset),
                                          static_cast<uint32_t>(bits), space);
}

// sim_hls_calls names the ports of the kernel's own calls and of their answers.
extern "C" void sim_hls_calls(int id, int calls, int answers) {
    auto &component = current->part<Component>(id);
    component.calls = static_cast<std::size_t>(calls);
    component.answers = static_cast<std::size_t>(answers);
}

// sim_hls_plugin names the ports of operands, a bit each, and of results.
extern "C" void sim_hls_plugin(int id, int operands, int result) {
    std::vector<std::size_t> ports;
    for (std::size_t i = 0; i < 32; i++)
        if (static_cast<uint32_t>(operands) >> i & 1) ports.push_back(i);
    current->part<Component>(id).packets = std::make_unique<sim::Packets>(ports, static_cast<std::size_t>(result));
}

extern "C" void sim_hls_ratio(int id, int tdest, int from, int to) {
    current->part<Component>(id).packets->ratio(static_cast<uint32_t>(tdest), static_cast<uint32_t>(from), static_cast<uint32_t>(to));
}

// What modules do in a cycle.

extern "C" svBit sim_hls_take(int id, int port, svBit valid, const svBitVecVal *data, const svBitVecVal *keep, svBit last, int tdest) {
    cclo_beat beat;
    if (valid) {
        std::memcpy(beat.data, data, sizeof beat.data);
        std::memcpy(&beat.keep, keep, sizeof beat.keep);
        beat.dest = static_cast<uint32_t>(tdest);
        beat.last = last;
    }
    return current->part<Component>(id).take(*current, static_cast<std::size_t>(port), valid ? &beat : nullptr);
}

extern "C" svBit sim_hls_give(int id, int port, svBitVecVal *data, svBitVecVal *keep, svBit *last, int *tdest) {
    cclo_beat beat{};
    const bool there = current->part<Component>(id).give(*current, static_cast<std::size_t>(port), beat);
    std::memcpy(data, beat.data, sizeof beat.data);
    std::memcpy(keep, &beat.keep, sizeof beat.keep);
    *last = beat.last != 0;
    *tdest = static_cast<int>(beat.dest);
    return there;
}

// sim_hls_start gives a word of the arguments of a call of the host, which begins
// with this cycle.
extern "C" void sim_hls_start(int id, int word, int unsigned value) { current->part<Component>(id).start(static_cast<std::size_t>(word), value); }

extern "C" svBit sim_hls_ended(int id) { return current->part<Component>(id).has_ended(); }

// What the host does.

SIM_API void sim_hls_mirror(uintptr_t model, int id, int others, int space, uint64_t address, uint64_t bytes) {
    Model::of(model).part<Component>(id).mirror(others != 0, space, address, bytes);
}

SIM_API void sim_hls_state(uintptr_t model, int id, uint32_t *doing, int32_t *port, uint64_t *calls) {
    const auto &state = Model::of(model).part<Component>(id).doing();
    *doing = state.doing;
    *port = state.port;
    *calls = state.calls;
}

SIM_API uint64_t sim_hls_text(uintptr_t model, int id, char *text, uint64_t size) {
    const auto &state = Model::of(model).part<Component>(id).doing();
    const std::string why = state.doing == cclo_failed && state.text != nullptr ? state.text : "";
    const auto n = std::min<uint64_t>(size, why.size());
    std::memcpy(text, why.data(), n);
    return n;
}

SIM_API uint64_t sim_hls_beats(uintptr_t model, int id, uint32_t port) { return Model::of(model).part<Component>(id).moved(port); }
