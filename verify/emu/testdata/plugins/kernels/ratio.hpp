#include "cclo_hls.hpp"

using namespace cclo::types;

inline int32 sum(const int32 &a, const int32 &b) {
    int32 out;
    out.bits = a.bits + b.bits;
    return out;
}

inline tally sum(const tally &a, const tally &b) {
    tally out;
    out.bits = a.bits + b.bits;
    return out;
}

template <class To, unsigned N, class From>
cclo::block<To, N> repeated(const From &from) {
    cclo::block<To, N> out;
    for (unsigned i = 0; i < N; i++) {
#pragma HLS UNROLL
        out.at[i].bits = ap_int<32>(ap_int<cclo::element<From>::bytes * 8>(from.bits));
    }
    return out;
}

template <class To, class From, unsigned N>
To first(const cclo::block<From, N> &from) {
    To out;
    out.bits = ap_int<cclo::element<To>::bytes * 8>(ap_int<32>(from.at[0].bits));
    return out;
}

inline quarter int32_to_quarter(const cclo::block<int32, 4> &from) { return first<quarter>(from); }
inline sixteenth int32_to_sixteenth(const cclo::block<int32, 16> &from) { return first<sixteenth>(from); }
inline tally int32_to_tally(const cclo::block<int32, 4> &from) { return first<tally>(from); }
inline cclo::block<int32, 4> quarter_to_int32(const quarter &from) { return repeated<int32, 4>(from); }
inline cclo::block<int32, 16> sixteenth_to_int32(const sixteenth &from) { return repeated<int32, 16>(from); }
inline cclo::block<int32, 4> tally_to_int32(const tally &from) { return repeated<int32, 4>(from); }
