// Arithmetic on rows of 64-bit words, the lowest first, for what ap_int.h does
// seldom: products and quotients beyond 64 bits, strings. For tests only.
#ifndef CCLO_SIM_WORDS_HPP
#define CCLO_SIM_WORDS_HPP

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "cclo_error.hpp"

namespace cclo_sim {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

constexpr uint64_t low_mask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

inline void negate_words(uint64_t *w, int n) {
    bool carry = true;
    for (int i = 0; i < n; i++) {
        w[i] = ~w[i] + carry;
        carry = carry && w[i] == 0;
    }
}

inline void multiply_words(uint64_t *result, const uint64_t *a, const uint64_t *b, int n) {
    std::memset(result, 0, size_t(n) * 8);
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (int j = 0; i + j < n; j++) {
            uint128 sum = uint128(a[i]) * b[j] + result[i + j] + carry;
            result[i + j] = uint64_t(sum);
            carry = uint64_t(sum >> 64);
        }
    }
}

// w = w * factor + more; the result is what does not fit.
inline uint64_t scale_words(uint64_t *w, int n, uint64_t factor, uint64_t more) {
    for (int i = 0; i < n; i++) {
        uint128 sum = uint128(w[i]) * factor + more;
        w[i] = uint64_t(sum);
        more = uint64_t(sum >> 64);
    }
    return more;
}

// w = w / divisor; the result is the remainder.
inline uint64_t divide_by_word(uint64_t *w, int n, uint64_t divisor) {
    uint128 rest = 0;
    for (int i = n - 1; i >= 0; i--) {
        rest = rest << 64 | w[i];
        w[i] = uint64_t(rest / divisor);
        rest %= divisor;
    }
    return uint64_t(rest);
}

// a = a / b and rest = a % b, of magnitudes. Bit by bit, as a child would.
inline void divide_words(uint64_t *a, const uint64_t *b, uint64_t *rest, int n) {
    std::memset(rest, 0, size_t(n) * 8);
    int used = n;
    while (used > 1 && b[used - 1] == 0)
        used--;
    if (used == 1) {
        rest[0] = divide_by_word(a, n, b[0]);
        return;
    }
    for (int i = n * 64 - 1; i >= 0; i--) {
        bool over = rest[n - 1] >> 63;
        for (int j = n - 1; j > 0; j--)
            rest[j] = rest[j] << 1 | rest[j - 1] >> 63;
        rest[0] = rest[0] << 1 | (a[i / 64] >> (i % 64) & 1);
        int j = n - 1;
        while (j > 0 && rest[j] == b[j])
            j--;
        bool fits = over || rest[j] >= b[j];
        if (fits) {
            bool borrow = false;
            for (int k = 0; k < n; k++) {
                uint64_t with = b[k] + borrow;
                borrow = (borrow && with == 0) || rest[k] < with;
                rest[k] -= with;
            }
        }
        a[i / 64] = (a[i / 64] & ~(uint64_t(1) << (i % 64))) | uint64_t(fits) << (i % 64);
    }
}

inline bool words_are_zero(const uint64_t *w, int n) {
    for (int i = 0; i < n; i++)
        if (w[i])
            return false;
    return true;
}

// The digits of a magnitude, which is lost.
inline std::string words_to_string(uint64_t *w, int n, int radix) {
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[divide_by_word(w, n, uint64_t(radix))]);
    } while (!words_are_zero(w, n));
    return digits;
}

// The value of a string such as "-12" or "0x1F"; radix 0: as its prefix says (0b,
// 0o, 0x), without one 10, or 16 if there are digits beyond 9.
inline void words_from_string(uint64_t *w, int n, const char *text, int radix) {
    std::memset(w, 0, size_t(n) * 8);
    const std::string whole = text ? text : "";
    size_t at = 0;
    bool negative = false;
    if (at < whole.size() && (whole[at] == '-' || whole[at] == '+'))
        negative = whole[at++] == '-';
    if (at + 1 < whole.size() && whole[at] == '0') {
        const char letter = char(std::tolower(static_cast<unsigned char>(whole[at + 1])));
        const int prefix = letter == 'b' ? 2 : letter == 'o' ? 8 : letter == 'x' ? 16 : 0;
        // 0b1 in radix 16 is a number, not a prefix.
        if (prefix && (radix == 0 || radix == prefix)) {
            radix = prefix;
            at += 2;
        }
    }
    if (radix == 0)
        radix = whole.find_first_not_of("0123456789", at) == std::string::npos ? 10 : 16;
    if (at >= whole.size() || (radix != 2 && radix != 8 && radix != 10 && radix != 16))
        fail("the number \"" + whole + "\" in radix " + std::to_string(radix) +
             ": expected digits, and radix 2, 8, 10 or 16");
    for (; at < whole.size(); at++) {
        const int c = std::tolower(static_cast<unsigned char>(whole[at]));
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (digit >= radix)
            fail("the number \"" + whole + "\": expected digits of radix " + std::to_string(radix));
        scale_words(w, n, uint64_t(radix), uint64_t(digit));
    }
    if (negative)
        negate_words(w, n);
}

// A real number without its fraction.
inline void words_from_real(uint64_t *w, int n, double x) {
    std::memset(w, 0, size_t(n) * 8);
    if (!std::isfinite(x))
        fail("an integer of a number that is not finite");
    int exponent = 0;
    // 53 bits of the fraction as an integer
    uint64_t mantissa = uint64_t(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
    int shift = exponent - 53;
    if (shift < 0) {
        mantissa = shift <= -64 ? 0 : mantissa >> -shift;
        shift = 0;
    }
    if (shift / 64 < n)
        w[shift / 64] = mantissa << shift % 64;
    if (shift % 64 && shift / 64 + 1 < n)
        w[shift / 64 + 1] = mantissa >> (64 - shift % 64);
    if (x < 0)
        negate_words(w, n);
}

inline double words_to_real(const uint64_t *w, int n) {
    double x = 0;
    for (int i = n - 1; i >= 0; i--)
        x = x * 18446744073709551616.0 + double(w[i]);
    return x;
}

} // namespace cclo_sim

#endif
