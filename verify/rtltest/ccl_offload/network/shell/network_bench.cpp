// Drives both sides of the network at random times: what they send comes back by
// the network, or by the loop. What has happened is kept for the test to look at.
#include "Vnetwork_bench.h"
#include "verilated.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "../../../../rtlsim/shell/network.h"
#include "../../../streams/shell/rhythm.h"

thread_local sim::Model *sim::current;

namespace {

using Bytes = std::vector<uint8_t>;

struct Operation { // as in the test
    uint32_t session, record, bytes;
    uint8_t self, headed, counted, numbered, written, good, abandon, unused;
    uint8_t header[64];
};

struct Options { // as in the test; of 256 cycles, or of 256 packets
    uint64_t write_pauses, commit_pauses, stalls, holds, drops, verdict_pauses, carry_pauses, held_session;
};

// Of what was written, loop is the memory; of what was received, address is the
// number of the verdict.
struct Event { // as in the test
    uint64_t kind, session, loop, bytes, cycle, address;
};

enum Kind : uint64_t { SENT, SENT_WRITE, RECEIVED, DROPPED, CLOSED };

struct Pending {
    Operation o;
    Bytes payload;
    uint32_t slot = 0, row = 0;
};

// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    }
};

struct Bench : sim::Model {
    Context context;
    Vnetwork_bench model{&context};
    Random random;
    Options options{};
    bool carry = true; // what was sent comes back

    std::map<uint32_t, std::deque<Pending>> queues;             // to be opened, by session; the loop is behind all
    std::map<uint32_t, std::deque<Pending>> opened;             // to be filled and committed
    std::map<uint32_t, std::deque<Bytes>> carried;              // sent, not come back
    std::map<uint32_t, uint32_t> records, numbers;
    std::deque<std::pair<Event, Bytes>> log;
    struct Taken { Event event; Bytes data; uint64_t left; };
    std::deque<Taken> streams;                                  // of verdicts
    uint32_t add_wait = 0, number_wait = 0, held = 0;
    uint64_t remaining = 0, verdicts = 0;

    explicit Bench(uint64_t seed) : context{seed}, random{seed} {
        sim::current = this;
        std::memset(&model.open_header, 0, 64);
        model.clk = 0;
        model.rst = 1;
        quiet();
        model.network_enable = 0;
        model.eval();
        for (int i = 0; i < 4; i++) clock();
        model.rst = 0;
    }

    void quiet() {
        model.reset_network = 0;
        model.open_valid = model.abandon_valid = model.write_valid = model.commit_valid = 0;
        model.add_done = model.number_done = model.rx_verdict_valid = model.rx_retry = model.rx_data_ready = 0;
    }

    void clock() {
        model.clk = 1;
        model.eval();
        model.clk = 0;
        model.eval();
        cycle++;
    }

    static uint32_t key(const Operation &o) { return o.self ? 1u << 16 : o.session; }

    bool chance(uint64_t of256) { return (random.next() & 0xFF) < of256; }

    template <class M> typename M::iterator any(M &m) {
        auto it = m.begin();
        if (!m.empty()) std::advance(it, random.next() % m.size());
        return it;
    }

    void add(const Operation &o, const uint8_t *payload) {
        Pending p;
        p.o = o;
        p.payload.assign(payload, payload + o.bytes);
        queues[key(o)].push_back(std::move(p));
        remaining++;
    }

    // One cycle. Inputs depend on what the outputs were after the last edge, and
    // on ready where the ports say so.
    void step() {
        sim::current = this;
        quiet();
        // Open a packet of any session, or abandon a message.
        Pending *opening = nullptr, *abandoning = nullptr;
        auto q = any(queues);
        if (q != queues.end() && !chance(options.write_pauses)) {
            Pending &p = q->second.front();
            if (p.o.abandon) {
                if (opened.find(q->first) == opened.end()) {
                    abandoning = &p;
                    model.abandon_valid = 1;
                    model.abandon_self = p.o.self;
                    model.abandon_session = p.o.session;
                }
            } else {
                opening = &p;
                model.open_valid = 1;
                model.open_session = p.o.session;
                model.open_self = p.o.self;
                model.open_headed = p.o.headed;
                model.open_counted = p.o.counted;
                model.open_numbered = p.o.numbered;
                model.open_written = p.o.written;
                model.open_record = p.o.record;
                model.open_bytes = p.o.bytes;
                std::memcpy(&model.open_header, p.o.header, 64);
            }
        }
        // Fill one.
        auto w = any(opened);
        if (w != opened.end() && !chance(options.write_pauses)) {
            for (Pending &p : w->second) {
                uint32_t rows = (p.o.bytes + 63) / 64;
                if (p.row == rows) continue;
                uint32_t n = std::min<uint32_t>(64, p.o.bytes - 64 * p.row);
                model.write_valid = 1;
                model.write_slot = p.slot;
                model.write_row = p.row + (p.o.headed ? 1 : 0);
                model.write_strobe = n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
                std::memset(&model.write_data, 0xA5, 64);
                std::memcpy(&model.write_data, p.payload.data() + 64 * p.row, n);
                p.row++;
                break;
            }
        }
        // Commit one.
        auto c = any(opened);
        bool committing = c != opened.end() && c->second.front().row == (c->second.front().o.bytes + 63) / 64 &&
                          !(model.write_valid && model.write_slot == c->second.front().slot) && !chance(options.commit_pauses);
        if (committing) {
            model.commit_valid = 1;
            model.commit_slot = c->second.front().slot;
            model.commit_good = c->second.front().o.good;
        }
        // Numbers.
        if (model.add_valid && add_wait-- == 0) {
            model.add_done = 1;
            model.add_value = records[model.add_address]++;
            add_wait = random.next() % 6;
        }
        if (model.number_valid && number_wait-- == 0) {
            model.number_done = 1;
            model.number_value = numbers[model.number_session]++;
            number_wait = random.next() % 6;
        }
        // Verdicts.
        if (model.rx_valid && !chance(options.verdict_pauses)) {
            model.rx_verdict_valid = 1;
            Event e{RECEIVED, model.rx_session, model.rx_loop, model.rx_bytes, cycle, 0};
            e.address = verdicts++;
            if (chance(options.holds) || (!e.loop && e.session == options.held_session)) {
                verdicts--;
                model.rx_verdict = 1;
                held++;
            } else if (chance(options.drops)) {
                model.rx_verdict = 0;
                e.kind = DROPPED;
                push_log(e, beat(&model.rx_beat, std::min<uint64_t>(64, e.bytes)));
            } else {
                bool payload = e.bytes > 64 && chance(128);
                uint64_t n = e.bytes - (payload ? 64 : 0);
                model.rx_verdict = payload ? 2 : 3;
                model.rx_take_bytes = n;
                Taken t{e, {}, n};
                if (payload) t.data = beat(&model.rx_beat, 64);
                streams.push_back(std::move(t));
            }
        }
        if (held && chance(8)) {
            model.rx_retry = 1;
            held = 0;
        }
        model.rx_data_ready = !chance(options.stalls);
        model.eval();

        if (opening && model.open_ready) {
            opening->slot = model.open_slot;
            opened[q->first].push_back(std::move(*opening));
            pop(queues, q);
        } else if (abandoning && model.abandon_ready) {
            pop(queues, q);
            remaining--;
        }
        if (committing && model.commit_ready) {
            pop(opened, c);
            remaining--;
        }
        if (model.rx_data_valid && model.rx_data_ready) take();
        if (model.session_closed_valid) push_log({CLOSED, model.session_closed, 0, 0, cycle, 0}, {});
        clock();
        network();
    }

    template <class M> void pop(M &m, typename M::iterator it) {
        it->second.pop_front();
        if (it->second.empty()) m.erase(it);
    }

    static Bytes beat(const void *data, size_t n) {
        auto b = reinterpret_cast<const uint8_t *>(data);
        return Bytes(b, b + n);
    }

    void push_log(const Event &e, Bytes b) { log.emplace_back(e, std::move(b)); }

    void take() {
        if (streams.empty()) return fail("data without a verdict");
        Taken &t = streams.front();
        uint64_t n = std::min<uint64_t>(64, t.left);
        uint64_t keep = n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
        if (model.rx_data_keep != keep) return fail("the keep of a beat is wrong");
        if (model.rx_data_last != (n == t.left)) return fail("the last beat is wrong");
        Bytes b = beat(&model.rx_data, n);
        t.data.insert(t.data.end(), b.begin(), b.end());
        t.left -= n;
        if (t.left) return;
        t.event.cycle = cycle;
        push_log(t.event, std::move(t.data));
        streams.pop_front();
    }

    void network() {
        uint64_t meta[6];
        uint8_t buffer[1 << 16];
        auto self = reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(this));
        if (attention) {
            attention = false;
            for (int64_t n; (n = sim_network_pop(self, 0, meta, buffer, sizeof buffer)) >= 0;) {
                bool write = meta[0] == sim::network_write;
                Event e{write ? SENT_WRITE : SENT, meta[1], meta[3], uint64_t(n), cycle, meta[2]};
                Bytes b(buffer, buffer + n);
                if (!write && carry) carried[uint32_t(meta[1])].push_back(b);
                push_log(e, std::move(b));
            }
        }
        auto c = any(carried);
        if (c == carried.end() || chance(options.carry_pauses)) return;
        if (sim_network_push(self, 0, c->first, c->second.front().data(), c->second.front().size())) pop(carried, c);
    }
};

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench *bench_new(uint64_t seed) { return new Bench(seed); }
API void bench_delete(Bench *b) {
    sim::current = b;
    delete b;
}
API void bench_options(Bench *b, const Options *o) { b->options = *o; }
API void bench_enable(Bench *b, uint64_t on) { b->model.network_enable = on != 0; }
API void bench_carry(Bench *b, uint64_t on) { b->carry = on != 0; }
API void bench_add(Bench *b, const Operation *o, const uint8_t *payload) { b->add(*o, payload); }
API void bench_shape(Bench *b, uint64_t latency, uint64_t jitter, uint64_t pauses, uint64_t refusals, uint64_t seed) {
    sim_network_shape(reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(b)), 0, latency, jitter, pauses, refusals, seed);
}
API void bench_window(Bench *b, uint64_t session, uint64_t bytes) {
    sim_network_window(reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(b)), 0, session, bytes);
}
API void bench_close(Bench *b, uint64_t session) {
    sim_network_closed(reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(b)), 0, session);
}
API uint64_t bench_push(Bench *b, uint64_t session, const uint8_t *data, uint64_t bytes) {
    return sim_network_push(reinterpret_cast<uintptr_t>(static_cast<sim::Model *>(b)), 0, session, data, bytes);
}
API uint64_t bench_cycle(Bench *b) { return b->cycle; }

// Runs until there are so many events, or for so many cycles; the result is the
// number of events, or -1 after a failure.
API int64_t bench_run(Bench *b, uint64_t events, uint64_t cycles) {
    for (uint64_t i = 0; i < cycles && b->log.size() < events && b->error.empty(); i++) b->step();
    return b->error.empty() ? int64_t(b->log.size()) : -1;
}
API uint64_t bench_error(Bench *b, uint8_t *text, uint64_t size) {
    uint64_t n = std::min<uint64_t>(size, b->error.size());
    std::memcpy(text, b->error.data(), n);
    return n;
}
API uint64_t bench_event(Bench *b, Event *e, uint8_t *data) {
    if (b->log.empty()) return 0;
    *e = b->log.front().first;
    std::memcpy(data, b->log.front().second.data(), b->log.front().second.size());
    e->bytes = b->log.front().second.size();
    b->log.pop_front();
    return 1;
}
// Resets as firmware does, and says how long it took. What the bench had under way
// is forgotten.
API uint64_t bench_reset(Bench *b, uint64_t limit) {
    sim::current = b;
    b->queues.clear();
    b->opened.clear();
    b->remaining = 0;
    uint64_t n = 0;
    for (; n < limit; n++) {
        b->quiet();
        b->model.reset_network = 1;
        b->model.network_enable = 0;
        if (b->model.add_valid && b->add_wait-- == 0) {
            b->model.add_done = 1;
            b->model.add_value = b->records[b->model.add_address]++;
            b->add_wait = 3;
        }
        if (b->model.number_valid && b->number_wait-- == 0) {
            b->model.number_done = 1;
            b->model.number_value = b->numbers[b->model.number_session]++;
            b->number_wait = 3;
        }
        b->model.rx_data_ready = 1;
        b->model.eval();
        if (b->model.rx_data_valid) b->take();
        bool idle = b->model.transmit_idle && b->model.receive_idle;
        b->clock();
        b->network();
        if (idle) break;
    }
    b->held = 0;
    b->quiet();
    b->model.eval();
    return n;
}
