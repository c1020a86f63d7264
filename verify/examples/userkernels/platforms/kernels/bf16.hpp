// What the engine does with bfloat16. ieee754.hpp is exact in hardware, too;
// operators on float would take subnormal numbers for zero there.
#include "cclo_hls.hpp"
#include "ieee754.hpp"

using cclo::types::bfloat16;
using cclo::types::float32;

inline bfloat16 sum(bfloat16 a, bfloat16 b) { return {ieee754::sum<8, 7>(a.bits, b.bits)}; }
inline bfloat16 float32_to_bfloat16(float32 a) { return {ieee754::narrow<8, 23, 8, 7>(a.bits)}; }
inline float32 bfloat16_to_float32(bfloat16 a) { return {ieee754::widen<8, 7, 8, 23>(a.bits)}; }
