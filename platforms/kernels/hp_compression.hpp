// Conversions of the reference plugin. They give the bits that its RTL gives.
#ifndef HP_COMPRESSION_HPP
#define HP_COMPRESSION_HPP

#include "cclo_hls.hpp"
#include "ieee754.hpp"

inline cclo::types::float16 float32_to_float16(cclo::types::float32 a) {
    return {ieee754::narrow<8, 23, 5, 10>(a.bits)};
}
inline cclo::types::float32 float16_to_float32(cclo::types::float16 a) {
    return {ieee754::widen<5, 10, 8, 23>(a.bits)};
}

#endif
