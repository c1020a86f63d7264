// The operators of ap_int.h, between our integers, their parts and C integers. For
// tests only.
#ifndef CCLO_SIM_OPERATORS_HPP
#define CCLO_SIM_OPERATORS_HPP

#include <ostream>

#include "cclo_references.hpp"

namespace cclo_sim {

constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }

template <class A, class B> struct results {
    static constexpr int w1 = A::width, w2 = B::width;
    static constexpr bool s1 = A::sign, s2 = B::sign;
    // An unsigned operand beside a signed one needs a bit for its sign.
    static constexpr int common = larger(w1 + (s2 && !s1), w2 + (s1 && !s2));
    using plus = ap_int_base<common + 1, s1 || s2>;
    using minus = ap_int_base<common + 1, true>;
    using times = ap_int_base<w1 + w2, s1 || s2>;
    using quotient = ap_int_base<w1 + s2, s1 || s2>;
    using remainder = ap_int_base<smaller(w1, w2 + (!s2 && s1)), s1>;
    using logic = ap_int_base<common, s1 || s2>;
};
template <class A, class B> using results_t = results<shape_t<A>, shape_t<B>>;

template <class R, class A, class B> CCLO_SIM_INLINE R add(const A &a, const B &b) {
    R r;
    if constexpr (R::small) {
        r.set_limb(0, a.limb(0) + b.limb(0));
    } else {
        bool carry = false;
        for (int i = 0; i < R::words; i++) {
            const uint128 sum = uint128(a.limb(i)) + b.limb(i) + carry;
            r.set_limb(i, uint64_t(sum));
            carry = sum >> 64 != 0;
        }
    }
    return r;
}

template <class R, class A, class B> CCLO_SIM_INLINE R subtract(const A &a, const B &b) {
    R r;
    if constexpr (R::small) {
        r.set_limb(0, a.limb(0) - b.limb(0));
    } else {
        bool carry = true;
        for (int i = 0; i < R::words; i++) {
            const uint128 sum = uint128(a.limb(i)) + ~b.limb(i) + carry;
            r.set_limb(i, uint64_t(sum));
            carry = sum >> 64 != 0;
        }
    }
    return r;
}

template <class R, class A, class B> CCLO_SIM_INLINE R multiply(const A &a, const B &b) {
    R r;
    if constexpr (R::small) {
        r.set_limb(0, a.limb(0) * b.limb(0));
    } else {
        uint64_t x[R::words], y[R::words], product[R::words];
        a.store(x, R::words);
        b.store(y, R::words);
        multiply_words(product, x, y, R::words);
        r.load(product);
    }
    return r;
}

// The quotient, or the remainder, which has the sign of the dividend.
template <class R, bool Rest, class A, class B> inline R divide(const A &a, const B &b) {
    if (!b.or_reduce())
        fail("a division by zero");
    R r;
    if constexpr (A::width < 64 && B::width < 64) {
        const int64_t x = int64_t(a.limb(0)), y = int64_t(b.limb(0));
        r.set_limb(0, uint64_t(Rest ? x % y : x / y));
    } else {
        constexpr int n = larger(A::words, B::words);
        uint64_t x[n], y[n], rest[n];
        a.store(x, n);
        b.store(y, n);
        if (a.sign())
            negate_words(x, n);
        if (b.sign())
            negate_words(y, n);
        divide_words(x, y, rest, n);
        uint64_t *result = Rest ? rest : x;
        const bool negative = Rest ? a.sign() : a.sign() != b.sign();
        // The quotient may need a bit more than the words have: its sign.
        uint64_t wide[n + 1] = {};
        for (int i = 0; i < n; i++)
            wide[i] = result[i];
        if (negative)
            negate_words(wide, n + 1);
        for (int i = 0; i < R::words; i++)
            r.set_limb(i, wide[i]);
    }
    return r;
}

template <class R, class A, class B, class F> CCLO_SIM_INLINE R logic(const A &a, const B &b, F f) {
    R r;
    for (int i = 0; i < R::words; i++)
        r.set_limb(i, f(a.limb(i), b.limb(i)));
    return r;
}

// Comparisons of operands that are both signed, or both unsigned, are those of numbers.
// Mixed ones are as documented by what C does: equal is what is equal in as many bits
// as the wider operand has, at least 32; and if the unsigned operand has 32 bits or more
// and is not the narrower one, whatever is negative is above all else.
template <int W1, bool S1, int W2, bool S2>
CCLO_SIM_INLINE bool equal(const ap_int_base<W1, S1> &a, const ap_int_base<W2, S2> &b) {
    constexpr int bits = larger(larger(W1, W2), 32);
    constexpr int words = (bits + 63) / 64;
    uint64_t differ = (a.limb(words - 1) ^ b.limb(words - 1)) & low_mask(bits - (words - 1) * 64);
    for (int i = 0; i < words - 1; i++)
        differ |= a.limb(i) ^ b.limb(i);
    return differ == 0;
}

template <int W1, bool S1, int W2, bool S2>
CCLO_SIM_INLINE bool less(const ap_int_base<W1, S1> &a, const ap_int_base<W2, S2> &b) {
    constexpr bool as_numbers =
        S1 == S2 || (W1 < 32 && W2 < 32) || (S1 ? W2 < W1 : W1 < W2);
    if (a.sign() != b.sign())
        return a.sign() == as_numbers;
    for (int i = larger(a.words, b.words) - 1; i > 0; i--)
        if (a.limb(i) != b.limb(i))
            return a.limb(i) < b.limb(i);
    return a.limb(0) < b.limb(0);
}

template <int W, bool S> inline ap_int_base<W, S> shift_left(const ap_int_base<W, S> &x, int n) {
    ap_int_base<W, S> r;
    if (n >= W)
        return r;
    if constexpr (ap_int_base<W, S>::small) {
        r.set_limb(0, x.limb(0) << n);
    } else {
        const int i = n / 64, s = n % 64;
        for (int k = r.words - 1; k >= i; k--)
            r.set_limb(k, x.v[k - i] << s | (s && k > i ? x.v[k - i - 1] >> (64 - s) : 0));
    }
    return r;
}

template <int W, bool S> inline ap_int_base<W, S> shift_right(const ap_int_base<W, S> &x, int n) {
    ap_int_base<W, S> r;
    if constexpr (ap_int_base<W, S>::small) {
        if (n >= W)
            r.set_limb(0, x.fill());
        else
            r.set_limb(0, S ? uint64_t(int64_t(x.limb(0)) >> n) : x.limb(0) >> n);
    } else {
        if (n >= W) {
            for (int k = 0; k < r.words; k++)
                r.set_limb(k, x.fill());
            return r;
        }
        const int i = n / 64, s = n % 64;
        for (int k = 0; k < r.words; k++)
            r.set_limb(k, x.limb(k + i) >> s | (s ? x.limb(k + i + 1) << (64 - s) : 0));
    }
    return r;
}

// How far to shift, at most `most` either way: a negative amount shifts the other way.
template <class T> CCLO_SIM_INLINE int distance(const T &by, int most) {
    const auto &n = value_of(by);
    const int64_t near = int64_t(n.limb(0));
    for (int i = 1; i < n.words; i++)
        if (n.limb(i) != n.fill())
            return n.sign() ? -most : most;
    if (n.sign())
        return near >= 0 || near < -most ? -most : int(near);
    return n.limb(0) > uint64_t(most) ? most : int(near);
}

template <bool Left, int W, bool S, class T>
CCLO_SIM_INLINE ap_int_base<W, S> shift(const ap_int_base<W, S> &x, const T &by) {
    const int n = distance(by, W);
    return (n >= 0) == Left ? shift_left(x, n >= 0 ? n : -n) : shift_right(x, n >= 0 ? n : -n);
}

} // namespace cclo_sim

// x and y are the operands as our integers, R is the result's type.
#define CCLO_SIM_ARITHMETIC(OPERATOR, RESULT, ...)                                                                     \
    template <class A, class B, cclo_sim::if_pair<A, B> = 0>                                                           \
    CCLO_SIM_INLINE typename cclo_sim::results_t<A, B>::RESULT operator OPERATOR(const A &a, const B &b) {             \
        using R = typename cclo_sim::results_t<A, B>::RESULT;                                                          \
        const auto &x = cclo_sim::value_of(a);                                                                         \
        const auto &y = cclo_sim::value_of(b);                                                                         \
        return __VA_ARGS__;                                                                                            \
    }                                                                                                                  \
    template <int W, bool S, class B, cclo_sim::if_number<B> = 0>                                                      \
    CCLO_SIM_INLINE ap_int_base<W, S> &operator OPERATOR##=(ap_int_base<W, S> &a, const B &b) {                        \
        return a = a OPERATOR b;                                                                                       \
    }

CCLO_SIM_ARITHMETIC(+, plus, cclo_sim::add<R>(x, y))
CCLO_SIM_ARITHMETIC(-, minus, cclo_sim::subtract<R>(x, y))
CCLO_SIM_ARITHMETIC(*, times, cclo_sim::multiply<R>(x, y))
CCLO_SIM_ARITHMETIC(/, quotient, cclo_sim::divide<R, false>(x, y))
CCLO_SIM_ARITHMETIC(%, remainder, cclo_sim::divide<R, true>(x, y))
CCLO_SIM_ARITHMETIC(&, logic, cclo_sim::logic<R>(x, y, [](uint64_t p, uint64_t q) { return p & q; }))
CCLO_SIM_ARITHMETIC(|, logic, cclo_sim::logic<R>(x, y, [](uint64_t p, uint64_t q) { return p | q; }))
CCLO_SIM_ARITHMETIC(^, logic, cclo_sim::logic<R>(x, y, [](uint64_t p, uint64_t q) { return p ^ q; }))
#undef CCLO_SIM_ARITHMETIC

#define CCLO_SIM_COMPARE(OPERATOR, EXPRESSION)                                                                         \
    template <class A, class B, cclo_sim::if_pair<A, B> = 0>                                                           \
    CCLO_SIM_INLINE bool operator OPERATOR(const A &a, const B &b) {                                                   \
        const auto &x = cclo_sim::value_of(a);                                                                         \
        const auto &y = cclo_sim::value_of(b);                                                                         \
        return EXPRESSION;                                                                                             \
    }

CCLO_SIM_COMPARE(==, cclo_sim::equal(x, y))
CCLO_SIM_COMPARE(!=, !cclo_sim::equal(x, y))
CCLO_SIM_COMPARE(<, cclo_sim::less(x, y))
CCLO_SIM_COMPARE(>, cclo_sim::less(y, x))
CCLO_SIM_COMPARE(<=, !cclo_sim::less(y, x))
CCLO_SIM_COMPARE(>=, !cclo_sim::less(x, y))
#undef CCLO_SIM_COMPARE

// A C integer that is shifted stays one.
#define CCLO_SIM_SHIFT(OPERATOR, LEFT)                                                                                 \
    template <class A, class B, cclo_sim::if_own<A> = 0, cclo_sim::if_number<B> = 0>                                   \
    CCLO_SIM_INLINE ap_int_base<cclo_sim::shape_t<A>::width, cclo_sim::shape_t<A>::sign> operator OPERATOR(            \
        const A &a, const B &by) {                                                                                     \
        return cclo_sim::shift<LEFT>(cclo_sim::value_of(a), by);                                                       \
    }                                                                                                                  \
    template <class A, class B, std::enable_if_t<std::is_integral<A>::value, int> = 0, cclo_sim::if_own<B> = 0>        \
    CCLO_SIM_INLINE A operator OPERATOR(A a, const B &by) {                                                            \
        return static_cast<A>(cclo_sim::shift<LEFT>(cclo_sim::value_of(a), by));                                       \
    }                                                                                                                  \
    template <int W, bool S, class B, cclo_sim::if_number<B> = 0>                                                      \
    CCLO_SIM_INLINE ap_int_base<W, S> &operator OPERATOR##=(ap_int_base<W, S> &a, const B &by) {                       \
        return a = a OPERATOR by;                                                                                      \
    }

CCLO_SIM_SHIFT(<<, true)
CCLO_SIM_SHIFT(>>, false)
#undef CCLO_SIM_SHIFT

template <class A, cclo_sim::if_own<A> = 0> CCLO_SIM_INLINE auto operator-(const A &a) {
    return ap_int_base<1, false>() - a;
}
template <class A, cclo_sim::if_own<A> = 0>
CCLO_SIM_INLINE ap_int_base<cclo_sim::shape_t<A>::width, cclo_sim::shape_t<A>::sign> operator+(const A &a) {
    return cclo_sim::value_of(a);
}
template <int W, bool S> CCLO_SIM_INLINE ap_int_base<W, S> operator~(const ap_int_base<W, S> &x) {
    ap_int_base<W, S> r;
    for (int i = 0; i < r.words; i++)
        r.set_limb(i, ~x.limb(i));
    return r;
}
template <int W, bool S> CCLO_SIM_INLINE ap_int_base<W, false> operator~(const ap_range_ref<W, S> &x) {
    return ~x.get();
}

// In the base that the stream is set to.
template <class A, cclo_sim::if_own<A> = 0> std::ostream &operator<<(std::ostream &out, const A &a) {
    const auto base = out.flags() & std::ios_base::basefield;
    const auto &x = cclo_sim::value_of(a);
    if (base == std::ios_base::hex)
        return out << x.to_string(16, false);
    if (base == std::ios_base::oct)
        return out << x.to_string(8, false);
    return out << x.to_string(10);
}

#endif
