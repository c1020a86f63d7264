package emit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
)

// inCPP is a platform whose kernels are all in C++.
const inCPP = `
platform "p" {
  board  = "u55c"
  source = { reduce_ops = "hls", hp_compression = "hls", vadd_put = "hls", loopback = "hls" }
  cclo { kernel_stream = "vadd_put" }
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" { lanes = 2 }
}`

// written renders the C++ of a design into a directory.
func written(t *testing.T, d *design.Design) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range filesOf(t, HLS, d) {
		put(t, dir, path, text)
	}
	return dir
}

// gxx compiles as C++14, with all warnings, against the stand-in.
func gxx(t *testing.T, dir, kernel string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("needs g++: apt-get install g++")
	}
	flags := []string{"-std=c++14", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-pedantic-errors",
		"-Wno-unused-label", "-O0",
		"-Ihls", "-isystem", "hls/sim", "-Ihls/" + kernel}
	cmd := exec.CommandContext(t.Context(), "g++", append(flags, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// bench compiles and runs the test bench of a kernel.
func bench(t *testing.T, dir, kernel string) (string, error) {
	t.Helper()
	if out, err := gxx(t, dir, kernel, "hls/"+kernel+"/"+kernel+".cpp", "hls/"+kernel+"/"+kernel+"_tb.cpp",
		"-o", kernel); err != nil {
		return out, err
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, kernel)).CombinedOutput()
	return string(out), err
}

// passes runs the bench of a kernel, and compiles its glue.
func passes(t *testing.T, dir, kernel, says string) {
	t.Helper()
	out, err := bench(t, dir, kernel)
	assert.Check(t, err == nil && strings.Contains(out, says), "%v\n%s", err, out)
	if out, err := gxx(t, dir, kernel, "-fsyntax-only", "-std=c++17", "hls/"+kernel+"/"+kernel+
		"_component.cpp"); err != nil {
		t.Errorf("the glue: %v\n%s", err, out)
	}
}

func TestBenchesOfTheShippedKernelsPass(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", map[string]string{"p.hcl": inCPP}))
	for _, kernel := range []string{"reduce_ops", "hp_compression", "vadd_put", "loopback"} {
		t.Run(kernel, func(t *testing.T) { // verify/hls/plugins compiles the glue
			out, err := bench(t, dir, kernel)
			assert.Check(t, err == nil && strings.Contains(out, "right"), "%v\n%s", err, out)
		})
	}
}

func mine(t *testing.T) map[string]string { return designtest.Files(t, "testdata/mine.txtar") }

// changed are the user's kernels with a text in place of another.
func changed(t *testing.T, file, old, new string) map[string]string {
	t.Helper()
	files := mine(t)
	assert.Assert(t, is.Contains(files[file], old), "%s has no", file)
	files[file] = strings.Replace(files[file], old, new, 1)
	return files
}

func TestBenchesOfOwnKernelsPass(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", mine(t)))
	for kernel, says := range map[string]string{
		"tiny": "tiny: 150 packets are right\n  sum of bfloat16: compared with exact arithmetic\n  sum of int32: compared " +
			"with exact arithmetic\n",
		"pack": "pack: 300 packets are right\n  float32 to quad: as your function says\n  quad to float32: as your " +
			"function says\n" +
			"  float32 to bfloat16: compared with exact arithmetic\n  bfloat16 to float32: compared with exact arithmetic\n" +
			"  float64 to bfloat16: as your function says\n",
		"steps": "right",
	} {
		t.Run(kernel, func(t *testing.T) { passes(t, dir, kernel, says) })
	}
}

func TestBenchesFailWhenFunctionsAreBroken(t *testing.T) {
	for n, test := range []struct{ name, kernel, file, old, new, want string }{
		{"a sum that is none", "tiny", "kernels/tiny.hpp", "a.bits + b.bits", "a.bits - b.bits", "sum of int32 is wrong"},
		{"a sum of another format", "tiny", "kernels/tiny.hpp", "ieee754::sum<8, 7>", "ieee754::sum<5, 10>",
			"sum of bfloat16 is wrong: of 0x"},
		{"a conversion that rounds ties up", "pack", "kernels/pack.hpp", "ieee754::narrow<8, 23, 8, 7>(in.bits)",
			"high(in.bits + 0x8000)",
			"float32 to bfloat16 is wrong: of 0x"},
		{"a conversion that loses a bit", "pack", "kernels/pack.hpp", "ap_uint<32>(in.bits) << 16}; }",
			"ap_uint<32>(in.bits & 0xFFFE) << 16}; }",
			"bfloat16 to float32 is wrong: of 0x"},
		{"state that is shared", "pack", "kernels/pack.hpp", "static cclo", "inline cclo", "float64 to bfloat16: packet"},
		{"an answer too many", "steps", "kernels/steps.hpp", "command.barrier();", "command.barrier(); command.finish();",
			"2 answers are taken, but only 1 calls made"},
	} {
		if !nightly.Sampled(n, 3) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			out, err := bench(t, written(t, designtest.Made(t, "p", changed(t, test.file, test.old, test.new))), test.kernel)
			assert.Check(t, err != nil && strings.Contains(out, test.want), "%v\n%s", err, out)
		})
	}
}

func TestMinimaAndProducts(t *testing.T) {
	nightly.Only(t)
	for _, test := range []struct{ old, new, want string }{
		{"", "", "\n  prod of int32: compared with exact arithmetic\n"},
		{"ieee754::minimum", "ieee754::maximum", "min of float16 is wrong"},
		{"(b.bits))))}; ", "(b.bits)) * 1.001))}; ", "prod of float16 is wrong"},
	} {
		files := designtest.Files(t, "testdata/extremes.txtar")
		files["kernels/extremes.hpp"] = strings.Replace(files["kernels/extremes.hpp"], test.old, test.new, 1)
		out, err := bench(t, written(t, designtest.Made(t, "p", files)), "extremes")
		assert.Check(t, (err == nil) == (test.old == "") && strings.Contains(out, test.want),
			"%q: %v\n%s", test.new, err, out)
	}
}

func TestCompileErrorsNameTheUsersLines(t *testing.T) {
	for _, test := range []struct{ name, kernel, file, old, new, want string }{
		{"in the C++", "tiny", "kernels/tiny.hpp", "return {ieee754::sum<8, 7>(a.bits, b.bits)};", "return nothing;",
			"platforms/kernels/tiny.hpp:8:"},
		{"in a file that is included", "pack", "kernels/tools.h", "bits >> 16", "bits >> many",
			"platforms/kernels/tools.h:3:"},
		{"a TDEST without a function", "tiny", "kernels/tiny.hcl", "int32 = 1", "int32 = 1, int64 = 2",
			"platforms/kernels/tiny.hcl:5:"},
		{"a conversion without a function", "pack", "kernels/pack.hcl", "\"unpack\"", "\"other::unpack\"",
			"platforms/kernels/pack.hcl:8:"},
		{"a user kernel without its function", "steps", "kernels/steps.hcl", "walk::body", "run::body",
			"platforms/kernels/steps.hcl:5:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := written(t, designtest.Made(t, "p", changed(t, test.file, test.old, test.new)))
			out, err := gxx(t, dir, test.kernel, "-fsyntax-only", "hls/"+test.kernel+"/"+test.kernel+".cpp")
			assert.Check(t, err != nil && strings.Contains(out, test.want) && strings.Contains(out, "error:"),
				"%v\n%s", err, out)
		})
	}
}

// The files may have the top function themselves, even in a file of the name that a
// generated one would have.
func TestOwnTopFunctionsAreTakenAsTheyAre(t *testing.T) {
	const top = `#include "cclo_hls.hpp"
void %s(hls::stream<cclo::beat<4>> &in_r, hls::stream<cclo::beat<0>> &out_r) {
#pragma HLS INTERFACE axis port=in_r
#pragma HLS INTERFACE axis port=out_r
#pragma HLS INTERFACE ap_ctrl_none port=return
    const cclo::beat<4> in = in_r.read();
    cclo::beat<0> out;
    out.data = ~in.data;
    out.keep = in.keep;
    out.strb = in.keep;
    out.last = in.last;
    out_r.write(out);
}
`
	for _, file := range []string{"inverts.cpp", "inverts.hpp"} {
		t.Run(file, func(t *testing.T) {
			dir := written(t, designtest.Made(t, "p", map[string]string{
				"p.hcl": `
platform "p" {
  board = "u55c"
  poe "tcp" {}
  compression "inverts" { lanes = 1 }
}`,
				"kernels/inverts.hcl": `
kernel "inverts" {
  like = "compression_plugin"
  hls {
    files = ["` + file + `"]
    top   = "inverts"
  }
  conversion "float32" "int32" { tdest = 0 }
  conversion "int32" "float32" { tdest = 1 }
}`,
				"kernels/" + file: strings.Replace(top, "%s", "inverts", 1),
			}))
			passes(t, dir, "inverts", "right")
			text, err := os.ReadFile(filepath.Join(dir, "hls/inverts/inverts.cpp"))
			assert.Check(t, err == nil && strings.Contains(string(text), "~in.data") == (file == "inverts.cpp"),
				"%v\n%s", err, text)
		})
	}
}
