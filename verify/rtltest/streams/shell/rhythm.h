// When a stream is idle or stalled: at random, with stretches of nothing and of
// full rate between.
#pragma once

#include <cstdint>

struct Random {
    uint64_t state;

    uint64_t next() { // splitmix64
        uint64_t z = (state += 0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
};

struct Rhythm {
    Random& random;
    uint64_t pauses; // of 256 cycles
    uint64_t left = 0, now = 0;

    // Whether the stream is active in this cycle.
    bool next() {
        if (pauses == 0) return true;
        uint64_t r = random.next();
        if (left == 0) {
            left = 1 + r % 32;
            const uint64_t modes[4] = {0, pauses, pauses, 256};
            now = modes[r >> 8 & 3];
        }
        left--;
        return (r >> 16 & 0xFF) >= now;
    }
};
