// What the programs that show the integers of the stand-in have in common: values are
// shown as they lie in memory, so that nothing of what is tested has a hand in it.
#pragma once
#include "ap_int.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

inline uint64_t random_state = 88172645463325252ull;
inline uint64_t random_word() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}
inline int below(int n) { return int(random_word() % uint64_t(n)); }

template <class T> struct form {
    static constexpr int width = std::is_same<T, bool>::value ? 1 : int(sizeof(T)) * 8;
    static constexpr bool sign = std::is_signed<T>::value;
};
template <int W> struct form<ap_uint<W>> {
    static constexpr int width = W;
    static constexpr bool sign = false;
};
template <int W> struct form<ap_int<W>> {
    static constexpr int width = W;
    static constexpr bool sign = true;
};
template <int W, bool S> struct form<ap_int_base<W, S>> {
    static constexpr int width = W;
    static constexpr bool sign = S;
};

// " 9u 0x1ff": the form, and the bytes in memory.
template <class T> void show(const T &x) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &x, sizeof(T));
    std::printf(" %d%c ", form<T>::width, form<T>::sign ? 's' : 'u');
    for (size_t i = sizeof(T); i-- > 0;)
        std::printf("%02x", bytes[i]);
}
template <class A, class B, class R> void show(const char *operation, const A &a, const B &b, const R &r) {
    std::printf("%s", operation);
    show(a);
    show(b);
    show(r);
    std::printf("\n");
}

// A value of any size, often one at an end of the range.
template <class T> T random_value() {
    if constexpr (std::is_same<T, bool>::value) {
        return below(2) != 0;
    } else if constexpr (std::is_integral<T>::value) {
        switch (below(6)) {
        case 0: return T(0);
        case 1: return T(-1);
        case 2: return T(uint64_t(1) << (form<T>::width - 1));
        case 3: return T(below(100));
        default: return T(random_word());
        }
    } else {
        T x = 0;
        const int kind = below(8);
        const int bits = kind < 4 ? form<T>::width : below(form<T>::width) + 1;
        for (int i = 0; i < bits; i++)
            x.set_bit(i, kind == 0 ? i == bits - 1 : kind == 1 ? i != bits - 1 : kind == 2 ? 1 : random_word() >> 40 & 1);
        return x;
    }
}
