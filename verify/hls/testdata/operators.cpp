// Shows what the operators make of random operands. PAIRS are calls of pair<A, B>.
#include "values.hpp"

template <class A, class B> void compound(const A &a, const B &b) {
    // Of the assignments those that truncate in a way of their own.
    A x = a;
    x += b;
    show("+=", a, b, x);
    x = a;
    x -= b;
    show("-=", a, b, x);
    x = a;
    x *= b;
    show("*=", a, b, x);
    x = a;
    x &= b;
    show("&=", a, b, x);
    x = a;
    x |= b;
    show("|=", a, b, x);
    x = a;
    x ^= b;
    show("^=", a, b, x);
    x = b;
    show("=", a, b, x);
    if (b == 0)
        return;
    x = a;
    x /= b;
    show("/=", a, b, x);
    x = a;
    x %= b;
    show("%=", a, b, x);
}

template <class A, class B> void pair() {
    for (int i = 0; i < ROUNDS; i++) {
        const A a = random_value<A>();
        const B b = random_value<B>();
        show("+", a, b, a + b);
        show("-", a, b, a - b);
        show("*", a, b, a * b);
        show("&", a, b, a & b);
        show("|", a, b, a | b);
        show("^", a, b, a ^ b);
        show("==", a, b, a == b);
        show("!=", a, b, a != b);
        show("<", a, b, a < b);
        show("<=", a, b, a <= b);
        show(">", a, b, a > b);
        show(">=", a, b, a >= b);
        if (b != 0) {
            show("/", a, b, a / b);
            show("%", a, b, a % b);
        }
        if constexpr (!std::is_integral<A>::value) {
            show("<<", a, b, a << b);
            show(">>", a, b, a >> b);
            compound(a, b);
            const int n = below(2 * form<A>::width + 20) - form<A>::width - 10;
            show("<<", a, n, a << n);
            show(">>", a, n, a >> n);
            A x = a;
            x <<= n;
            show("<<", a, n, x);
            x = a;
            x >>= n;
            show(">>", a, n, x);
        }
    }
}

int main() {
    PAIRS
}
