// Kernels for the tests of the runtime, one a program: -DTESTED=<one of these>.
#include "component.hpp"

#define echo 1
#define narrow 2
#define polls 3
#define lookup 4
#define called 5
#define holds 6
#define idles 7
#define mistakes 8
#define waits_inside 9
#define swallows 10
#define mislabelled 11
#define plain 12
#define catches 13

using Wide = ap_axiu<512, 0, 0, 8>;
template <class T> using Stream = hls::stream<T>;

int destroyed = 0; // for the driver

namespace {

struct Witness {
    ~Witness() { destroyed++; }
};

#if TESTED == echo

struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override {
        Wide beat;
        do {
            beat = in.read();
            out.write(beat);
        } while (!beat.last);
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};

#elif TESTED == narrow

struct Kernel : cclo_sim::Component {
    Stream<ap_axiu<32, 0, 0, 4>> in;
    Stream<ap_axis<20, 1, 2, 0>> out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override {
        const auto beat = in.read();
        ap_axis<20, 1, 2, 0> x;
        x.data = beat.data;
        x.keep = beat.keep;
        x.last = beat.dest[0];
        x.id = -1;
        x.set_user(1);
        x.dest = 5; // there is none
        out.write(x);
    }
};
const cclo_port ports[] = {{"in", 0, 32, 4}, {"out", 1, 20, 0}};

#elif TESTED == polls

struct Kernel : cclo_sim::Component {
    Stream<Wide> a, b, out;
    Kernel() { input(a, "a"), input(b, "b"), output(out, "out"); }
    void call(const uint64_t *) override {
        Wide beat;
        for (;;) {
            if (!out.full() && (a.read_nb(beat) || b.read_nb(beat)))
                out.write_nb(beat);
        }
    }
};
const cclo_port ports[] = {{"a", 0, 512, 8}, {"b", 0, 512, 8}, {"out", 1, 512, 8}};

#elif TESTED == lookup

struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override {
        Witness witness;
        hls::stream<Wide, 2> table("table");
        for (int i = 0; i < 3; i++)
            table.write(in.read());
        for (;;)
            out.write(table.read());
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};

#elif TESTED == called

struct Kernel : cclo_sim::Component {
    Stream<Wide> out;
    Stream<ap_axiu<32, 0, 0, 0>> answer;
    Kernel() { output(out, "out"), input(answer, "answer"); }
    // Sums what answers it gets into *sum, count of them.
    void call(const uint64_t *arguments) override {
        auto *sum = reinterpret_cast<uint64_t *>(arguments[1]);
        for (uint32_t i = 0; i < uint32_t(arguments[0]); i++) {
            Wide beat;
            beat.data = i + 100;
            beat.keep_all();
            beat.last = 1;
            beat.dest = i;
            out << beat;
            *sum += answer.read().data;
        }
    }
};
const cclo_port ports[] = {{"out", 1, 512, 8}, {"answer", 0, 32, 0}};
const cclo_argument arguments[] = {{"count", 0x10, 32, 0}, {"sum", 0x18, 64, 1}};

#elif TESTED == holds

struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Witness member;
    Kernel() { input(in, "in"), output(out, "out"); }
    struct Writes { // when it is destroyed
        Kernel &kernel;
        ~Writes() {
            for (int i = 0; i < 100; i++) {
                kernel.out.write(Wide());
                kernel.in.read();
                kernel.in.empty();
            }
            destroyed++;
        }
    };
    void call(const uint64_t *) override {
        Witness local;
        Writes writes{*this};
        for (;;) {
            Witness inner;
            out.write(in.read());
        }
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};

#elif TESTED == idles

struct Kernel : cclo_sim::Component {
    Stream<Wide> in;
    int n = 0;
    Kernel() { input(in, "in"); }
    void call(const uint64_t *) override { n++; }
};
const cclo_port ports[] = {{"in", 0, 512, 8}};

#elif TESTED == mistakes

struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override {
        Wide beat = in.read();
        switch (beat.data(7, 0)) {
        case 0: in.write(beat); break;
        case 1: out.read(); break;
        case 2: throw 7;
        case 3: beat.data(512, beat.data(7, 0) - 3) = 1; break;
        case 4: beat.data = beat.data[beat.data(7, 0) + 508]; break;
        case 5: beat.data /= ap_uint<8>(beat.data(7, 0) - 5); break;
        case 6: throw std::runtime_error("of its own");
        case 7: in.write_nb(beat); break;
        default: out.read_nb(beat);
        }
        out.write(beat);
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};

#elif TESTED == waits_inside

struct Kernel : cclo_sim::Component {
    Stream<Wide> in;
    Kernel() { input(in, "in"); }
    void call(const uint64_t *) override {
        Stream<int> never("never");
        while (never.empty())
            continue;
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}};

#elif TESTED == swallows

struct Kernel : cclo_sim::Component {
    Stream<Wide> in;
    Kernel() { input(in, "in"); }
    void call(const uint64_t *) override {
        for (;;) {
            try {
                in.read();
            } catch (...) {
            }
        }
    }
};
const cclo_port ports[] = {{"in", 0, 512, 8}};

#elif TESTED == mislabelled

struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override { out.write(in.read()); }
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 256, 8}};

#elif TESTED == plain

struct Kernel : cclo_sim::Component {
    Stream<ap_uint<70>> in;
    Stream<float> out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override { out.write(float(in.read()(69, 64).to_int()) / 2); }
};
const cclo_port ports[] = {{"in", 0, 70, 0}, {"out", 1, 32, 0}};

#elif TESTED == catches

// Waits while it handles an exception, which has to be its own afterwards.
struct Kernel : cclo_sim::Component {
    Stream<Wide> in, out;
    Kernel() { input(in, "in"), output(out, "out"); }
    void call(const uint64_t *) override {
        try {
            throw calls++;
        } catch (int) {
            const Wide beat = in.read();
            try {
                throw;
            } catch (int n) {
                if (n == calls - 1)
                    out.write(beat);
            }
        }
    }
    int calls = 0;
};
const cclo_port ports[] = {{"in", 0, 512, 8}, {"out", 1, 512, 8}};

#endif

} // namespace

#if TESTED == called
CCLO_COMPONENT(Kernel, "tested", 0, ports, arguments)
#else
CCLO_COMPONENT_WITHOUT_ARGUMENTS(Kernel, "tested", 1, ports)
#endif
