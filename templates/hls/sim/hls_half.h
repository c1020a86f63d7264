// Stand-in for the vendor's header of the same name, for tests only: `half`, a number of
// IEEE's binary16, with + - * /, comparisons and conversions to and from C's numbers, all
// rounded to the nearest, to even. Unlike hardware of the vendor's it keeps subnormals.
#ifndef CCLO_SIM_HLS_HALF_H
#define CCLO_SIM_HLS_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <type_traits>

class __attribute__((may_alias)) half {
  public:
    half() = default;
    template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0> half(T x) : bits(rounded(double(x))) {}

    operator float() const {
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        const float size = exponent == 31   ? (fraction ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(float(fraction), -24)
                                           : std::ldexp(float(fraction + 1024), exponent - 25);
        return bits >> 15 ? -size : size;
    }

    half operator-() const {
        half x = *this;
        x.bits = uint16_t(bits ^ 0x8000);
        return x;
    }
    half &operator+=(half x) { return *this = *this + x; }
    half &operator-=(half x) { return *this = *this - x; }
    half &operator*=(half x) { return *this = *this * x; }
    half &operator/=(half x) { return *this = *this / x; }

    friend std::ostream &operator<<(std::ostream &out, half x) { return out << float(x); }

  private:
    static uint16_t rounded(double x) {
        const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
        if (std::isnan(x))
            return sign | 0x7e00;
        x = std::fabs(x);
        if (x == 0)
            return sign;
        if (x >= 65520) // half of an ulp above the largest
            return sign | 0x7c00;
        int exponent = 0;
        std::frexp(x, &exponent);
        if (exponent < -13) // subnormal
            exponent = -13;
        // In units of the last place; 2048 carries into the exponent by itself.
        const double units = std::nearbyint(std::ldexp(x, 11 - exponent));
        return uint16_t(sign + ((exponent + 13) << 10) + int(units));
    }

    uint16_t bits = 0;
};

// For halves alone: beside another number a half is a float. A double holds sums and
// products of halves, and enough of quotients to round them once more.
#define CCLO_SIM_HALF(OPERATOR)                                                                                        \
    template <class H, std::enable_if_t<std::is_same<H, half>::value, int> = 0>                                        \
    inline half operator OPERATOR(H a, H b) {                                                                          \
        return double(float(a)) OPERATOR double(float(b));                                                             \
    }
CCLO_SIM_HALF(+)
CCLO_SIM_HALF(-)
CCLO_SIM_HALF(*)
CCLO_SIM_HALF(/)
#undef CCLO_SIM_HALF

#endif
