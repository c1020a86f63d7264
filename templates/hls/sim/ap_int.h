// Stand-in for the vendor's header of the same name, for tests only: integers of
// any width, ap_uint<W> and ap_int<W> for W from 1 to 4096.
//
// Results are as wide as the vendor documents: a sum has one bit more than the
// wider operand, a product the bits of both, a quotient those of the dividend
// (one more if the divisor is signed), a remainder those of the narrower operand,
// logic those of the wider one; an unsigned operand beside a signed one counts
// one bit more. Shifts keep the type of their left operand; assignments truncate
// or extend. There are ranges (hi, lo), single bits [i] and concatenations (a, b),
// each to be read and written, reductions, conversions and strings.
//
// Unlike the vendor's, a variable without a value is zero, and a bit outside of a
// value or a division by zero throws cclo_sim::error. A value lies in memory like
// the next C integer, or as 64-bit words, the lowest first, and may be looked at
// through a pointer to another type. As with the vendor's, `half` comes along.
#ifndef CCLO_SIM_AP_INT_H
#define CCLO_SIM_AP_INT_H

#include "cclo_operators.hpp"
#include "hls_half.h"

template <int W> struct __attribute__((may_alias)) ap_uint : ap_int_base<W, false> {
    using base = ap_int_base<W, false>;
    using base::base;
    ap_uint() = default;
    ap_uint(const ap_uint &) = default;
    ap_uint &operator=(const ap_uint &) = default;
    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE ap_uint &operator=(const T &x) {
        this->assign(x);
        return *this;
    }
    ap_uint(const base &x) : base(x) {}
};

template <int W> struct __attribute__((may_alias)) ap_int : ap_int_base<W, true> {
    using base = ap_int_base<W, true>;
    using base::base;
    ap_int() = default;
    ap_int(const ap_int &) = default;
    ap_int &operator=(const ap_int &) = default;
    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE ap_int &operator=(const T &x) {
        this->assign(x);
        return *this;
    }
    ap_int(const base &x) : base(x) {}
};

#endif
