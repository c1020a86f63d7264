// What the operands of ap_int.h are: how wide, signed or not, one of ours or a C
// integer. For tests only.
#ifndef CCLO_SIM_SHAPES_HPP
#define CCLO_SIM_SHAPES_HPP

#include <cstdint>
#include <string>
#include <type_traits>

#include "cclo_error.hpp"

#ifdef __OPTIMIZE__
#define CCLO_SIM_INLINE __attribute__((always_inline)) inline
#else
#define CCLO_SIM_INLINE inline // compiles faster
#endif

template <int W, bool S> struct ap_int_base;
template <int W, bool S> struct ap_range_ref;
template <int W, bool S> struct ap_bit_ref;
template <int W1, class P1, int W2, class P2> struct ap_concat_ref;

namespace cclo_sim {

// `own`: one of ours; `number`: that or a C integer.
template <int W, bool S, bool Own> struct shape {
    static constexpr int width = W;
    static constexpr bool sign = S, own = Own, number = true;
};
struct foreign {
    static constexpr int width = 0;
    static constexpr bool sign = false, own = false, number = false;
};

template <int W, bool S> shape<W, S, true> shape_of(const ap_int_base<W, S> *);
template <int W, bool S> shape<W, false, true> shape_of(const ap_range_ref<W, S> *);
template <int W, bool S> shape<1, false, true> shape_of(const ap_bit_ref<W, S> *);
template <int W1, class P1, int W2, class P2>
shape<W1 + W2, false, true> shape_of(const ap_concat_ref<W1, P1, W2, P2> *);
foreign shape_of(...);

template <class T, class = void> struct shape_for {
    using type = decltype(shape_of(static_cast<T *>(nullptr)));
};
template <class T> struct shape_for<T, std::enable_if_t<std::is_integral<T>::value>> {
    using type = shape<std::is_same<T, bool>::value ? 1 : int(sizeof(T)) * 8, std::is_signed<T>::value, false>;
};
// Enumerations that become integers by themselves.
template <class T>
struct shape_for<T, std::enable_if_t<std::is_enum<T>::value && std::is_convertible<T, long long>::value>>
    : shape_for<std::underlying_type_t<T>> {};

template <class T> using shape_t = typename shape_for<std::remove_cv_t<std::remove_reference_t<T>>>::type;
template <class T> using if_number = std::enable_if_t<shape_t<T>::number, int>;
template <class T> using if_own = std::enable_if_t<shape_t<T>::own, int>;
template <class A, class B>
using if_pair =
    std::enable_if_t<shape_t<A>::number && shape_t<B>::number && (shape_t<A>::own || shape_t<B>::own), int>;

template <class T> struct is_range : std::false_type {};
template <int W, bool S> struct is_range<ap_range_ref<W, S>> : std::true_type {};
template <class T> struct is_concatenation : std::false_type {};
template <int W1, class P1, int W2, class P2>
struct is_concatenation<ap_concat_ref<W1, P1, W2, P2>> : std::true_type {};

// The C integer of a size.
template <int Bytes, bool S> struct native;
template <> struct native<1, false> { using type = unsigned char; };
template <> struct native<2, false> { using type = unsigned short; };
template <> struct native<4, false> { using type = unsigned int; };
template <> struct native<8, false> { using type = unsigned long long; };
template <> struct native<1, true> { using type = signed char; };
template <> struct native<2, true> { using type = short; };
template <> struct native<4, true> { using type = int; };
template <> struct native<8, true> { using type = long long; };

constexpr int cell_bytes(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

template <class T> CCLO_SIM_INLINE uint64_t limb_of(const T &x, int i) {
    if constexpr (shape_t<T>::own) {
        return x.limb(i);
    } else {
        using C = std::conditional_t<std::is_enum<T>::value, long long, T>;
        const C c = static_cast<C>(x);
        if (i == 0)
            return static_cast<uint64_t>(c);
        if constexpr (shape_t<T>::sign)
            return c < 0 ? ~uint64_t(0) : 0;
        return 0;
    }
}

[[noreturn]] __attribute__((noinline, cold)) inline void outside(int width, bool sign, int hi, int lo) {
    const std::string type = (sign ? "ap_int<" : "ap_uint<") + std::to_string(width) + ">";
    if (hi == lo)
        fail("bit " + std::to_string(hi) + " of an " + type + ": expected 0 to " + std::to_string(width - 1));
    fail("bits (" + std::to_string(hi) + ", " + std::to_string(lo) + ") of an " + type + ": expected 0 to " +
         std::to_string(width - 1));
}

} // namespace cclo_sim

#endif
