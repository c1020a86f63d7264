// Does what its arguments say with the component that is linked to it, through
// component.h, and prints what comes back.
#include "component.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

extern int destroyed;

static unsigned made = 0; // beats so far

// Beat k of a test has a byte k + i at i, fewer and fewer bytes, and last at every
// fourth.
static cclo_beat next_beat() {
    cclo_beat b = {};
    const unsigned k = made++;
    for (unsigned i = 0; i < 64; i++)
        b.data[i] = uint8_t(k + i);
    b.keep = ~uint64_t(0) >> (k % 8);
    b.dest = k;
    b.last = k % 4 == 3;
    return b;
}

static void print_state(const cclo_state &s) {
    static const char *const doing[] = {"idle", "reads", "writes", "polls", "failed"};
    std::printf("%s %d calls %llu text '%s'\n", doing[s.doing], s.port, static_cast<unsigned long long>(s.calls), s.text);
}

static int mappings() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int n = 0;
    while (std::getline(maps, line))
        n++;
    return n;
}

// As the simulations do it: 16 beats in, run, 16 beats out.
static double beats_per_second(void *component, double seconds) {
    cclo_beat in[16], out[16];
    for (auto &b : in)
        b = next_beat();
    cclo_state state;
    long beats = 0;
    const auto from = std::chrono::steady_clock::now();
    double passed = 0;
    while (passed < seconds) {
        for (int i = 0; i < 1000; i++) {
            cclo_put(component, 0, in, 16);
            cclo_run(component, &state);
            beats += cclo_get(component, 1, out, 16);
        }
        passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    }
    return double(beats) / passed;
}

int main(int argc, char **argv) {
    int at = 1;
    const auto text = [&] { return at < argc ? std::string(argv[at++]) : std::string(); };
    const auto number = [&] { return std::strtoull(text().c_str(), nullptr, 0); };
    void *component = nullptr;
    cclo_state state = {};
    uint64_t memory = 0;
    while (at < argc) {
        const std::string command = text();
        if (command == "describe") {
            const cclo_port *ports;
            const cclo_argument *arguments;
            std::printf("%u %s %u", cclo_version(), cclo_kernel(), cclo_free_running());
            for (uint32_t i = 0, n = cclo_ports(&ports); i < n; i++)
                std::printf(" %s %u %u %u", ports[i].name, ports[i].output, ports[i].width, ports[i].dest_bits);
            for (uint32_t i = 0, n = cclo_arguments(&arguments); i < n; i++)
                std::printf(" %s %#x %u %u", arguments[i].name, arguments[i].offset, arguments[i].bits, arguments[i].pointer);
            std::printf("\n");
        } else if (command == "open") {
            component = cclo_open(uint32_t(number()));
        } else if (command == "close") {
            cclo_close(component);
            component = nullptr;
            std::printf("destroyed %d\n", destroyed);
        } else if (command == "put") {
            const auto port = uint32_t(number());
            std::vector<cclo_beat> beats(number());
            for (auto &b : beats)
                b = next_beat();
            const uint32_t n = cclo_put(component, port, beats.data(), uint32_t(beats.size()));
            made -= unsigned(beats.size()) - n; // those without room are tried again
            std::printf("put %u\n", n);
        } else if (command == "get") {
            const auto port = uint32_t(number());
            std::vector<cclo_beat> beats(number());
            std::memset(beats.data(), 0xee, beats.size() * sizeof(cclo_beat));
            const uint32_t n = cclo_get(component, port, beats.data(), uint32_t(beats.size()));
            std::printf("got %u\n", n);
            for (uint32_t i = 0; i < n; i++) {
                for (int k = 63; k >= 0; k--)
                    std::printf("%02x", beats[i].data[k]);
                std::printf(" %llx %x %u\n", static_cast<unsigned long long>(beats[i].keep), beats[i].dest, beats[i].last);
            }
        } else if (command == "count") {
            std::printf("count %u\n", cclo_count(component, uint32_t(number())));
        } else if (command == "moved") {
            std::printf("moved %llu\n", static_cast<unsigned long long>(cclo_moved(component, uint32_t(number()))));
        } else if (command == "start") {
            const uint64_t arguments[] = {number(), reinterpret_cast<uintptr_t>(&memory)};
            std::printf("started %u\n", cclo_start(component, arguments));
        } else if (command == "run") {
            cclo_run(component, &state);
            print_state(state);
        } else if (command == "run-elsewhere") {
            std::thread([&] { cclo_run(component, &state); }).join();
            print_state(state);
        } else if (command == "memory") {
            std::printf("memory %llu\n", static_cast<unsigned long long>(memory));
        } else if (command == "cycles") {
            const auto n = number();
            int before = 0;
            for (unsigned long long i = 0; i < n; i++) {
                void *c = cclo_open(2);
                const cclo_beat b = next_beat();
                cclo_put(c, 0, &b, 1);
                cclo_run(c, &state);
                cclo_close(c);
                if (i == 10)
                    before = mappings();
            }
            // Allocators may want some more; stacks that stay would be thousands.
            const int more = mappings() - before;
            if (more < 100)
                std::printf("mappings stay\n");
            else
                std::printf("mappings %+d\n", more);
        } else if (command == "bench") {
            std::printf("beats/s %.0f\n", beats_per_second(component, double(number()) / 1000));
        } else {
            std::fprintf(stderr, "what is %s?\n", command.c_str());
            return 2;
        }
    }
    return 0;
}
