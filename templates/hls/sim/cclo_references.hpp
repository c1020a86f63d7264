// Parts of integers to be read and written: bits, ranges, concatenations. For tests
// only.
#ifndef CCLO_SIM_REFERENCES_HPP
#define CCLO_SIM_REFERENCES_HPP

#include "cclo_integer.hpp"

namespace cclo_sim {

// The operand as one of our integers.
template <int W, bool S> CCLO_SIM_INLINE const ap_int_base<W, S> &value_of(const ap_int_base<W, S> &x) { return x; }
template <int W, bool S> CCLO_SIM_INLINE ap_int_base<W, false> value_of(const ap_range_ref<W, S> &x) { return x.get(); }
template <int W, bool S> CCLO_SIM_INLINE ap_int_base<1, false> value_of(const ap_bit_ref<W, S> &x) { return x.get(); }
template <int W1, class P1, int W2, class P2>
CCLO_SIM_INLINE ap_int_base<W1 + W2, false> value_of(const ap_concat_ref<W1, P1, W2, P2> &x) {
    return x.get();
}
template <class T, std::enable_if_t<shape_t<T>::number && !shape_t<T>::own, int> = 0>
CCLO_SIM_INLINE ap_int_base<shape_t<T>::width, shape_t<T>::sign> value_of(const T &x) {
    return x;
}

// What the three kinds of parts have in common.
template <class Part> struct part {
    CCLO_SIM_INLINE uint64_t first() const { return static_cast<const Part *>(this)->limb(0); }
    CCLO_SIM_INLINE operator unsigned long long() const { return first(); }
    CCLO_SIM_INLINE int to_int() const { return int(first()); }
    CCLO_SIM_INLINE unsigned to_uint() const { return unsigned(first()); }
    CCLO_SIM_INLINE long to_long() const { return long(first()); }
    CCLO_SIM_INLINE unsigned long to_ulong() const { return static_cast<unsigned long>(first()); }
    CCLO_SIM_INLINE long long to_int64() const { return static_cast<long long>(first()); }
    CCLO_SIM_INLINE unsigned long long to_uint64() const { return first(); }
    CCLO_SIM_INLINE bool operator!() const { return !or_reduce(); }
    bool or_reduce() const { return value().or_reduce(); }
    bool and_reduce() const { // of the bits that there are
        const auto x = value();
        for (int i = 0, n = static_cast<const Part *>(this)->length(); i < n; i++)
            if (!x.get_bit(i))
                return false;
        return true;
    }
    bool xor_reduce() const { return value().xor_reduce(); }
    std::string to_string(int radix = 2) const { return value().to_string(radix); }

  private:
    auto value() const { return static_cast<const Part *>(this)->get(); }
};

} // namespace cclo_sim

template <int W, bool S> struct ap_bit_ref {
    ap_int_base<W, S> &whole;
    int index;

    CCLO_SIM_INLINE ap_bit_ref(ap_int_base<W, S> &x, int i) : whole(x), index(i) { x.check(i); }
    ap_bit_ref(const ap_bit_ref &) = default;

    CCLO_SIM_INLINE operator bool() const { return whole.bits_from(index) & 1; }
    CCLO_SIM_INLINE bool to_bool() const { return *this; }
    CCLO_SIM_INLINE bool get() const { return *this; }
    CCLO_SIM_INLINE bool operator~() const { return !bool(*this); }
    CCLO_SIM_INLINE uint64_t limb(int i) const { return i == 0 && bool(*this); }
    CCLO_SIM_INLINE int length() const { return 1; }
    std::string to_string() const { return *this ? "1" : "0"; }

    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE const ap_bit_ref &operator=(const T &x) const {
        whole.put_bits(index, 1, cclo_sim::value_of(x).or_reduce());
        return *this;
    }
    CCLO_SIM_INLINE ap_bit_ref &operator=(const ap_bit_ref &x) {
        whole.put_bits(index, 1, bool(x));
        return *this;
    }
};

// The bits from lo to hi, or, if hi is the lower one, the bits in reverse.
template <int W, bool S> struct ap_range_ref : cclo_sim::part<ap_range_ref<W, S>> {
    ap_int_base<W, S> &whole;
    int hi, lo;

    CCLO_SIM_INLINE ap_range_ref(ap_int_base<W, S> &x, int h, int l) : whole(x), hi(h), lo(l) {
        if (__builtin_expect(h < 0 || h >= W || l < 0 || l >= W, 0))
            cclo_sim::outside(W, S, h, l);
    }
    ap_range_ref(const ap_range_ref &) = default;

    CCLO_SIM_INLINE bool reversed() const { return hi < lo; }
    CCLO_SIM_INLINE int length() const { return reversed() ? lo - hi + 1 : hi - lo + 1; }
    CCLO_SIM_INLINE uint64_t limb(int i) const {
        if (__builtin_expect(reversed(), 0))
            return backwards(i);
        const int at = lo + i * 64;
        if (at > hi)
            return 0;
        return whole.bits_from(at) & cclo_sim::low_mask(hi - at + 1);
    }
    CCLO_SIM_INLINE ap_int_base<W, false> get() const {
        ap_int_base<W, false> x;
        for (int i = 0; i < x.words; i++)
            x.set_limb(i, limb(i));
        return x;
    }

    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE const ap_range_ref &operator=(const T &x) const {
        put(x);
        return *this;
    }
    CCLO_SIM_INLINE ap_range_ref &operator=(const ap_range_ref &x) {
        put(x);
        return *this;
    }

  private:
    template <class T> CCLO_SIM_INLINE void put(const T &x) const {
        const int n = length();
        if (__builtin_expect(reversed(), 0)) {
            const auto value = cclo_sim::value_of(x);
            for (int i = 0; i < n; i++)
                whole.put_bits(lo - i, 1, value.limb(i / 64) >> (i % 64));
        } else if (n <= 64) {
            whole.put_bits(lo, n, cclo_sim::limb_of(x, 0));
        } else {
            // x may be a part of the same value.
            const auto value = cclo_sim::value_of(x);
            for (int i = 0; i * 64 < n; i++)
                whole.put_bits(lo + i * 64, n - i * 64 < 64 ? n - i * 64 : 64, value.limb(i));
        }
    }
    uint64_t backwards(int limb) const {
        uint64_t x = 0;
        for (int i = 0; i < 64 && limb * 64 + i < length(); i++)
            x |= (whole.bits_from(lo - limb * 64 - i) & 1) << i;
        return x;
    }
};

namespace cclo_sim {

template <int W, bool S> CCLO_SIM_INLINE int length_of(const ap_int_base<W, S> &) { return W; }
template <class Part> CCLO_SIM_INLINE int length_of(const Part &x) { return x.length(); }

// How a concatenation holds an operand: variables by reference, the rest by value.
template <class T, bool Plain> struct held {
    using type = std::remove_cv_t<std::remove_reference_t<T>>; // ranges, bits, concatenations refer by themselves
};
template <class T> struct held<T, true> {
    using value = ap_int_base<shape_t<T>::width, shape_t<T>::sign>;
    static constexpr bool variable = shape_t<T>::own && std::is_lvalue_reference<T>::value &&
                                     !std::is_const<std::remove_reference_t<T>>::value;
    using type = std::conditional_t<variable, value &, value>;
};
template <int W, bool S> std::true_type is_plain(const ap_int_base<W, S> *);
std::false_type is_plain(...);
template <class T>
using held_t = typename held<T, !shape_t<T>::own || decltype(is_plain(static_cast<std::remove_reference_t<T> *>(
                                                        nullptr)))::value>::type;

template <class A, class B> using concat_t = ap_concat_ref<shape_t<A>::width, held_t<A>, shape_t<B>::width, held_t<B>>;

} // namespace cclo_sim

// The bits of `high` above those of `low`.
template <int W1, class P1, int W2, class P2>
struct ap_concat_ref : cclo_sim::part<ap_concat_ref<W1, P1, W2, P2>> {
    P1 high;
    P2 low;

    template <class A, class B> CCLO_SIM_INLINE ap_concat_ref(A &&a, B &&b) : high(a), low(b) {}
    ap_concat_ref(const ap_concat_ref &) = default;

    CCLO_SIM_INLINE int length() const { return cclo_sim::length_of(high) + cclo_sim::length_of(low); }
    CCLO_SIM_INLINE ap_int_base<W1 + W2, false> get() const {
        ap_int_base<W1 + W2, false> x;
        const int n = cclo_sim::length_of(low);
        x.range(n - 1, 0) = low;
        x.range(n + cclo_sim::length_of(high) - 1, n) = high;
        return x;
    }
    CCLO_SIM_INLINE uint64_t limb(int i) const { return get().limb(i); }

    template <class T, cclo_sim::if_number<T> = 0> CCLO_SIM_INLINE ap_concat_ref &operator=(const T &x) {
        put(x);
        return *this;
    }
    CCLO_SIM_INLINE ap_concat_ref &operator=(const ap_concat_ref &x) {
        put(x);
        return *this;
    }

  private:
    template <class T> CCLO_SIM_INLINE void put(const T &x) {
        ap_int_base<W1 + W2, false> value(x);
        const int n = cclo_sim::length_of(low);
        const int all = n + cclo_sim::length_of(high);
        low = value.range(n - 1, 0);
        high = value.range(all - 1, n);
    }
};

template <int W, bool S> CCLO_SIM_INLINE ap_bit_ref<W, S> ap_int_base<W, S>::operator[](int i) { return {*this, i}; }
template <int W, bool S> CCLO_SIM_INLINE ap_range_ref<W, S> ap_int_base<W, S>::range(int hi, int lo) const {
    return {const_cast<ap_int_base &>(*this), hi, lo};
}
template <int W, bool S> CCLO_SIM_INLINE ap_range_ref<W, S> ap_int_base<W, S>::range() const {
    return range(W - 1, 0);
}
template <int W, bool S> CCLO_SIM_INLINE ap_range_ref<W, S> ap_int_base<W, S>::operator()(int hi, int lo) const {
    return range(hi, lo);
}
template <int W, bool S> template <class T> auto ap_int_base<W, S>::concat(const T &low) const {
    return cclo_sim::concat_t<const ap_int_base &, const T &>(*this, low);
}
template <int W, bool S> template <class T> auto ap_int_base<W, S>::concat(T &low) {
    return cclo_sim::concat_t<ap_int_base &, T &>(*this, low);
}

template <class A, class B, cclo_sim::if_pair<A, B> = 0>
CCLO_SIM_INLINE cclo_sim::concat_t<A, B> operator,(A &&a, B &&b) {
    return {a, b};
}

#endif
