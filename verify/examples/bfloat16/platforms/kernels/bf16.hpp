// What the engine does with bfloat16. ieee754.hpp is exact in hardware, too;
// operators on float would take subnormal numbers for zero there.
#include "cclo_hls.hpp"
#include "ieee754.hpp"

using cclo::types::bfloat16;
using cclo::types::float32;

inline bfloat16 sum(bfloat16 a, bfloat16 b) { return {ieee754::sum<8, 7>(a.bits, b.bits)}; }

// Rounds to nearest, ties to even.
inline bfloat16 float32_to_bfloat16(float32 a) {
    const bool is_nan = a.bits.range(30, 0) > 0x7F800000;
    const bool odd = a.bits[16] == 1;
    const ap_uint<32> rounded = a.bits + 0x7FFF + odd;
    return {is_nan ? ap_uint<16>(0x7FC0) : ap_uint<16>(rounded >> 16)};
}

inline float32 bfloat16_to_float32(bfloat16 a) {
    const bool is_nan = a.bits.range(14, 0) > 0x7F80;
    const ap_uint<32> widened = ap_uint<32>(a.bits) << 16;
    return {is_nan ? ap_uint<32>(0x7FC00000) : widened};
}
