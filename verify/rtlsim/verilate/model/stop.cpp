// What happens when a model prints or stops, unless its shell has functions of its own.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "verilated.h"

[[gnu::weak]] int sim_print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = std::vfprintf(stderr, format, args);
    va_end(args);
    return n;
}

[[gnu::weak]] void vl_fatal(const char *file, int line, const char *, const char *message) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, message);
    std::abort();
}

[[gnu::weak]] void vl_stop(const char *file, int line, const char *in) { vl_fatal(file, line, in, "the model stops"); }
[[gnu::weak]] void vl_finish(const char *file, int line, const char *in) { vl_fatal(file, line, in, "$finish"); }
