// Shows ranges and concatenations. PAIRS are calls of pair<A, B>.
#include "values.hpp"

template <class A, class R> void range(const char *operation, const A &a, int hi, int lo, const R &r) {
    std::printf("%s", operation);
    show(a);
    show(hi);
    show(lo);
    show(r);
    std::printf("\n");
}
template <class A, class B> void put(const A &a, int hi, int lo, const B &b, const A &r) {
    std::printf("put");
    show(a);
    show(hi);
    show(lo);
    show(b);
    show(r);
    std::printf("\n");
}
template <class A, class B, class C, class R> void three(const char *operation, const A &a, const B &b, const C &c, const R &r) {
    std::printf("%s", operation);
    show(a);
    show(b);
    show(c);
    show(r);
    std::printf("\n");
}

template <class A, class B> void pair() {
    constexpr int W = form<A>::width, V = form<B>::width;
    for (int i = 0; i < ROUNDS; i++) {
        const A a = random_value<A>();
        const B b = random_value<B>();
        const bool aligned = below(3) == 0 && W > 64;
        int hi = below(W), lo = below(W);
        if (aligned) {
            lo = below(W / 32) * 32;
            hi = lo + 31 + 32 * below((W - lo) / 32);
        } else if (hi < lo && below(4)) {
            const int swap = hi;
            hi = lo;
            lo = swap;
        }

        // Reading, with all that a value can become.
        B y = a.range(hi, lo);
        range("get", a, hi, lo, y);
        y = 0;
        y = a(hi, lo);
        range("get", a, hi, lo, y);
        range("get", a, hi, lo, ap_uint<W>(a(hi, lo)));
        range("get", a, hi, lo, a(hi, lo).to_uint64());
        range("get", a, hi, lo, a(hi, lo).to_int());
        range("length", a, hi, lo, a(hi, lo).length());
        range("ones", a, hi, lo, a(hi, lo).and_reduce());
        range("any", a, hi, lo, a(hi, lo).or_reduce());
        range("odd", a, hi, lo, a(hi, lo).xor_reduce());
        range("more", a, hi, lo, a(hi, lo) + ap_uint<1>(1));

        // Writing, from a value, from a C integer, from a range of another value and of
        // the same.
        A x = a;
        x(hi, lo) = b;
        put(a, hi, lo, b, x);
        x = a;
        x.range(hi, lo) = 0x5a5a5a5a5a5a5a5all;
        put(a, hi, lo, 0x5a5a5a5a5a5a5a5all, x);
        x = a;
        x(hi, lo) = -1;
        put(a, hi, lo, -1, x);
        const int high = below(V), low = below(high + 1);
        const B part = b(high, low);
        x = a;
        x(hi, lo) = b(high, low);
        put(a, hi, lo, ap_uint<V>(b(high, low)), x);
        x = a;
        x(hi, lo) = part;
        put(a, hi, lo, part, x);
        const int high2 = below(W), low2 = below(high2 + 1);
        x = a;
        x(hi, lo) = x(high2, low2);
        put(a, hi, lo, ap_uint<W>(a(high2, low2)), x);
        x = a;
        x = x(high2, low2);
        range("get", a, high2, low2, x);
        x = a;
        x = x(low2, high2);
        range("get", a, low2, high2, x);

        // Concatenations.
        ap_uint<W + V> both = (a, b);
        show("join", a, b, both);
        both = 0;
        both = a.concat(b);
        show("join", a, b, both);
        const ap_uint<W + V> from = random_value<ap_uint<W + V>>();
        A p = 0;
        B q = 0;
        (p, q) = from;
        three("split", from, p, q, true);
        const ap_uint<W + V + 1> triple = (a, b, ap_uint<1>(1));
        three("join3", a, b, ap_uint<1>(1), triple);
        x = a;
        (x(hi, lo), q) = from;
        three("split3", from, ap_uint<W>(x(hi, lo)), q, x(hi, lo).length());
        ap_uint<W + V> parts = (a(high2, low2), b(high, low));
        range("get", ap_uint<W + V>(parts >> (high - low + 1)), high2 - low2, 0, ap_uint<W>(a(high2, low2)));
        three("parts", ap_uint<W>(a(high2, low2)), ap_uint<V>(b(high, low)), high - low + 1, parts);
        x = a;
        if (W > 1) {
            x = (x(W / 2 - 1, 0), x(W - 1, W / 2)); // halves exchanged
            show("swap", a, 0, x);
        }
        x = a;
        x = (x[0], b[0]);
        show("bits", a, b, x);
    }
}

int main() {
    PAIRS
}
