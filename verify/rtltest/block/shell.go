package block

import (
	"fmt"
	"slices"
	"strings"
)

// shared is what all modules share. A failed assertion is noted, and does not
// end the process.
const shared = `#include "verilated.cpp"
#include "verilated_threads.cpp"

#include <cstdio>

extern "C" __attribute__((visibility("default"))) char block_failure[512];
char block_failure[512];

void vl_stop(const char* file, int line, const char*) {
    if (!block_failure[0]) std::snprintf(block_failure, sizeof block_failure, "%s:%d", file, line);
}
void vl_fatal(const char* file, int line, const char* hier, const char* message) {
    if (!block_failure[0]) std::snprintf(block_failure, sizeof block_failure, "%s:%d: %s", file, line, message);
}
void vl_finish(const char* file, int line, const char* hier) { vl_stop(file, line, hier); }

extern "C" __attribute__((visibility("default"))) const char* block_failed(int forget) {
    static char said[512];
    std::memcpy(said, block_failure, sizeof said);
    if (forget) block_failure[0] = 0;
    return said;
}
`

// shell is the C++ around a module that Verilator made.
func (d *description) shell(name string) string {
	var text, in, out strings.Builder
	for _, p := range d.Ports {
		member := p.Name
		if slices.Contains(keywords, member) {
			member = "__SYM__" + member // as Verilator calls it
		}
		if p.Input {
			fmt.Fprintf(&in, "    std::memcpy(&m.%[1]s, in + %[2]d, sizeof m.%[1]s);\n", member, p.At)
		} else {
			fmt.Fprintf(&out, "    std::memcpy(out + %[2]d, &m.%[1]s, sizeof m.%[1]s);\n", member, p.At)
		}
	}
	low, high := "", ""
	if d.Clock != "" {
		low = "    m." + d.Clock + " = 0;\n"
		high = "    if (edge) { m." + d.Clock + " = 1; m.eval(); }\n"
	}
	if d.Reset != "" {
		active := "reset"
		if strings.HasSuffix(d.Reset, "_n") || d.Reset == "aresetn" {
			active = "!reset"
		}
		low += "    m." + d.Reset + " = " + active + ";\n"
	}
	fmt.Fprintf(&text, `
namespace %[1]s_bench {
struct Bench {
    VerilatedContext context;
    V%[1]s model;
    explicit Bench(uint64_t seed) : model{begun(context, seed)} {}
};
}
API void* %[1]s_new(uint64_t seed) { return new %[1]s_bench::Bench(seed); }
API void %[1]s_delete(%[1]s_bench::Bench* b) {
    Verilated::threadContextp(&b->context);
    delete b;
    Verilated::threadContextp(Verilated::defaultContextp());
}
API void %[1]s_step(%[1]s_bench::Bench* b, const uint32_t* in, uint32_t* out, uint32_t reset, uint32_t edge) {
    Verilated::threadContextp(&b->context); // calls go from thread to thread
    auto& m = b->model;
%[2]s%[3]s    m.eval();
%[4]s%[5]s}
API const char* %[1]s_ports() { return R"PORTS(%[6]s)PORTS"; }
`, name, in.String(), low, out.String(), high, d.text())
	return text.String()
}

// keywords are words of C and C++ that may be names of ports.
var keywords = []string{"abort", "auto", "bool", "catch", "char", "class", "delete", "double", "explicit", "export",
	"float", "friend", "goto", "inline", "int", "long",
	"mutable", "namespace", "new", "operator", "private", "protected", "public", "register", "short", "signed", "switch",
	"template", "this", "throw", "try",
	"unsigned", "using", "virtual", "void", "volatile"}

const around = `#include <cstdint>
#include <cstring>
#include "verilated.h"
#define API extern "C" __attribute__((visibility("default")))

// Registers get their first values when a model is made: the context has to know before.
static inline VerilatedContext* begun(VerilatedContext& context, uint64_t seed) {
    const char* name[] = {"block"};
    context.commandArgs(1, name);
    context.randReset(2);
    context.randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    return &context;
}
`
