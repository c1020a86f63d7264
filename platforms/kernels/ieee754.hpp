// Sums, products, maxima, minima and conversions of IEEE 754 binary numbers of any format up to 64
// bits, by integer arithmetic on their bits: exact, rounded once to nearest with
// ties to even, with subnormal numbers. Every NaN is the canonical quiet one.
// Operators on float and double do less in hardware: they flush subnormals.
//
// A format is given by the bits of its exponent and fraction: float16 is <5, 10>,
// bfloat16 <8, 7>, float32 <8, 23> and float64 <11, 52>.
#ifndef IEEE754_HPP
#define IEEE754_HPP

#include "cclo_hls.hpp"

namespace ieee754 {

template <int EXPONENT, int FRACTION> struct format {
    static const int width = 1 + EXPONENT + FRACTION;
    static const int bias = (1 << (EXPONENT - 1)) - 1;
    typedef ap_uint<width> number;
    typedef ap_uint<width - 1> magnitude; // without the sign

    static magnitude infinity() { return magnitude(((uint64_t(1) << EXPONENT) - 1) << FRACTION); }
    static magnitude nan() { return magnitude(((uint64_t(2) << EXPONENT) - 1) << (FRACTION - 1)); }

    static bool is_negative(number n) { return n[width - 1] != 0; }
    static magnitude without_sign(number n) { return magnitude(n); }

    // Exponent as it is encoded, but that of subnormals is 1, as what it means.
    static unsigned exponent(number n) {
        const unsigned encoded = ap_uint<EXPONENT>(n >> FRACTION).to_uint();
        return encoded == 0 ? 1 : encoded;
    }

    // Leading bit and fraction.
    static ap_uint<FRACTION + 1> significand(number n) {
        ap_uint<FRACTION + 1> s = n;
        s[FRACTION] = ap_uint<EXPONENT>(n >> FRACTION) != 0;
        return s;
    }

    // A number of a significand whose leading bit adds 1 to the exponent. What is
    // too large is infinity.
    static number encode(bool negative, unsigned exponent, ap_uint<FRACTION + 2> significand) {
#pragma HLS INLINE
        const number most = infinity();
        const number all = (number(exponent) << FRACTION) + significand;
        const bool finite = exponent < (1u << EXPONENT) - 1 && all < most;
        return with_sign(negative, finite ? magnitude(all) : infinity());
    }

    static number with_sign(bool negative, magnitude m) {
        number n = m;
        n[width - 1] = negative;
        return n;
    }
};

// Moves bits up until the highest one is set, by at most so many places; the
// result is by how many.
template <int WIDTH> unsigned normalise(ap_uint<WIDTH> &bits, unsigned most) {
#pragma HLS INLINE
    static_assert(WIDTH <= 64, "it moves by up to 63 places");
    unsigned places = 0;
    for (int step = 32; step > 0; step /= 2) {
#pragma HLS UNROLL
        if (step < WIDTH && places + step <= most && ap_uint<WIDTH>(bits >> (WIDTH - step)) == 0) {
            bits = bits << step;
            places += step;
        }
    }
    return places;
}

// Moves bits down. The lowest one of the result is also set if one that was set
// is lost.
template <int WIDTH> ap_uint<WIDTH> down(ap_uint<WIDTH> bits, unsigned places) {
#pragma HLS INLINE
    const unsigned moved = places < WIDTH ? places : WIDTH - 1;
    ap_uint<WIDTH> result = bits >> moved;
    if (ap_uint<WIDTH>(result << moved) != bits) result[0] = 1;
    return result;
}

// Rounds to the bits above the lowest ones.
template <int WIDTH, int BELOW> ap_uint<WIDTH - BELOW + 1> round(ap_uint<WIDTH> bits) {
#pragma HLS INLINE
    const ap_uint<WIDTH - BELOW> kept = bits >> BELOW;
    const bool half = bits[BELOW - 1] != 0;
    const bool more = ap_uint<BELOW - 1>(bits) != 0;
    return ap_uint<WIDTH - BELOW + 1>(kept) + ap_uint<1>(half && (more || kept[0] != 0));
}

template <int EXPONENT, int FRACTION>
typename format<EXPONENT, FRACTION>::number sum(typename format<EXPONENT, FRACTION>::number a,
                                                typename format<EXPONENT, FRACTION>::number b) {
#pragma HLS INLINE
    typedef format<EXPONENT, FRACTION> f;
    const bool b_is_larger = f::without_sign(b) > f::without_sign(a);
    const typename f::number large = b_is_larger ? b : a;
    const typename f::number small = b_is_larger ? a : b;
    const bool negative = f::is_negative(large);
    const bool differ = negative != f::is_negative(small);

    if (f::without_sign(large) > f::infinity()) return f::nan();
    if (f::without_sign(large) == f::infinity())
        return differ && f::without_sign(small) == f::infinity() ? typename f::number(f::nan()) : large;

    // In units of an eighth of the larger one's last place, in which rounding to
    // odd of the smaller one is enough, with a bit above for the carry.
    const int width = FRACTION + 5;
    const unsigned exponent = f::exponent(large);
    const ap_uint<width> x = ap_uint<width>(f::significand(large)) << 3;
    const ap_uint<width> y = down<width>(ap_uint<width>(f::significand(small)) << 3, exponent - f::exponent(small));
    ap_uint<width> total = differ ? ap_uint<width>(x - y) : ap_uint<width>(x + y);
    if (total == 0) return f::with_sign(negative && !differ, 0);

    const unsigned places = normalise<width>(total, exponent);
    return f::encode(negative, exponent - places, round<width, 4>(total));
}

template <int EXPONENT, int FRACTION>
typename format<EXPONENT, FRACTION>::number product(typename format<EXPONENT, FRACTION>::number a,
                                                    typename format<EXPONENT, FRACTION>::number b) {
#pragma HLS INLINE
    typedef format<EXPONENT, FRACTION> f;
    const bool negative = f::is_negative(a) != f::is_negative(b);
    const bool zero = f::without_sign(a) == 0 || f::without_sign(b) == 0;
    if (f::without_sign(a) > f::infinity() || f::without_sign(b) > f::infinity()) return f::nan();
    if (f::without_sign(a) == f::infinity() || f::without_sign(b) == f::infinity())
        return zero ? typename f::number(f::nan()) : f::with_sign(negative, f::infinity());
    if (zero) return f::with_sign(negative, 0);

    // One subnormal operand is normalised; the product of two rounds to 0 as it is.
    const int width = 2 * FRACTION + 2;
    const bool b_is_smaller = f::without_sign(b) < f::without_sign(a);
    const ap_uint<FRACTION + 1> x = f::significand(b_is_smaller ? a : b);
    ap_uint<FRACTION + 1> y = f::significand(b_is_smaller ? b : a);
    int exponent = int(f::exponent(a)) + int(f::exponent(b)) - f::bias - int(normalise<FRACTION + 1>(y, FRACTION));
    ap_uint<width> total = ap_uint<width>(x) * ap_uint<width>(y);
    if (total[width - 1] != 0) exponent++;
    else total = total << 1;
    const unsigned below = exponent < 1 ? 1 - exponent : 0; // the smallest normal number
    const ap_uint<width> aligned = down<width>(total, below);
    return f::encode(negative, unsigned(exponent + int(below)) - 1, round<width, FRACTION + 1>(aligned));
}

// Maximum of IEEE 754-2019: NaN if an operand is, and -0 is below +0.
template <int EXPONENT, int FRACTION>
typename format<EXPONENT, FRACTION>::number maximum(typename format<EXPONENT, FRACTION>::number a,
                                                    typename format<EXPONENT, FRACTION>::number b) {
#pragma HLS INLINE
    typedef format<EXPONENT, FRACTION> f;
    if (f::without_sign(a) > f::infinity() || f::without_sign(b) > f::infinity()) return f::nan();
    if (f::is_negative(a) != f::is_negative(b)) return f::is_negative(a) ? b : a;
    return (f::without_sign(a) > f::without_sign(b)) != f::is_negative(a) ? a : b;
}

// Minimum of IEEE 754-2019: NaN if an operand is, and -0 is below +0.
template <int EXPONENT, int FRACTION>
typename format<EXPONENT, FRACTION>::number minimum(typename format<EXPONENT, FRACTION>::number a,
                                                    typename format<EXPONENT, FRACTION>::number b) {
#pragma HLS INLINE
    typedef format<EXPONENT, FRACTION> f;
    if (f::without_sign(a) > f::infinity() || f::without_sign(b) > f::infinity()) return f::nan();
    if (f::is_negative(a) != f::is_negative(b)) return f::is_negative(a) ? a : b;
    return (f::without_sign(a) < f::without_sign(b)) != f::is_negative(a) ? a : b;
}

// Conversion to a format with less or as many bits of the exponent, and fewer of
// the fraction.
template <int EXPONENT, int FRACTION, int TO_EXPONENT, int TO_FRACTION>
typename format<TO_EXPONENT, TO_FRACTION>::number narrow(typename format<EXPONENT, FRACTION>::number n) {
#pragma HLS INLINE
    static_assert(TO_EXPONENT <= EXPONENT && TO_FRACTION < FRACTION, "narrow is to a smaller format");
    typedef format<EXPONENT, FRACTION> from;
    typedef format<TO_EXPONENT, TO_FRACTION> to;
    const bool negative = from::is_negative(n);
    if (from::without_sign(n) > from::infinity()) return to::nan();
    if (from::without_sign(n) == from::infinity()) return to::with_sign(negative, to::infinity());

    const int width = FRACTION + 2; // so that a bit to round is always below
    const unsigned smallest = from::bias - to::bias + 1; // exponent of the smallest normal number
    const unsigned exponent = from::exponent(n);
    const unsigned below = exponent < smallest ? smallest - exponent : 0;
    const ap_uint<width> aligned = down<width>(ap_uint<width>(from::significand(n)) << 1, below);
    return to::encode(negative, exponent + below - smallest, round<width, FRACTION - TO_FRACTION + 1>(aligned));
}

// Conversion to a format that has all numbers of the other one.
template <int EXPONENT, int FRACTION, int TO_EXPONENT, int TO_FRACTION>
typename format<TO_EXPONENT, TO_FRACTION>::number widen(typename format<EXPONENT, FRACTION>::number n) {
#pragma HLS INLINE
    static_assert(TO_EXPONENT >= EXPONENT && TO_FRACTION >= FRACTION, "widen is to a larger format");
    typedef format<EXPONENT, FRACTION> from;
    typedef format<TO_EXPONENT, TO_FRACTION> to;
    const bool negative = from::is_negative(n);
    if (from::without_sign(n) > from::infinity()) return to::nan();
    if (from::without_sign(n) == from::infinity()) return to::with_sign(negative, to::infinity());
    if (from::without_sign(n) == 0) return to::with_sign(negative, 0);

    ap_uint<FRACTION + 1> significand = from::significand(n);
    const unsigned exponent = from::exponent(n) - 1 + (to::bias - from::bias);
    const unsigned places = normalise<FRACTION + 1>(significand, exponent);
    return to::encode(negative, exponent - places, ap_uint<TO_FRACTION + 2>(significand) << (TO_FRACTION - FRACTION));
}

} // namespace ieee754

#endif
