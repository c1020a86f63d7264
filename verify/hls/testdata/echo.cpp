// A component by hand: what comes in goes out, with what static variables have
// counted in TDEST. It can be told by the TDEST of a beat to fail, to poll, or to
// wait for something else.
#include "component.h"

#include <deque>
#include <string>

// Compilers that may do so make these unique: one in a process, whatever is loaded.
template <class T> struct __attribute__((visibility("default"))) counted {
    static uint32_t opened;
};
template <class T> uint32_t counted<T>::opened = 0;

__attribute__((visibility("default"))) inline uint32_t &passed() {
    static uint32_t n = 0;
    return n;
}

namespace {

struct echo {
    uint32_t depth;
    std::deque<cclo_beat> in, out;
    uint64_t read = 0, written = 0, calls = 0, sum = 0;
    bool called = false;
    uint32_t doing = cclo_reads;
    std::string text;
};

const cclo_port ports[] = {{"in", 0, 512, 8}, {"out_r", 1, 512, 0}};
const cclo_argument arguments[] = {{"count", 0x10, 32, 0}, {"to", 0x18, 64, 1}};

echo *of(void *c) { return static_cast<echo *>(c); }

} // namespace

#define API extern "C" __attribute__((visibility("default")))

#ifndef VERSION
#define VERSION CCLO_COMPONENT_VERSION
#endif

API uint32_t cclo_version() { return VERSION; }
API const char *cclo_kernel() { return "echo"; }
API uint32_t cclo_free_running() { return 1; }
API uint32_t cclo_ports(const cclo_port **p) { *p = ports; return 2; }
API uint32_t cclo_arguments(const cclo_argument **a) { *a = arguments; return 2; }
API void *cclo_open(uint32_t depth) { ++counted<int>::opened; return new echo{depth}; }
API void cclo_close(void *c) { delete of(c); }
API uint32_t cclo_put(void *c, uint32_t, const cclo_beat *b, uint32_t n) {
    uint32_t done = 0;
    for (; done < n && of(c)->in.size() < of(c)->depth; ++done) of(c)->in.push_back(b[done]);
    return done;
}
API uint32_t cclo_get(void *c, uint32_t, cclo_beat *b, uint32_t n) {
    uint32_t done = 0;
    for (; done < n && !of(c)->out.empty(); ++done) {
        b[done] = of(c)->out.front();
        of(c)->out.pop_front();
    }
    return done;
}
API uint32_t cclo_count(void *c, uint32_t port) { return port == 0 ? of(c)->depth - of(c)->in.size() : of(c)->out.size(); }
API uint64_t cclo_moved(void *c, uint32_t port) { return port == 0 ? of(c)->read : of(c)->written; }
API uint32_t cclo_start(void *c, const uint64_t *a) {
    if (of(c)->called) return 0;
    of(c)->called = true;
    for (uint64_t i = 0; i < a[0]; ++i) reinterpret_cast<uint32_t *>(a[1])[i] += 7;
    return 1;
}
API void cclo_run(void *p, cclo_state *s) {
    echo *c = of(p);
    if (c->called) {
        c->called = false;
        ++c->calls;
    }
    while (c->doing != cclo_failed) {
        if (c->in.empty()) {
            c->doing = cclo_reads;
            break;
        }
        if (c->out.size() == c->depth) {
            c->doing = cclo_writes;
            break;
        }
        cclo_beat b = c->in.front();
        c->in.pop_front();
        ++c->read;
        if (b.dest == 99) {
            c->doing = cclo_failed;
            c->text = "it was told to";
            break;
        }
        if (b.dest == 98) {
            c->doing = cclo_polls;
            break;
        }
        b.dest = counted<int>::opened << 16 | ++passed();
        c->out.push_back(b);
        ++c->written;
    }
    *s = {c->doing, c->doing == cclo_reads ? 0 : c->doing == cclo_writes ? 1 : -1, c->calls, c->text.c_str()};
}
