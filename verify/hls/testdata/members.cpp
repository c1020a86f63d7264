// Shows what single values can do. TYPES are calls of type<A>.
#include "values.hpp"

#include <iostream>
#include <sstream>

template <class A> void text(const A &a, int radix, const std::string &s) {
    std::printf("text");
    show(a);
    show(radix);
    std::printf(" %s\n", s.c_str());
}

template <class A> void type() {
    constexpr int W = form<A>::width;
    for (int i = 0; i < ROUNDS; i++) {
        const A a = random_value<A>();
        const int hi = below(W), lo = below(W);
        show("neg", a, 0, -a);
        show("not", a, 0, ~a);
        show("zero", a, 0, !a);
        show("plus", a, 0, +a);
        A x = a;
        show("old", a, 0, x++);
        show("inc", a, 0, x);
        x = a;
        show("dec", a, 0, --x);
        x = a;
        x--;
        show("dec", a, 0, x);

        show("and_reduce", a, 0, a.and_reduce());
        show("or_reduce", a, 0, a.or_reduce());
        show("xor_reduce", a, 0, a.xor_reduce());
        show("nand_reduce", a, 0, !a.nand_reduce() == a.and_reduce() && !a.nor_reduce() == a.or_reduce() &&
                                      !a.xnor_reduce() == a.xor_reduce());
        show("sign", a, 0, a.sign());
        show("length", a, 0, a.length());
        show("zeros", a, 0, a.countLeadingZeros());
        x = a;
        x.reverse();
        show("reverse", a, 0, x);
        x = a;
        x.lrotate(lo);
        show("lrotate", a, lo, x);
        x.rrotate(lo);
        show("old", a, lo, x);

        show("bit", a, lo, bool(a[lo]));
        show("bit", a, lo, a.test(lo));
        x = a;
        show("bit", a, lo, bool(x[lo]));
        show("bit", a, lo, x.get_bit(lo));
        x[lo] = 1;
        show("set", a, lo, x);
        x = a;
        x.set(lo);
        show("set", a, lo, x);
        x = a;
        x.clear(lo);
        show("clear", a, lo, x);
        x = a;
        x[lo] = false;
        show("clear", a, lo, x);
        x = a;
        x.invert(lo);
        show("invert", a, lo, x);
        x[lo] = x[hi];
        x = a;
        x.set(lo, a[lo]);
        show("old", a, lo, x);

        show("int", a, 0, a.to_int());
        show("int", a, 0, a.to_uint());
        show("int", a, 0, a.to_long());
        show("int", a, 0, a.to_ulong());
        show("int", a, 0, a.to_int64());
        show("int", a, 0, a.to_uint64());
        show("int", a, 0, a.to_char());
        show("int", a, 0, a.to_ushort());
        show("int", a, 0, static_cast<long long>(a));
        show("int", a, 0, static_cast<int>(a));
        const double real = a.to_double();
        uint64_t real_bits;
        std::memcpy(&real_bits, &real, 8);
        show("double", a, 0, real_bits);

        for (int radix : {2, 8, 10, 16}) {
            text(a, radix, a.to_string(radix));
            show("parse", a, radix, A(a.to_string(radix, form<A>::sign).c_str(), radix));
        }
        std::ostringstream out;
        out << a;
        text(a, 10, out.str());
        if (!form<A>::sign) {
            out.str("");
            out << std::hex << a;
            text(a, 16, out.str());
        }
    }
}

int main() {
    TYPES
}
