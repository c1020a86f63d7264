package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// around is a kernel, with a place for what a test plants.
const around = `#include "cclo_hls.hpp"

struct State {
    ap_uint<8> seen;
    int (*step)(int);
};

// new, throw and .to_hex() mean nothing here, nor do "malloc" and 'x'.
void planted(hls::stream<cclo::kernel_beat> &in, hls::stream<cclo::kernel_beat> &out, State *state) {
#pragma HLS INTERFACE axis port=in
#pragma HLS INTERFACE mode = axis port = out register_mode = both
#pragma HLS INTERFACE m_axi port=state offset=slave bundle=gmem max_read_burst_length=16
#pragma HLS INTERFACE s_axilite port=state
#pragma HLS INTERFACE s_axilite port=return
#pragma HLS PIPELINE II=1 style=flp
    cclo::kernel_beat beat = in.read();
    const double half = 1.e0 / 2.0f;
    if (half < 1. && !beat.data.or_reduce()) {
        state->seen = beat.dest + state->step(beat.data.range(7, 0).to_int());
    }
    const unsigned last = beat.last.to_uint();
    PLANT
    out.write(beat);
    (void)last;
}
`

// kernel is that kernel, with something planted in its body.
func kernel(t *testing.T, base map[string]string, plant string) map[string]string {
	t.Helper()
	files := maps.Clone(base)
	files["planted/planted.cpp"] = strings.Replace(around, "    PLANT\n", plant, 1)
	return files
}

var planted = []struct {
	name, plant string
	rule        Rule
	want        string
}{
	{"unknown directive", "#pragma HLS ARRAY_MAP variable=beat\n", Directives, "ARRAY_MAP"},
	{"pragma of a compiler", "#pragma GCC unroll 4\n", Directives, "GCC unroll 4"},
	{"misspelt option", "#pragma HLS PIPELINE ii=1 rewinds\n", Directives, "no option rewinds"},
	{"option of another directive", "#pragma HLS UNROLL II=4\n", Directives, "no option II=4"},
	{"option without a value", "#pragma HLS PIPELINE II\n", Directives, "no option II"},
	{"value that is no number", "#pragma HLS UNROLL factor=all\n", Directives, "all is no value of factor"},
	{"undocumented style", "#pragma HLS PIPELINE style=fast\n", Directives, "fast is no value of style"},
	{"option twice", "#pragma HLS LATENCY min=1 min=2\n", Directives, "min twice"},
	{"array without a name", "#pragma HLS ARRAY_PARTITION complete\n", Directives, "no variable"},
	{"interface without a port", "#pragma HLS INTERFACE axis\n", Directives, "no port"},
	{"mode that cards do not have", "#pragma HLS INTERFACE ap_bus port=state\n", Directives, "no such mode"},
	{"register that the tool places", "#pragma HLS INTERFACE s_axilite port=state offset=0x10\n", Directives,
		"no option offset=0x10"},
	{"offset of memory that is not of the control port", "#pragma HLS INTERFACE m_axi port=state offset=direct\n",
		Directives, "direct is no value of offset"},
	{"protocol of its own", "#pragma HLS protocol strict\n", Directives, "no option strict"},

	{"header of the vendor", "#include <ap_int.h>\n", Headers, "the vendor's"},
	{"header of the vendor that is not for all versions", "#include <hls_math.h>\n", Headers, "not for kernels"},
	{"header of a hosted library", "#include <vector>\n", Headers, "not for kernels"},
	{"printing in synthesis", "#ifdef __SYNTHESIS__\n#include <iostream>\n#endif\n", Headers, "not for kernels"},
	{"printing where only synthesis looks",
		"#if !defined(ACCL_SYNTHESIS) && !defined(__SYNTHESIS__)\n#else\n#include <iostream>\n#endif\n",
		Headers, "not for kernels"},
	{"file that is not there", "#include \"missing.hpp\"\n", Headers, "not among the files"},
	{"computed header", "#include HEADER\n", Headers, "the name of a header is expected"},

	{"member of a word", "    beat.data.to_hex();\n", Members, "to_hex"},
	{"member of a stream", "    in.get_name();\n", Members, "get_name"},
	{"member behind an arrow", "    (&in)->peek();\n", Members, "peek"},
	{"member in a macro", "#define LOOK(s) (s).peek()\n", Members, "peek"},
	{"name of the vendor's", "    ap_private<8> x;\n", Members, "ap_private"},
	{"class of the vendor's", "    hls::vector<int, 4> x;\n", Members, "hls::vector"},

	{"memory", "    int *x = new int;\n", Hardware, "new"},
	{"memory of C", "    void *x = malloc(4);\n", Hardware, "malloc"},
	{"memory given back", "    delete state;\n", Hardware, "delete"},
	{"exception", "    throw 1;\n", Hardware, "throw"},
	{"handler", "    try { beat.last = 1; } catch (...) {}\n", Hardware, "try"},
	{"type at run time", "    typeid(beat);\n", Hardware, "typeid"},
	{"cast at run time", "    dynamic_cast<State *>(state);\n", Hardware, "dynamic_cast"},
	{"virtual function", "    struct V { virtual int f(); };\n", Hardware, "virtual"},
	{"printing", "    printf(\"x\");\n", Hardware, "printf"},

	{"attribute of later versions", "    [[maybe_unused]] int x;\n", Language, "maybe_unused"},
	{"type of a compiler", "    _Float16 x;\n", Language, "_Float16"},
	{"function of a compiler", "    __builtin_popcount(3);\n", Language, "__builtin_popcount"},
	{"attribute of a compiler", "    int x __attribute__((aligned(8)));\n", Language, "__attribute__"},
	{"directive of a compiler", "#warning x\n", Language, "warning"},
}

func TestPlantedTextIsFound(t *testing.T) {
	base := render(t, "u55c_tcp", "")
	found := Check(list(kernel(t, base, "")))
	assert.Equal(t, len(found), 0, "without anything planted: %v", found)
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			files := kernel(t, base, p.plant)
			line := strings.Count(around[:strings.Index(around, "PLANT")], "\n") + 1
			lines := strings.Count(p.plant, "\n")
			found := Check(list(files))
			if !slices.ContainsFunc(found, func(f Problem) bool {
				return f.Path == "planted/planted.cpp" && f.Rule == p.rule && strings.Contains(f.Text, p.want) && f.Line >= line &&
					f.Line < line+lines
			}) {
				t.Errorf("not found; found: %v", found)
			}
		})
	}
}

// TestHeadersOfTheVendorHaveOnePlace: also another file of the platform may not have
// them.
func TestHeadersOfTheVendorHaveOnePlace(t *testing.T) {
	files := render(t, "u55c_tcp", "")
	files["accl_hls.h"] += "#include <hls_stream.h>\n"
	found := Check(list(files))
	assert.Check(t, len(found) == 1 && found[0].Path == "accl_hls.h" && found[0].Rule == Headers, "found: %v", found)
}

// TestBenchesAreSoftware: a test bench may do what a kernel may not, but not everything.
func TestBenchesAreSoftware(t *testing.T) {
	files := render(t, "u55c_tcp", "")
	files["planted/planted_tb.cpp"] = "#include <cstdio>\n#include <vector>\nint main() {\n    std::vector<int> v;\n   " +
		" v.push_back(1);\n    std::printf(\"%d\", v[0]);\n}\n"
	found := Check(list(files))
	assert.Check(t, is.Equal(len(found), 0), "found: %v", found)
	files["planted/planted_tb.cpp"] += "#include <ap_int.h>\nvoid look(ap_uint<8> x) { x.to_hex(); }\n"
	found = Check(list(files))
	assert.Check(t, len(found) == 2 && found[0].Rule == Headers && found[1].Rule == Members, "found: %v", found)
}

// TestLaterLanguageDoesNotCompile: what text does not show, the compiler says.
func TestLaterLanguageDoesNotCompile(t *testing.T) {
	plants := []struct{ name, plant, want string }{
		{"branch at compile time", "if constexpr (sizeof(int) == 4) { beat.last = 1; }", "if constexpr"},
		{"names for parts", "int two[2] = {1, 2}; auto [a, b] = two; beat.last = a < b;", "structured bindings"},
		{"initialiser in a condition", "if (int x = 1; x) { beat.last = 1; }", "init-statement"},
		{"array of a size that is not known", "int x[last]; x[0] = 1; beat.last = x[0];", "variable length array"},
		{"member that the stand-in lacks", "beat.data.set_bit(1);", "set_bit"},
		{"wrong type", "out.write(1);", "cannot convert"},
	}
	var all strings.Builder
	for _, p := range plants {
		fmt.Fprintf(&all, "    { %s }\n", p.plant)
	}
	said, _ := compile(t, onDisk(t, kernel(t, render(t, "u55c_tcp", ""), all.String())), "planted/planted.cpp")
	first := strings.Count(around[:strings.Index(around, "PLANT")], "\n") + 1
	for i, p := range plants {
		place := fmt.Sprintf("planted/planted.cpp:%d:", first+i)
		found := slices.ContainsFunc(strings.Split(said, "\n"), func(line string) bool {
			return strings.HasPrefix(line, place) && strings.Contains(line, "error:") && strings.Contains(line, p.want)
		})
		assert.Check(t, found, "%s: the compiler does not say %q of %s\n%s", p.name, p.want, place, said)
	}
}

// TestFunctionsThatCallThemselvesAreFound: directly, by way of others, as templates and
// as members, but not those of the stand-in, nor the same name for another type.
func TestFunctionsThatCallThemselvesAreFound(t *testing.T) {
	files := kernel(t, render(t, "u55c_tcp", ""), "")
	files["planted/planted.cpp"] += `
int other(int x) { return x; }
double other(double x) { return other(static_cast<int>(x)); }
int direct(int x) { return x > 0 ? direct(x - 1) : 0; }
int back(int x);
int forth(int x) { return back(x); }
int back(int x) { return x > 0 ? forth(x - 1) : 0; }
template <class T> T copied(T x) { return x > 0 ? copied<T>(x - 1) : 0; }
int calls(int x) { return copied(x); }
struct S { int member(int x); };
int S::member(int x) { return x > 0 ? member(x - 1) : 0; }
`
	said, cycles := compile(t, onDisk(t, files), "planted/planted.cpp")
	assert.Equal(t, said, "")
	var found []string
	for _, c := range cycles {
		place, function, _ := strings.Cut(c, ": ")
		assert.Check(t, strings.HasPrefix(place, "planted/planted.cpp:"), "%s", c)
		found = append(found, function)
	}
	slices.Sort(found)
	assert.DeepEqual(t, found, []string{"T copied(T) [with T = int]", "int S::member(int)", "int back(int)",
		"int direct(int)", "int forth(int)"})
}
