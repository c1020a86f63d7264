// The receive side of the engine with simple surroundings: packets that are
// offered, memories, the exchange memory, ranks, a kernel and channels that ask.
#include "Vreceive_side.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

namespace {

constexpr uint32_t channels = 4, pages = 4, ranks = 64, beat = 64;
constexpr uint32_t exchange_words = 4096, memory_bytes = 1 << 22, put_beats = 128;

// What the test sees and sets. The same as in inbound.go.
struct Face {
    uint64_t cycle;
    uint32_t retries, messages_changed, windows_changed, wakes[3]; // pulses counted
    uint32_t network_enable, messages_idle, network_idle, busy;    // busy: bits of what is under way
    uint32_t reset_messages, reset_network;
    uint32_t stall; // of 256: how often others wait
    uint32_t latency; // most cycles that memory takes

    uint32_t offer_valid, offer_session, offer_loop, offer_bytes, verdict, take, before, rest; // offer_valid falls with the verdict
    uint32_t closed_valid, closed_session;

    uint32_t reg_valid, reg_page, reg_write, reg_address, reg_wdata, reg_rdata, reg_error; // reg_valid falls in the end
    uint32_t comm, source, destination, context, tag, collective[3]; // shape, count, number

    uint32_t match_valid[channels], match_record[channels], match_session[channels], match_rank[channels], match_context[channels], match_tag[channels], match_collective[channels][3];
    uint32_t match_found[channels], match_mismatch[channels], match_bytes[channels], match_stored[channels], match_buffer[channels];
    uint64_t match_address[channels];
    uint32_t match_waits[channels], match_given[channels]; // waits for what it did not get; got one meanwhile
    uint32_t post_offered[channels], post_host[channels], post_bytes[channels], post_cancels[channels];
    uint32_t posted[channels], landed[channels], landed_bytes[channels], landed_code[channels]; // landed: counted
    uint64_t post_address[channels];
    uint32_t release_valid, release_buffer, channel_release_valid, channel_release_buffer;

    uint32_t query_valid[channels], query_window[channels], query_ok[channels], query_bytes[channels], query_more[channels], query_host[channels];
    uint64_t query_address[channels];

    uint32_t number_valid, number_session, number_host, number_value;
    uint64_t number_vaddr;

    uint32_t put_drain; // beats that the kernel may still take
    uint32_t put_count; // beats in puts that nobody has looked at
    uint64_t put_keep[256];
    uint32_t put_tdest[256], put_last[256];
    uint8_t put_data[256][beat];

    uint32_t fault; // what went wrong in the surroundings
    uint32_t owns[1024]; // sessions that lead to engines of this make
    uint32_t peer_ok[ranks], peer_comm[ranks], peer_rank[ranks], peer_record[ranks], peer_session[ranks];
    uint32_t exchange[exchange_words];
    uint8_t offer_data[4096];
    uint8_t device[memory_bytes], host[memory_bytes];
};

enum Fault { none, write_beyond, keep_wrong, last_wrong, data_early, verdict_unasked, put_too_many, match_unasked };

struct Write {
    uint64_t address;
    bool host;
    uint32_t bytes;
    std::vector<uint8_t> data;
    uint64_t due;
};

struct Stream {
    std::vector<uint8_t> data;
    size_t at = 0;
};

struct Bench {
    VerilatedContext context;
    std::unique_ptr<Vreceive_side> model;
    Face face{};
    uint64_t random;

    std::deque<Stream> streams;
    std::deque<Write> commands, written;
    uint32_t put_level = 0;
    uint32_t exchange_wait = 0, peer_wait = 0;
    bool exchange_busy = false, peer_busy = false;
    bool offered = false; // a beat of payload waits to be taken

    uint64_t next() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random >> 11;
    }
    bool pause() { return (next() & 255) < face.stall; }
    uint32_t wait() { return face.latency ? next() % face.latency : 0; }
    void fail(Fault f) {
        if (!face.fault) face.fault = f;
    }

    void drive();
    void sample();
    void cycle() {
        drive();
        model->clk = 0;
        model->eval();
        sample();
        model->clk = 1;
        model->eval();
        face.cycle++;
    }
};

uint64_t keep_of(size_t bytes) { return bytes >= beat ? ~0ull : (1ull << bytes) - 1; }

template <typename T> void put_bytes(T &words, const uint8_t *from, size_t n) {
    uint8_t all[beat] = {};
    memcpy(all, from, n);
    memcpy(&words[0], all, beat);
}

void Bench::drive() {
    Vreceive_side &m = *model;
    m.reset_messages = face.reset_messages;
    m.reset_network = face.reset_network;

    m.reg_valid = face.reg_valid ? 1 << face.reg_page : 0;
    m.reg_write = face.reg_write;
    m.reg_address = face.reg_address;
    m.reg_wdata = face.reg_wdata;
    m.comm = face.comm;
    m.source = face.source;
    m.destination = face.destination;
    m.context_ = face.context;
    m.tag = face.tag;
    for (uint32_t i = 0; i < 3; i++) m.collective[i] = face.collective[i];

    m.rx_valid = face.offer_valid;
    m.rx_session = face.offer_session;
    m.rx_loop = face.offer_loop;
    m.rx_bytes = face.offer_bytes;
    put_bytes(m.rx_beat, face.offer_data, std::min<size_t>(face.offer_bytes, beat));
    m.session_closed_valid = face.closed_valid;
    m.session_closed = face.closed_session;

    m.match_valid = m.match_waits = m.match_cancels = m.query_valid = 0;
    for (uint32_t i = 0; i < channels; i++) {
        m.match_valid |= face.match_valid[i] << i;
        m.match_waits |= face.match_waits[i] << i;
        m.match_cancels |= face.post_cancels[i] << i;
        m.post_offered = face.post_offered[i] ? m.post_offered | 1 << i : m.post_offered & ~(1 << i);
        m.post_host = face.post_host[i] ? m.post_host | 1 << i : m.post_host & ~(1 << i);
        m.post_address[2 * i] = static_cast<uint32_t>(face.post_address[i]);
        m.post_address[2 * i + 1] = static_cast<uint32_t>(face.post_address[i] >> 32);
        m.post_bytes[i] = face.post_bytes[i];
        m.match_record[i] = face.match_record[i];
        m.match_rank[i] = face.match_rank[i];
        m.match_context[i] = face.match_context[i];
        m.match_tag[i] = face.match_tag[i];
        for (uint32_t j = 0; j < 3; j++) m.match_collective[3 * i + j] = face.match_collective[i][j];
        m.query_valid |= face.query_valid[i] << i;
        m.query_window[i] = face.query_window[i];
        m.query_address[2 * i] = static_cast<uint32_t>(face.query_address[i]);
        m.query_address[2 * i + 1] = static_cast<uint32_t>(face.query_address[i] >> 32);
    }
    m.match_session = 0;
    for (uint32_t i = 0; i < channels; i++) m.match_session |= static_cast<uint64_t>(face.match_session[i] & 0xFFFF) << (16 * i);
    m.release_valid = face.release_valid;
    m.release_buffer = face.release_buffer;
    m.channel_release_valid = face.channel_release_valid;
    m.channel_release_buffer = face.channel_release_buffer;
    m.number_valid = face.number_valid;
    m.number_session = face.number_session;
    m.number_vaddr = face.number_vaddr;
    m.number_host = face.number_host;

    // Payload stays until it is taken.
    if (!streams.empty() && (offered || !pause())) {
        offered = true;
        Stream &s = streams.front();
        size_t n = std::min<size_t>(beat, s.data.size() - s.at);
        m.rx_data_valid = 1;
        put_bytes(m.rx_data, s.data.data() + s.at, n);
        if (n < beat) reinterpret_cast<uint8_t *>(&m.rx_data[0])[beat - 1] = 0xA5; // nobody may look at it
        m.rx_data_keep = keep_of(n);
        m.rx_data_last = s.at + n == s.data.size();
    } else {
        m.rx_data_valid = 0;
    }

    m.write_ready = commands.size() < 8 && !pause();
    m.write_data_ready = !commands.empty() && !pause();
    m.write_done = 0;
    if (!written.empty() && written.front().due <= face.cycle && !pause()) {
        const Write &w = written.front();
        bool good = w.address + w.bytes <= memory_bytes;
        if (good) memcpy((w.host ? face.host : face.device) + w.address, w.data.data(), w.bytes);
        m.write_done = 1;
        m.write_code = good ? 0 : 4;
        written.pop_front();
    }

    m.put_room = put_beats - put_level;
    m.put_ready = put_level < put_beats && !pause();

    // The exchange memory answers after a while.
    m.exchange_done = 0;
    if (exchange_busy && exchange_wait-- == 0) {
        m.exchange_done = 1;
        exchange_busy = false;
    }
    m.peer_done = 0;
    if (peer_busy && peer_wait-- == 0) {
        m.peer_done = m.peer_valid & 1 ? 1 : 2;
        peer_busy = false;
    }
}

void Bench::sample() {
    Vreceive_side &m = *model;
    if (!m.rst && m.own_valid) face.owns[m.own_session & 1023] = 1;
    m.eval();
    face.retries += m.rx_retry;
    face.messages_changed += m.messages_changed;
    face.windows_changed += m.windows_changed;
    face.wakes[0] += m.event_network;
    face.wakes[1] += m.event_message;
    face.wakes[2] += m.event_rendezvous;
    face.network_enable = m.network_enable;
    face.messages_idle = m.messages_idle && m.rendezvous_idle;
    face.network_idle = m.network_idle;

    if (face.reg_valid && (m.reg_ready >> face.reg_page & 1)) {
        face.reg_valid = 0;
        face.reg_rdata = m.reg_rdata[face.reg_page];
        face.reg_error = m.reg_error >> face.reg_page & 1;
    }
    face.closed_valid = 0;

    if (m.rx_verdict_valid) {
        if (!face.offer_valid) fail(verdict_unasked);
        face.offer_valid = 0;
        face.verdict = m.rx_verdict;
        face.take = m.rx_take_bytes;
        face.before = m.rx_before;
        face.rest = m.rx_rest;
        if (m.rx_verdict >= 2 && m.rx_take_bytes) {
            Stream s;
            uint8_t *end = face.offer_data + m.rx_take_bytes - m.rx_before + (m.rx_verdict == 2 ? beat : 0);
            if (m.rx_verdict == 2) {
                s.data.assign(end - m.rx_take_bytes, end);
            } else { // in front of the packet is anything
                while (s.data.size() < m.rx_before) s.data.push_back(static_cast<uint8_t>(next()));
                s.data.insert(s.data.end(), face.offer_data, end);
            }
            streams.push_back(std::move(s));
        }
    }
    if (m.rx_data_valid && m.rx_data_ready) {
        Stream &s = streams.front();
        s.at += beat;
        if (s.at >= s.data.size()) streams.pop_front();
        offered = false;
    }

    if (m.write_data_valid && m.write_data_ready) {
        Write &w = commands.front();
        size_t n = std::min<size_t>(beat, w.bytes - w.data.size());
        if (m.write_data_keep != keep_of(n)) fail(keep_wrong);
        const uint8_t *from = reinterpret_cast<const uint8_t *>(&m.write_data[0]);
        w.data.insert(w.data.end(), from, from + n);
        bool last = w.data.size() == w.bytes;
        if (m.write_data_last != last) fail(last_wrong);
        if (last) {
            w.due = face.cycle + 1 + wait() * 4;
            written.push_back(std::move(w));
            commands.pop_front();
        }
    }
    if (m.write_valid && m.write_ready) {
        Write w{m.write_address, static_cast<bool>(m.write_host), m.write_bytes, {}, 0};
        commands.push_back(w);
    }

    if (m.put_valid && m.put_ready) {
        if (face.put_count == 256) {
            fail(put_too_many);
        } else {
            memcpy(face.put_data[face.put_count], &m.put_data[0], beat);
            face.put_keep[face.put_count] = m.put_keep;
            face.put_tdest[face.put_count] = m.put_tdest;
            face.put_last[face.put_count] = m.put_last;
            face.put_count++;
            put_level++;
        }
    }
    if (face.put_drain && put_level) {
        put_level--;
        face.put_drain--;
    }

    if (m.exchange_valid && !m.exchange_done && !exchange_busy) {
        exchange_busy = true;
        exchange_wait = wait();
        uint32_t &word = face.exchange[m.exchange_address / 4 % exchange_words];
        m.exchange_rdata = word;
        if (m.exchange_operation == 1) word = m.exchange_wdata;
        if (m.exchange_operation == 2) word += m.exchange_wdata;
    }
    if (m.peer_valid && !m.peer_done && !peer_busy) {
        peer_busy = true;
        peer_wait = 5 + wait();
        uint32_t which = m.peer_valid & 1 ? 0 : 1;
        uint32_t comm = m.peer_comm >> (32 * which), rank = m.peer_rank >> (32 * which);
        m.peer_ok = 0;
        for (uint32_t i = 0; i < ranks; i++)
            if (face.peer_ok[i] && face.peer_comm[i] == comm && face.peer_rank[i] == rank) {
                m.peer_ok = 1;
                m.peer_record = face.peer_record[i];
                m.peer_session = face.peer_session[i];
            }
    }

    bool asked = face.reg_valid || face.number_valid;
    for (uint32_t i = 0; i < channels; i++) {
        if (!m.rst && m.match_done >> i & 1) {
            if (!face.match_valid[i]) {
                if (!face.match_waits[i]) face.fault = match_unasked;
                face.match_given[i]++;
            }
            face.match_valid[i] = face.match_waits[i] = 0;
            face.match_found[i] = m.match_found;
            face.match_mismatch[i] = m.match_mismatch;
            face.match_bytes[i] = m.match_bytes;
            face.match_address[i] = m.match_address;
            face.match_stored[i] = m.match_stored;
            face.match_buffer[i] = m.match_buffer;
        }
        face.posted[i] = m.match_posted >> i & 1;
        if (m.match_landed >> i & 1) {
            face.landed[i]++;
            face.landed_bytes[i] = m.match_landed_bytes;
            face.landed_code[i] = m.match_landed_code;
        }
        if (m.query_done >> i & 1) {
            face.query_valid[i] = 0;
            face.query_ok[i] = m.query_ok;
            face.query_bytes[i] = m.query_bytes;
            face.query_more[i] = m.query_more;
            face.query_host[i] = m.query_host;
        }
        asked = asked || face.match_valid[i] || face.query_valid[i];
    }
    if (face.release_valid && m.release_ready) face.release_valid = 0;
    if (face.channel_release_valid && m.channel_release_ready) face.channel_release_valid = 0;
    if (face.number_valid && m.number_done) {
        face.number_valid = 0;
        face.number_value = m.number_value;
    }
    face.busy = asked | (face.release_valid || face.channel_release_valid) << 1 | !streams.empty() << 2 | !commands.empty() << 3 |
                !written.empty() << 4 | m.write_valid << 5 | m.exchange_valid << 6;
}

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench *inbound_new(uint64_t seed) {
    Bench *b = new Bench;
    b->random = seed * 0x9E3779B97F4A7C15ull + 0x2545F4914F6CDD1Dull;
    b->context.randReset(2);
    b->context.randSeed(static_cast<int>(seed & 0x7FFFFFFF) + 1);
    b->model = std::make_unique<Vreceive_side>(&b->context);
    b->model->rst = 1;
    b->model->exchange_rdata = b->model->write_code = b->model->peer_ok = b->model->peer_record = b->model->peer_session = 0;
    for (int i = 0; i < 4; i++) b->cycle();
    b->model->rst = 0;
    memset(b->face.wakes, 0, sizeof b->face.wakes);
    b->face.retries = b->face.messages_changed = b->face.windows_changed = b->face.fault = b->face.offer_valid = 0;
    b->streams.clear();
    b->offered = false;
    b->commands.clear();
    b->written.clear();
    b->put_level = b->face.put_count = 0;
    b->exchange_busy = b->peer_busy = false;
    return b;
}

API Face *inbound_face(Bench *b) { return &b->face; }

API void inbound_step(Bench *b, uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; i++) b->cycle();
}

API void inbound_free(Bench *b) {
    b->model->final();
    delete b;
}
