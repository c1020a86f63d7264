// What a kernel does to its call streams, as text.
#ifndef PROBE_HPP
#define PROBE_HPP

#include <cstdio>

#include "cclo_hls.hpp"

struct Probe {
    hls::stream<cclo::word> cmd;
    hls::stream<cclo::word> sts;

    void answer(uint32_t code) {
        cclo::word w;
        w.data = code;
        w.keep = -1;
        w.strb = -1;
        w.last = 1;
        sts.write(w);
    }

    void report(uint32_t answered) {
        while (!cmd.empty()) {
            const cclo::word w = cmd.read();
            std::printf("%x:%d:%x ", w.data.to_uint(), static_cast<int>(w.last), w.keep.to_uint());
        }
        std::printf("-> %x\n", answered);
    }
};

#endif
