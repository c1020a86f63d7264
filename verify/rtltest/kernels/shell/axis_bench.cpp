// Engines of one card that send each other packets and read what has come, at
// random times. An engine may stop reading what comes from one of the others.
#include "Vaxis_bench.h"
#include "verilated.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "../../streams/shell/rhythm.h"

namespace {

constexpr int N = 3;
using Bytes = std::vector<uint8_t>;

struct Note {
    uint32_t from, length;
};

struct Engine {
    std::deque<std::pair<uint32_t, Bytes>> queues[N]; // to each engine, to be asked for
    std::deque<std::pair<uint32_t, Bytes>> asked, granted;
    size_t at = 0;
    std::deque<Note> notes, reads;
    Bytes coming;
};

struct Event { // as in the test
    uint64_t to, from, bytes, cycle;
};

template <class T> uint8_t *bits(T &port, int index, int width) { return reinterpret_cast<uint8_t *>(&port) + index * width / 8; }

// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    }
};

struct Bench {
    Context context;
    Vaxis_bench m{&context};
    Random random;
    Engine engines[N];
    std::deque<std::pair<Event, Bytes>> log;
    uint64_t cycle = 0, pauses = 0, refused = 0;
    int stopped_at = -1, stopped_from = -1;
    const char *error = "";

    explicit Bench(uint64_t seed) : context{seed}, random{seed} {
        m.clk = 0;
        m.rst = 1;
        quiet();
        m.eval();
        for (int i = 0; i < 5; i++) clock();
        m.rst = 0;
        clock();
        clock();
    }

    void quiet() { m.notification_tready = m.read_tvalid = m.data_tready = m.meta_tvalid = m.tx_tvalid = m.status_tready = m.word_tready = 0; }

    void clock() {
        m.clk = 1;
        m.eval();
        m.clk = 0;
        m.eval();
        cycle++;
    }

    bool pause() { return (random.next() & 0xFF) < pauses; }

    static uint32_t word(const uint8_t *p) {
        uint32_t v;
        std::memcpy(&v, p, 4);
        return v;
    }

    void step() {
        quiet();
        int asking[N], reading[N];
        for (int e = 0; e < N; e++) {
            Engine &g = engines[e];
            uint32_t bit = 1u << e;
            asking[e] = reading[e] = -1;
            int to = random.next() % N;
            // One request of a target is under way: a refused packet is asked for again.
            bool waiting = false;
            for (auto &a : g.asked) waiting = waiting || int(a.first) == to;
            if (!g.queues[to].empty() && !waiting && !pause()) {
                asking[e] = to;
                m.meta_tvalid |= bit;
                uint32_t v = uint32_t(to) | uint32_t(g.queues[to].front().second.size()) << 16;
                std::memcpy(bits(m.meta_tdata, e, 32), &v, 4);
            }
            if (!g.granted.empty() && !pause()) {
                Bytes &b = g.granted.front().second;
                size_t n = std::min<size_t>(64, b.size() - g.at);
                uint64_t keep = n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
                m.tx_tvalid |= bit;
                std::memcpy(bits(m.tx_tdata, e, 512), b.data() + g.at, n);
                std::memcpy(bits(m.tx_tkeep, e, 64), &keep, 8);
                m.tx_tlast = (m.tx_tlast & ~bit) | (g.at + n == b.size() ? bit : 0);
            } else {
                m.tx_tlast = m.tx_tlast & ~bit;
            }
            if (!pause()) m.status_tready |= bit;
            if (!pause()) m.notification_tready |= bit;
            if (!pause()) m.word_tready |= bit;
            if (!pause()) m.data_tready |= bit;
            for (size_t i = 0; i < g.notes.size() && !pause(); i++) {
                if (e == stopped_at && int(g.notes[i].from) == stopped_from) continue;
                bool first = true;
                for (size_t k = 0; k < i; k++) first = first && g.notes[k].from != g.notes[i].from;
                if (!first) continue;
                reading[e] = int(i);
                m.read_tvalid |= bit;
                uint32_t v = g.notes[i].from | g.notes[i].length << 16;
                std::memcpy(bits(m.read_tdata, e, 32), &v, 4);
                break;
            }
        }
        m.eval();
        for (int e = 0; e < N; e++) {
            Engine &g = engines[e];
            uint32_t bit = 1u << e;
            if (m.tx_tvalid & m.tx_tready & bit) {
                g.at += 64;
                if (g.at >= g.granted.front().second.size()) {
                    g.granted.pop_front();
                    g.at = 0;
                }
            }
            if (m.status_tvalid & m.status_tready & bit) {
                const uint8_t *s = bits(m.status_tdata, e, 64);
                if (g.asked.empty() || (word(s) & 0xFFFF) != g.asked.front().first) { error = "a wrong status"; return; }
                if (s[7] >> 6) {
                    refused++;
                    g.queues[g.asked.front().first].push_front(std::move(g.asked.front()));
                } else {
                    g.granted.push_back(std::move(g.asked.front()));
                }
                g.asked.pop_front();
            }
            if (m.meta_tvalid & m.meta_tready & bit) {
                g.asked.push_back(std::move(g.queues[asking[e]].front()));
                g.queues[asking[e]].pop_front();
            }
            if (m.read_tvalid & m.read_tready & bit) {
                g.reads.push_back(g.notes[reading[e]]);
                g.notes.erase(g.notes.begin() + reading[e]);
            }
            if (m.notification_tvalid & m.notification_tready & bit) {
                uint32_t v = word(bits(m.notification_tdata, e, 128));
                g.notes.push_back({v & 0xFFFF, v >> 16});
            }
            if (m.data_tvalid & m.data_tready & bit) {
                if (g.reads.empty()) { error = "data that nobody has read"; return; }
                uint64_t keep;
                std::memcpy(&keep, bits(m.data_tkeep, e, 64), 8);
                size_t n = std::min<size_t>(64, g.reads.front().length - g.coming.size());
                if (keep != (n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1)) { error = "a wrong keep"; return; }
                const uint8_t *d = bits(m.data_tdata, e, 512);
                g.coming.insert(g.coming.end(), d, d + n);
                bool last = m.data_tlast & bit;
                if (last != (g.coming.size() == g.reads.front().length)) { error = "a wrong end"; return; }
                if (last) {
                    log.push_back({{uint64_t(e), g.reads.front().from, g.coming.size(), cycle}, std::move(g.coming)});
                    g.coming.clear();
                    g.reads.pop_front();
                }
            }
        }
        clock();
    }
};

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench *bench_new(uint64_t seed, uint64_t pauses) {
    Bench *b = new Bench(seed);
    b->pauses = pauses;
    return b;
}
API void bench_delete(Bench *b) { delete b; }
API void bench_stop(Bench *b, int64_t at, int64_t from) {
    b->stopped_at = int(at);
    b->stopped_from = int(from);
}
API void bench_send(Bench *b, uint64_t from, uint64_t to, const uint8_t *data, uint64_t bytes) {
    b->engines[from].queues[to].emplace_back(uint32_t(to), Bytes(data, data + bytes));
}
API int64_t bench_run(Bench *b, uint64_t events, uint64_t cycles) {
    for (uint64_t i = 0; i < cycles && b->log.size() < events && !*b->error; i++) b->step();
    return *b->error ? -1 : int64_t(b->log.size());
}
API uint64_t bench_event(Bench *b, Event *e, uint8_t *data) {
    if (b->log.empty()) return 0;
    *e = b->log.front().first;
    std::memcpy(data, b->log.front().second.data(), e->bytes);
    b->log.pop_front();
    return 1;
}
API uint64_t bench_cycle(Bench *b) { return b->cycle; }
API uint64_t bench_refused(Bench *b) { return b->refused; }
