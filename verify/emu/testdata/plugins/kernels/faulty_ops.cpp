// A reduction plugin that does what TDEST says: 0 adds int32, everything else is a
// mistake of its own.
#include "cclo_hls.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

using operand_beat = cclo::beat<8>;
using result_beat = cclo::beat<0>;

enum {
    sums = 0,
    reads_twice = 1,
    forgets_last = 2,
    writes_more = 3,
    lacks_tlast = 4,
    early_tlast = 5,
    wrong_keep = 6,
    leaves_operand = 7,
    writes_input = 8,
    never_comes_back = 9,
    only_looks = 10,
    throws = 11,
    counts_looks = 12,
};

void faulty_ops(hls::stream<operand_beat> &in0, hls::stream<result_beat> &in1, hls::stream<result_beat> &out_r) {
    static unsigned beat = 0; // of the packet
    const operand_beat a = in0.read();
    const unsigned what = a.dest.to_uint();
    beat++;
    if (what == never_comes_back && beat == 3)
        std::this_thread::sleep_for(std::chrono::seconds(6)); // as good as for ever
    if (what == only_looks && beat == 3)
        while (!in0.empty() || true)
            ;
    for (unsigned looks = 0; what == counts_looks && looks < 2000; looks++)
        in1.full();
    if (what == throws && beat == 3)
        throw std::runtime_error("the third beat does not suit me");
    if (what == reads_twice && beat == 3)
        in1.read();
    if (what == writes_input && beat == 3)
        in1.write(result_beat());
    result_beat b = result_beat();
    if (what != leaves_operand || beat != 3)
        b = in1.read();
    result_beat out = result_beat();
    for (int i = 0; i < 16; i++)
        out.data.range(32 * i + 31, 32 * i) = ap_uint<32>(a.data.range(32 * i + 31, 32 * i)) + ap_uint<32>(b.data.range(32 * i + 31, 32 * i));
    out.keep = a.keep;
    out.last = a.last;
    if (what == lacks_tlast)
        out.last = 0;
    if (what == early_tlast && beat == 3)
        out.last = 1;
    if (what == wrong_keep && beat == 3)
        out.keep[63] = 0;
    if (what != forgets_last || !a.last)
        out_r.write(out);
    if (what == writes_more && a.last)
        out_r.write(out);
    if (a.last)
        beat = 0;
}
