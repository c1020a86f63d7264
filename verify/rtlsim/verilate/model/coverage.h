// Takes the points of coverage that a model has, and keeps what was hit when the
// model ends. Included before everything else.
#pragma once

#ifdef __cplusplus

#include <cstdint>
#include <string>

#include "verilated_cov.h"

namespace coverage {

struct Point {
    std::string file, page, comment, lines; // lines: those that a point of page v_line or v_branch stands for
    int line, column;
};

// Says that the context has a counter of a point.
void insert(const void *context, const uint32_t *counter, const Point &point);

// What Verilator calls it with are names and values in turn.
inline void insert(const void *context, const uint32_t *counter, const char *, const char *file, const char *, int line,
                   const char *, int column, const char *, const std::string &, const char *, const char *page,
                   const char *, const char *comment, const char *, const char *lines) {
    insert(context, counter, Point{file, page, comment, lines, line, column});
}

} // namespace coverage

#undef VL_COVER_INSERT
#define VL_COVER_INSERT(context, counter, ...) coverage::insert(context, counter, __VA_ARGS__)

#endif
