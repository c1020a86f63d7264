// Reductions of the reference plugin. They give the bits that its RTL gives.
#ifndef REDUCE_OPS_HPP
#define REDUCE_OPS_HPP

#include "cclo_hls.hpp"
#include "ieee754.hpp"

inline cclo::types::float16 sum(cclo::types::float16 a, cclo::types::float16 b) {
    return {ieee754::sum<5, 10>(a.bits, b.bits)};
}
inline cclo::types::float32 sum(cclo::types::float32 a, cclo::types::float32 b) {
    return {ieee754::sum<8, 23>(a.bits, b.bits)};
}
inline cclo::types::float64 sum(cclo::types::float64 a, cclo::types::float64 b) {
    return {ieee754::sum<11, 52>(a.bits, b.bits)};
}
inline cclo::types::int32 sum(cclo::types::int32 a, cclo::types::int32 b) {
    return {ap_uint<32>(a.bits + b.bits)};
}
inline cclo::types::int64 sum(cclo::types::int64 a, cclo::types::int64 b) {
    return {ap_uint<64>(a.bits + b.bits)};
}

inline cclo::types::float16 max(cclo::types::float16 a, cclo::types::float16 b) {
    return {ieee754::maximum<5, 10>(a.bits, b.bits)};
}
inline cclo::types::float32 max(cclo::types::float32 a, cclo::types::float32 b) {
    return {ieee754::maximum<8, 23>(a.bits, b.bits)};
}
inline cclo::types::float64 max(cclo::types::float64 a, cclo::types::float64 b) {
    return {ieee754::maximum<11, 52>(a.bits, b.bits)};
}
inline cclo::types::int32 max(cclo::types::int32 a, cclo::types::int32 b) {
    return ap_int<32>(a.bits) > ap_int<32>(b.bits) ? a : b;
}
inline cclo::types::int64 max(cclo::types::int64 a, cclo::types::int64 b) {
    return ap_int<64>(a.bits) > ap_int<64>(b.bits) ? a : b;
}

inline cclo::types::float16 min(cclo::types::float16 a, cclo::types::float16 b) {
    return {ieee754::minimum<5, 10>(a.bits, b.bits)};
}
inline cclo::types::float32 min(cclo::types::float32 a, cclo::types::float32 b) {
    return {ieee754::minimum<8, 23>(a.bits, b.bits)};
}
inline cclo::types::float64 min(cclo::types::float64 a, cclo::types::float64 b) {
    return {ieee754::minimum<11, 52>(a.bits, b.bits)};
}
inline cclo::types::int32 min(cclo::types::int32 a, cclo::types::int32 b) {
    return ap_int<32>(a.bits) < ap_int<32>(b.bits) ? a : b;
}
inline cclo::types::int64 min(cclo::types::int64 a, cclo::types::int64 b) {
    return ap_int<64>(a.bits) < ap_int<64>(b.bits) ? a : b;
}

inline cclo::types::float16 prod(cclo::types::float16 a, cclo::types::float16 b) {
    return {ieee754::product<5, 10>(a.bits, b.bits)};
}
inline cclo::types::float32 prod(cclo::types::float32 a, cclo::types::float32 b) {
    return {ieee754::product<8, 23>(a.bits, b.bits)};
}
inline cclo::types::float64 prod(cclo::types::float64 a, cclo::types::float64 b) {
    return {ieee754::product<11, 52>(a.bits, b.bits)};
}
inline cclo::types::int32 prod(cclo::types::int32 a, cclo::types::int32 b) {
    return {ap_uint<32>(a.bits * b.bits)};
}
inline cclo::types::int64 prod(cclo::types::int64 a, cclo::types::int64 b) {
    return {ap_uint<64>(a.bits * b.bits)};
}

#endif
