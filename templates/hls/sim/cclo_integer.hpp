// The integers behind ap_int.h: ap_int_base<W, S>, W bits, signed if S. For tests
// only.
//
// Up to 64 bits a value is one C integer, beyond that 64-bit words; the bits that
// the width leaves over repeat the sign, or are zero. limb(i) gives 64 bits of a
// value as if it were endless: that is what operators work on.
#ifndef CCLO_SIM_INTEGER_HPP
#define CCLO_SIM_INTEGER_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include "cclo_shapes.hpp"
#include "cclo_words.hpp"

// Values may be looked at through pointers to other types.
template <int W, bool S> struct __attribute__((may_alias)) ap_int_base {
    static_assert(W >= 1 && W <= 4096, "an ap_int or ap_uint has 1 to 4096 bits");
    static constexpr int width = W;
    static constexpr int words = (W + 63) / 64;
    static constexpr bool small = W <= 64;
    using native = typename cclo_sim::native<cclo_sim::cell_bytes(W), S>::type;

    using word = typename cclo_sim::native<cclo_sim::cell_bytes(W), S && small>::type;

    word v[words];

    // Not by an initializer of v, which some compilers stumble over.
    CCLO_SIM_INLINE ap_int_base() {
        for (int i = 0; i < words; i++)
            v[i] = 0;
    }
    ap_int_base(const ap_int_base &) = default;
    ap_int_base &operator=(const ap_int_base &) = default;
    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE ap_int_base(const T &x) { assign(x); }
    template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> ap_int_base(T x) {
        uint64_t w[words];
        cclo_sim::words_from_real(w, words, double(x));
        load(w);
    }
    ap_int_base(const char *text, int radix = 0) { parse(text, radix); }
    // A pointer counts as a bool, as everywhere in C++.
    template <class T, std::enable_if_t<!std::is_same<std::remove_cv_t<T>, char>::value, int> = 0>
    explicit ap_int_base(T *x) : ap_int_base(x != nullptr) {}
    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE ap_int_base &operator=(const T &x) {
        assign(x);
        return *this;
    }

    // Wide values lose their upper bits.
    CCLO_SIM_INLINE operator native() const { return static_cast<native>(limb(0)); }
    CCLO_SIM_INLINE bool operator!() const { return !to_bool(); }

    CCLO_SIM_INLINE uint64_t limb(int i) const {
        if constexpr (small)
            return i == 0 ? uint64_t(v[0]) : fill();
        else
            return i < words ? v[i] : fill();
    }
    CCLO_SIM_INLINE uint64_t fill() const { return sign() ? ~uint64_t(0) : 0; }

    // 64 bits from bit `at` on; those beyond the value are anything.
    CCLO_SIM_INLINE uint64_t bits_from(int at) const {
        if constexpr (small) {
            return uint64_t(v[0]) >> at;
        } else {
            const int i = at / 64, r = at % 64;
            uint64_t x = v[i] >> r;
            if (r != 0 && i + 1 < words)
                x |= v[i + 1] << (64 - r);
            return x;
        }
    }
    // Up to 64 bits from bit `at` on.
    CCLO_SIM_INLINE void put_bits(int at, int n, uint64_t x) {
        const uint64_t mask = cclo_sim::low_mask(n);
        x &= mask;
        if constexpr (small) {
            set_limb(0, (uint64_t(v[0]) & ~(mask << at)) | x << at);
        } else {
            const int i = at / 64, r = at % 64;
            v[i] = (v[i] & ~(mask << r)) | x << r;
            if (r + n > 64)
                v[i + 1] = (v[i + 1] & ~(mask >> (64 - r))) | x >> (64 - r);
            if constexpr (S)
                trim();
        }
    }
    CCLO_SIM_INLINE void set_limb(int i, uint64_t x) {
        v[i] = static_cast<word>(x);
        if (i == words - 1)
            trim();
    }
    // Makes the bits beyond the width what they have to be.
    CCLO_SIM_INLINE void trim() {
        constexpr int held = small ? cclo_sim::cell_bytes(W) * 8 : words * 64;
        if constexpr (held != W) {
            constexpr int used = W - (words - 1) * 64;
            uint64_t x = uint64_t(v[words - 1]);
            if constexpr (S)
                x = uint64_t(int64_t(x << (64 - used)) >> (64 - used));
            else
                x &= cclo_sim::low_mask(used);
            v[words - 1] = static_cast<word>(x);
        }
    }
    void load(const uint64_t *w) {
        for (int i = 0; i < words; i++)
            set_limb(i, w[i]);
    }
    void store(uint64_t *w, int n) const {
        for (int i = 0; i < n; i++)
            w[i] = limb(i);
    }
    template <class T> CCLO_SIM_INLINE void assign(const T &x) {
        if constexpr (small) {
            set_limb(0, cclo_sim::limb_of(x, 0));
        } else if constexpr (cclo_sim::is_range<T>::value) {
            if (x.reversed())
                copy(x.get());
            else
                copy(x); // never reads words below those that have changed
        } else if constexpr (cclo_sim::is_concatenation<T>::value) {
            copy(x.get());
        } else {
            copy(x);
        }
    }
    template <class T> CCLO_SIM_INLINE void copy(const T &x) {
        for (int i = 0; i < words; i++)
            set_limb(i, cclo_sim::limb_of(x, i));
    }
    void parse(const char *text, int radix) {
        uint64_t w[words];
        cclo_sim::words_from_string(w, words, text, radix);
        load(w);
    }

    CCLO_SIM_INLINE int to_int() const { return int(limb(0)); }
    CCLO_SIM_INLINE unsigned to_uint() const { return unsigned(limb(0)); }
    CCLO_SIM_INLINE long to_long() const { return long(limb(0)); }
    CCLO_SIM_INLINE unsigned long to_ulong() const { return static_cast<unsigned long>(limb(0)); }
    CCLO_SIM_INLINE long long to_int64() const { return static_cast<long long>(limb(0)); }
    CCLO_SIM_INLINE unsigned long long to_uint64() const { return limb(0); }
    CCLO_SIM_INLINE signed char to_char() const { return static_cast<signed char>(limb(0)); }
    CCLO_SIM_INLINE unsigned char to_uchar() const { return static_cast<unsigned char>(limb(0)); }
    CCLO_SIM_INLINE short to_short() const { return short(limb(0)); }
    CCLO_SIM_INLINE unsigned short to_ushort() const { return static_cast<unsigned short>(limb(0)); }
    CCLO_SIM_INLINE bool to_bool() const { return or_reduce(); }
    double to_double() const {
        ap_int_base magnitude(*this);
        if (sign())
            magnitude = ap_int_base(0) - *this;
        uint64_t w[words];
        for (int i = 0; i < words; i++)
            w[i] = magnitude.limb_unsigned(i);
        const double x = cclo_sim::words_to_real(w, words);
        return sign() ? -x : x;
    }
    float to_float() const { return float(to_double()); }
    // Digits without a prefix; a sign only where the value is negative and `with_sign`.
    std::string to_string(int radix = 2, bool with_sign = S) const {
        if (radix != 2 && radix != 8 && radix != 10 && radix != 16)
            cclo_sim::fail("to_string in radix " + std::to_string(radix) + ": expected 2, 8, 10 or 16");
        const bool minus = with_sign && sign();
        uint64_t w[words];
        for (int i = 0; i < words; i++)
            w[i] = minus ? limb(i) : limb_unsigned(i);
        if (minus)
            cclo_sim::negate_words(w, words);
        return (minus ? "-" : "") + cclo_sim::words_to_string(w, words, radix);
    }

    // The value's bits as an unsigned number.
    CCLO_SIM_INLINE uint64_t limb_unsigned(int i) const {
        if (i >= words)
            return 0;
        return i == words - 1 ? limb(i) & cclo_sim::low_mask(W - i * 64) : limb(i);
    }

    CCLO_SIM_INLINE int length() const { return W; }
    CCLO_SIM_INLINE bool sign() const {
        if constexpr (!S)
            return false;
        return int64_t(v[words - 1]) < 0;
    }
    CCLO_SIM_INLINE bool iszero() const { return !or_reduce(); }
    CCLO_SIM_INLINE bool is_zero() const { return !or_reduce(); }

    CCLO_SIM_INLINE bool and_reduce() const {
        for (int i = 0; i < words; i++)
            if (limb_unsigned(i) != cclo_sim::low_mask(W - i * 64))
                return false;
        return true;
    }
    CCLO_SIM_INLINE bool or_reduce() const {
        uint64_t any = 0;
        for (int i = 0; i < words; i++)
            any |= uint64_t(v[i]);
        return any != 0;
    }
    CCLO_SIM_INLINE bool xor_reduce() const {
        uint64_t all = 0;
        for (int i = 0; i < words; i++)
            all ^= limb_unsigned(i);
        return __builtin_parityll(all);
    }
    bool nand_reduce() const { return !and_reduce(); }
    bool nor_reduce() const { return !or_reduce(); }
    bool xnor_reduce() const { return !xor_reduce(); }
    int countLeadingZeros() const {
        for (int i = W - 1; i >= 0; i--)
            if (get_bit(i))
                return W - 1 - i;
        return W;
    }

    CCLO_SIM_INLINE void check(int i) const {
        if (__builtin_expect(i < 0 || i >= W, 0))
            cclo_sim::outside(W, S, i, i);
    }
    CCLO_SIM_INLINE bool get_bit(int i) const {
        check(i);
        return bits_from(i) & 1;
    }
    CCLO_SIM_INLINE void set_bit(int i, bool x) {
        check(i);
        put_bits(i, 1, x);
    }
    CCLO_SIM_INLINE bool test(int i) const { return get_bit(i); }
    CCLO_SIM_INLINE void set(int i) { set_bit(i, true); }
    CCLO_SIM_INLINE void set(int i, bool x) { set_bit(i, x); }
    CCLO_SIM_INLINE void clear(int i) { set_bit(i, false); }
    CCLO_SIM_INLINE void invert(int i) { set_bit(i, !get_bit(i)); }
    CCLO_SIM_INLINE void b_not() { *this = ~*this; }
    ap_int_base &reverse() {
        const ap_int_base old(*this);
        for (int i = 0; i < W; i++)
            put_bits(i, 1, old.bits_from(W - 1 - i) & 1);
        return *this;
    }
    void lrotate(int n) {
        if (n < 0 || n >= W)
            cclo_sim::fail("a rotation by " + std::to_string(n) + " of " + std::to_string(W) + " bits");
        const ap_int_base old(*this);
        for (int i = 0; i < W; i++)
            put_bits((i + n) % W, 1, old.bits_from(i) & 1);
    }
    void rrotate(int n) {
        if (n < 0 || n >= W)
            cclo_sim::fail("a rotation by " + std::to_string(n) + " of " + std::to_string(W) + " bits");
        lrotate((W - n) % W);
    }

    CCLO_SIM_INLINE bool operator[](int i) const { return get_bit(i); }
    CCLO_SIM_INLINE ap_bit_ref<W, S> operator[](int i);
    CCLO_SIM_INLINE ap_bit_ref<W, S> bit(int i) { return (*this)[i]; }
    CCLO_SIM_INLINE bool bit(int i) const { return get_bit(i); }
    CCLO_SIM_INLINE ap_range_ref<W, S> range(int hi, int lo) const;
    CCLO_SIM_INLINE ap_range_ref<W, S> range() const;
    CCLO_SIM_INLINE ap_range_ref<W, S> operator()(int hi, int lo) const;
    template <class T> auto concat(const T &low) const;
    template <class T> auto concat(T &low);

    CCLO_SIM_INLINE ap_int_base &operator++() { return *this = *this + 1; }
    CCLO_SIM_INLINE ap_int_base &operator--() { return *this = *this - 1; }
    CCLO_SIM_INLINE ap_int_base operator++(int) {
        const ap_int_base old(*this);
        ++*this;
        return old;
    }
    CCLO_SIM_INLINE ap_int_base operator--(int) {
        const ap_int_base old(*this);
        --*this;
        return old;
    }
};

#endif
