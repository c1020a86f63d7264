#include "network.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <vector>

#include "svdpi.h"

namespace {

constexpr size_t SESSION_CHUNKS = 8;   // that wait to be read, of a session
constexpr size_t PACKETS        = 256; // that wait in all, where nobody waits for room
constexpr uint64_t UNLIMITED    = 1 << 29;

// What a stream does in a cycle: bits of the answer to sim_network_tick.
enum Tick : int {
    HAS_STATUS       = 1 << 0,
    HAS_NOTIFICATION = 1 << 1,
    HAS_BEAT         = 1 << 2,
    HAS_PORT_STATUS  = 1 << 3,
    HAS_OPEN_STATUS  = 1 << 4,
    TAKES_META       = 1 << 5,
    TAKES_DATA       = 1 << 6,
    TAKES_READ       = 1 << 7,
};

using Bytes = std::vector<uint8_t>;

struct Chunk { // the hardware sends
    uint64_t kind, session, address, host;
    uint64_t length; // that was announced
    Bytes bytes;
};

struct Status {
    uint64_t due;
    uint32_t session, length, space, error;
};

struct Note {
    uint64_t due;
    uint32_t session, length;
    bool closed;
};

struct Read {
    uint64_t due;
    uint32_t session;
    Bytes bytes;
    size_t at = 0;
};

struct Request {
    uint64_t kind, ip, port;
};

struct Answer {
    uint32_t session;
    bool good;
};

struct Session {
    std::deque<Bytes> chunks; // notified, not read
    size_t waiting = 0;       // chunks that are not read
};

class Network : public sim::Part {
  public:
    bool busy() const override {
        return !notes.empty() || !reads.empty() || !statuses.empty() || !ports.empty() || !opens.empty();
    }

    int tick() {
        now++;
        int mask = 0;
        if (!statuses.empty() && statuses.front().due <= now && active()) mask |= HAS_STATUS;
        if (!notes.empty() && notes.front().due <= now && active()) mask |= HAS_NOTIFICATION;
        if (!reads.empty() && reads.front().due <= now && active()) mask |= HAS_BEAT;
        if (!ports.empty()) mask |= HAS_PORT_STATUS;
        if (!opens.empty()) mask |= HAS_OPEN_STATUS;
        if (active() && !(unasked() && full > 0)) mask |= TAKES_META;
        if (active() && !(unasked() && granted.empty())) mask |= TAKES_DATA; // data may come before their request
        if (active()) mask |= TAKES_READ;
        return mask;
    }

    // Sending.

    void ask(uint32_t session, uint32_t length) {
        auto w = windows.find(session);
        uint64_t space = w == windows.end() ? UNLIMITED : w->second;
        bool good = length <= space && !(refusals && random() % 1000 < refusals);
        statuses.push_back({after(status_due), session, length, uint32_t(space < UNLIMITED ? space : UNLIMITED), good ? 0u : 2u});
        if (good) command(sim::network_bytes, session, length, 0, 0);
    }

    // Where nobody asks before he sends, a session that is full holds up all.
    void window(uint32_t session, uint64_t bytes) {
        uint64_t &space = windows.try_emplace(session, UNLIMITED).first->second;
        full += (bytes == 0 ? 1 : 0) - (space == 0 ? 1 : 0);
        space = bytes;
    }

    void command(uint64_t kind, uint32_t session, uint32_t length, uint64_t address, uint32_t host) {
        granted.push_back({kind, session, address, host, length, {}});
    }

    // A beat of data for what was announced first, or of a packet that nobody has
    // announced.
    void take(bool announced, uint32_t session, const uint8_t *data, uint64_t keep, bool last) {
        if (!announced && granted.empty()) granted.push_back({sim::network_bytes, session, 0, 0, 0, {}});
        if (granted.empty()) return sim::current->fail("the engine sends data that it has not announced");
        Chunk &c = granted.front();
        int count = 0;
        while (count < 64 && keep >> count & 1) count++;
        if (count < 64 && keep >> count) return sim::current->fail("the engine sends a beat with a hole");
        if (count < 64 && !last) return sim::current->fail("the engine sends a beat that is not full before the last one");
        if ((c.session ^ session) & 0xFF) // an engine's TDEST has 8 bits
            return sim::current->fail("the engine sends data of another session than it has announced");
        c.bytes.insert(c.bytes.end(), data, data + count);
        if (announced && (c.bytes.size() > c.length || last != (c.bytes.size() == c.length)))
            return sim::current->fail("the engine sends another length than it has announced");
        if (!last) return;
        out.push_back(std::move(c));
        granted.pop_front();
        sim::current->attention = true;
    }

    Status status() {
        Status s = statuses.front();
        statuses.pop_front();
        return s;
    }

    // Receiving.

    bool room(uint32_t session) { return sessions[session].waiting < SESSION_CHUNKS && notes.size() + reads.size() < PACKETS; }

    bool push(uint32_t session, const uint8_t *data, uint64_t bytes) {
        if (!room(session)) return false;
        if (bytes == 0) return true;
        Session &s = sessions[session];
        s.waiting++;
        Bytes b(data, data + bytes);
        if (asked_for) {
            s.chunks.push_back(std::move(b));
        } else {
            reads.push_back({after(read_due), session, std::move(b)});
        }
        if (notified) notes.push_back({after(note_due), session, uint32_t(bytes), false});
        return true;
    }

    void closed(uint32_t session) {
        if (notified) notes.push_back({after(note_due), session, 0, true});
    }

    Note note() {
        Note n = notes.front();
        notes.pop_front();
        return n;
    }

    void read(uint32_t session, uint32_t length) {
        Session &s = sessions[session];
        Bytes b;
        while (b.size() < length && !s.chunks.empty()) {
            Bytes &c = s.chunks.front();
            size_t n = std::min<size_t>(c.size(), length - b.size());
            b.insert(b.end(), c.begin(), c.begin() + n);
            c.erase(c.begin(), c.begin() + n);
            if (c.empty()) {
                s.chunks.pop_front();
            }
        }
        if (b.size() < length || length == 0) return sim::current->fail("the engine reads more than there is");
        reads.push_back({after(read_due), session, std::move(b)});
    }

    void beat(uint8_t *data, uint64_t *keep, bool *first, bool *last, uint32_t *session) {
        Read &r = reads.front();
        size_t n = std::min<size_t>(64, r.bytes.size() - r.at);
        std::memset(data, 0, 64);
        std::memcpy(data, r.bytes.data() + r.at, n);
        *keep = n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
        *first = r.at == 0;
        *session = r.session;
        r.at += n;
        *last = r.at == r.bytes.size();
        if (!*last) return;
        Session &s = sessions[r.session];
        s.waiting = asked_for ? s.chunks.size() : s.waiting - 1;
        reads.pop_front();
    }

    // After a reset of the hardware nothing is on its way.
    void reset() {
        granted.clear();
        statuses.clear();
        reads.clear();
        notes.clear();
        for (auto &s : sessions) s.second = {};
    }

    uint64_t random() { // splitmix64
        uint64_t z = (seed += 0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    bool asked_for = false; // data are given when they are read
    bool notified  = false; // and told of before
    uint32_t latency = 0, jitter = 0, pauses = 0, refusals = 0;
    uint64_t seed = 0;
    std::deque<Chunk> out;
    std::deque<Request> requests;
    std::deque<Answer> ports, opens;

  private:
    bool unasked() const { return notified && !asked_for; } // RDMA
    bool active() { return pauses == 0 || random() % 1000 >= pauses; }

    // The cycle in which something happens, never before what came earlier.
    uint64_t after(uint64_t &last) {
        uint64_t due = now + 1 + latency + (jitter ? random() % (jitter + 1) : 0);
        return last = std::max(last, due);
    }

    uint64_t now = 0, status_due = 0, note_due = 0, read_due = 0;
    std::unordered_map<uint32_t, uint64_t> windows; // bytes that a session takes
    int full = 0;                                   // sessions that take none
    std::deque<Chunk> granted;
    std::deque<Status> statuses;
    std::deque<Note> notes;
    std::deque<Read> reads;
    std::unordered_map<uint32_t, Session> sessions;
};

Network &at(uintptr_t model, int32_t id) { return sim::Model::of(model).part<Network>(id); }

Network &self(void *network) { return *static_cast<Network *>(network); }

} // namespace

SIM_API int64_t sim_network_pop(uintptr_t model, int32_t id, uint64_t *meta, uint8_t *data, uint64_t size) {
    Network &n = at(model, id);
    if (n.out.empty() || n.out.front().bytes.size() > size) return -1;
    Chunk c = std::move(n.out.front());
    n.out.pop_front();
    meta[0] = c.kind;
    meta[1] = c.session;
    meta[2] = c.address;
    meta[3] = c.host;
    meta[4] = 1;
    meta[5] = 0;
    std::memcpy(data, c.bytes.data(), c.bytes.size());
    return int64_t(c.bytes.size());
}

SIM_API int32_t sim_network_push(uintptr_t model, int32_t id, uint32_t session, const uint8_t *data, uint64_t bytes) {
    return at(model, id).push(session, data, bytes);
}

SIM_API int32_t sim_network_room(uintptr_t model, int32_t id, uint32_t session) { return at(model, id).room(session); }

SIM_API int32_t sim_network_request(uintptr_t model, int32_t id, uint64_t *kind, uint64_t *ip, uint64_t *port) {
    Network &n = at(model, id);
    if (n.requests.empty()) return 0;
    Request r = n.requests.front();
    n.requests.pop_front();
    *kind = r.kind;
    *ip = r.ip;
    *port = r.port;
    return 1;
}

SIM_API void sim_network_answer(uintptr_t model, int32_t id, uint64_t kind, uint32_t session, int32_t ok) {
    Network &n = at(model, id);
    if (kind == sim::network_listen) n.ports.push_back({0, ok != 0});
    if (kind == sim::network_connect) n.opens.push_back({session, ok != 0});
}

SIM_API void sim_network_window(uintptr_t model, int32_t id, uint32_t session, uint64_t bytes) {
    at(model, id).window(session, bytes);
}

SIM_API void sim_network_closed(uintptr_t model, int32_t id, uint32_t session) { at(model, id).closed(session); }

SIM_API void sim_network_shape(uintptr_t model, int32_t id, uint32_t latency, uint32_t jitter, uint32_t pauses, uint32_t refusals,
                               uint64_t seed) {
    Network &n = at(model, id);
    n.latency = latency;
    n.jitter = jitter;
    n.pauses = pauses < 1000 ? pauses : 999;
    n.refusals = refusals < 1000 ? refusals : 999;
    n.seed = seed;
}

// What the SystemVerilog side calls.

extern "C" {

void *sim_network_open(int id, svBit asked_for, svBit notified) {
    Network &n = sim::current->part<Network>(id);
    n.asked_for = asked_for;
    n.notified = notified;
    return &n;
}

void sim_network_reset(void *network) { self(network).reset(); }

void sim_network_tick(void *network, int *now) { *now = self(network).tick(); }

void sim_network_ask(void *network, int session, int length) { self(network).ask(uint32_t(session), uint32_t(length)); }

void sim_network_command(void *network, svBit write, int session, int length, uint64_t address, int host) {
    self(network).command(write ? sim::network_write : sim::network_send, uint32_t(session), uint32_t(length), address, uint32_t(host));
}

void sim_network_take(void *network, svBit announced, int session, const svBitVecVal *data, uint64_t keep, svBit last) {
    self(network).take(announced, uint32_t(session), reinterpret_cast<const uint8_t *>(data), keep, last);
}

void sim_network_status(void *network, int *session, int *length, int *space, int *error) {
    Status s = self(network).status();
    *session = int(s.session);
    *length = int(s.length);
    *space = int(s.space);
    *error = int(s.error);
}

void sim_network_note(void *network, int *session, int *length, svBit *closed) {
    Note n = self(network).note();
    *session = int(n.session);
    *length = int(n.length);
    *closed = n.closed;
}

void sim_network_read(void *network, int session, int length) { self(network).read(uint32_t(session), uint32_t(length)); }

void sim_network_beat(void *network, int *session, svBitVecVal *data, uint64_t *keep, svBit *first, svBit *last) {
    bool f, l;
    uint32_t s;
    self(network).beat(reinterpret_cast<uint8_t *>(data), keep, &f, &l, &s);
    *session = int(s);
    *first = f;
    *last = l;
}

void sim_network_ask_host(void *network, int kind, int ip, int port) {
    self(network).requests.push_back({uint64_t(kind), uint32_t(ip), uint32_t(port)});
    sim::current->attention = true;
}

void sim_network_answered(void *network, int kind, int *session, svBit *good) {
    auto &q = kind == int(sim::network_listen) ? self(network).ports : self(network).opens;
    *session = int(q.front().session);
    *good = q.front().good;
    q.pop_front();
}
}
