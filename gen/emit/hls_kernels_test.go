package emit_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
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
	files, err := emit.HLS(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Content, 0o666); err != nil {
			t.Fatal(err)
		}
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

func TestBenchesOfTheShippedKernelsPass(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", map[string]string{"p.hcl": inCPP}))
	for _, kernel := range []string{"reduce_ops", "hp_compression", "vadd_put", "loopback"} {
		t.Run(kernel, func(t *testing.T) {
			out, err := bench(t, dir, kernel)
			if err != nil || !strings.Contains(out, "right") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestGlueOfTheShippedKernelsCompiles(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", map[string]string{"p.hcl": inCPP}))
	for _, kernel := range []string{"reduce_ops", "hp_compression", "vadd_put", "loopback"} {
		if out, err := gxx(t, dir, kernel, "-fsyntax-only", "-std=c++17", "hls/"+kernel+"/"+kernel+
			"_component.cpp"); err != nil {
			t.Errorf("%s: %v\n%s", kernel, err, out)
		}
	}
}

// mine are kernels of a user's: a reduction and a narrow type, blocks of four
// floats in eight bytes, and a kernel that the host calls.
var mine = map[string]string{
	"p.hcl": `
platform "p" {
  board = "u55c"
  cclo { kernel_stream = "steps" }
  poe "tcp" {}
  type "bfloat16" { bytes = 2 }
  type "quad" {
    bytes = 8
    align = 2
  }
  arithmetic "tiny" {}
  compression "pack" { lanes = 1 }
}`,
	"kernels/tiny.hcl": `
kernel "tiny" {
  like = "arithmetic_plugin"
  hls { files = ["tiny.hpp", "ieee754.hpp"] }
  function "sum" {
    tdest = { bfloat16 = 0, int32 = 1 }
    cpp   = "own::add"
  }
}`,
	"kernels/tiny.hpp": `#include "cclo_hls.hpp"
#include "ieee754.hpp"
namespace own {
inline cclo::types::int32 add(cclo::types::int32 a, cclo::types::int32 b) {
    return {a.bits + b.bits};
}
inline cclo::types::bfloat16 add(cclo::types::bfloat16 a, cclo::types::bfloat16 b) {
    return {ieee754::sum<8, 7>(a.bits, b.bits)};
}
}
`,
	"kernels/pack.hcl": `
kernel "pack" {
  like = "compression_plugin"
  hls { files = ["pack.hpp", "tools.h", "ieee754.hpp"] }
  conversion "float32" "quad" {
    tdest     = 0
    ratio_log = 2
  }
  conversion "quad" "float32" {
    tdest     = 3
    ratio_log = 2
    cpp       = "unpack"
  }
  conversion "float32" "bfloat16" { tdest = 4 }
  conversion "bfloat16" "float32" { tdest = 5 }
  conversion "float64" "bfloat16" {
    tdest     = 6
    ratio_log = 3
    one_way   = true
  }
}`,
	"kernels/pack.hpp": `#include "cclo_hls.hpp"
#include "ieee754.hpp"
#include "tools.h"
inline cclo::types::quad float32_to_quad(const cclo::block<cclo::types::float32, 4> &in) {
    cclo::types::quad out;
    for (int i = 0; i < 4; i++) out.bits.range(16 * i + 15, 16 * i) = high(in.at[i].bits);
    return out;
}
inline cclo::block<cclo::types::float32, 4> unpack(cclo::types::quad in) {
    cclo::block<cclo::types::float32, 4> out;
    for (int i = 0; i < 4; i++) out.at[i].bits = ap_uint<32>(in.bits.range(16 * i + 15, 16 * i)) << 16;
    return out;
}
inline cclo::types::bfloat16 float32_to_bfloat16(cclo::types::float32 in) { return {ieee754::narrow<8, 23, 8, 7>(in.bits)}; }
inline cclo::types::float32 bfloat16_to_float32(cclo::types::bfloat16 in) { return {ap_uint<32>(in.bits) << 16}; }
// Keeps a sum of all that it has seen: state, so not inline.
static cclo::types::bfloat16 float64_to_bfloat16(const cclo::block<cclo::types::float64, 8> &in) {
    static ap_uint<16> total = 0;
    for (int i = 0; i < 8; i++) total += in.at[i].bits;
    return {total};
}
`,
	"kernels/tools.h": `#ifndef TOOLS_H
#define TOOLS_H
inline ap_uint<16> high(const ap_uint<32> &bits) { return bits >> 16; }
#endif
`,
	"kernels/steps.hcl": `
kernel "steps" {
  like = "called_kernel"
  hls {
    files = ["steps.hpp"]
    calls = "walk::body"
  }
  argument "src" { type = "float*" }
  argument "count" { type = "int" }
  argument "scale" { type = "float" }
  argument "comm_adr" {}
}`,
	"kernels/steps.hpp": `#include "cclo_hls.hpp"
namespace walk {
inline void body(const float *src, int count, float scale, unsigned comm_adr, cclo::Command &command, cclo::Data &data) {
    for (int i = 0; i < count; i++) data.push(cclo::element<float>::pack(src[i] * scale), comm_adr & 7);
    command.barrier();
}
}
`,
}

// changed are the user's kernels with a text in place of another.
func changed(t *testing.T, file, old, new string) map[string]string {
	t.Helper()
	files := maps.Clone(mine)
	if !strings.Contains(files[file], old) {
		t.Fatalf("%s has no %q", file, old)
	}
	files[file] = strings.Replace(files[file], old, new, 1)
	return files
}

func TestBenchesOfOwnKernelsPass(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", mine))
	for kernel, says := range map[string]string{
		"tiny": "tiny: 150 packets are right\n  sum of bfloat16: compared with exact arithmetic\n  sum of int32: compared " +
			"with exact arithmetic\n",
		"pack": "pack: 300 packets are right\n  float32 to quad: as your function says\n  quad to float32: as your " +
			"function says\n" +
			"  float32 to bfloat16: compared with exact arithmetic\n  bfloat16 to float32: compared with exact arithmetic\n" +
			"  float64 to bfloat16: as your function says\n",
		"steps": "right",
	} {
		t.Run(kernel, func(t *testing.T) {
			out, err := bench(t, dir, kernel)
			if err != nil || !strings.Contains(out, says) {
				t.Errorf("%v\n%s", err, out)
			}
			if out, err := gxx(t, dir, kernel, "-fsyntax-only", "-std=c++17", "hls/"+kernel+"/"+kernel+
				"_component.cpp"); err != nil {
				t.Errorf("the glue: %v\n%s", err, out)
			}
		})
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
			if err == nil || !strings.Contains(out, test.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// extremes are minima and products of an interface that has them, by way of double.
var extremes = map[string]string{
	"p.hcl": `
platform "p" {
  board = "u55c"
  cclo { kernel_stream = "loopback" }
  poe "tcp" {}
  type "bfloat16" { bytes = 2 }
  arithmetic "extremes" {}
  compression "hp_compression" { lanes = 3 }
}`,
	"kernels/extremes.hcl": `
kernel "extremes" {
  like = "arithmetic_plugin"
  hls { files = ["extremes.hpp", "ieee754.hpp"] }
  function "sum" { tdest = { float16 = 0, bfloat16 = 1, float32 = 2, int32 = 3 } }
  function "max" { tdest = { float16 = 4, bfloat16 = 5, float32 = 6, int32 = 7 } }
  function "min" { tdest = { float16 = 8, bfloat16 = 9, float32 = 10, int32 = 11 } }
  function "prod" { tdest = { float16 = 12, bfloat16 = 13, float32 = 14, int32 = 15 } }
}`,
	"kernels/extremes.hpp": `#include "cclo_hls.hpp"
#include "ieee754.hpp"
#include <cstring>
template <class To, class From> To as(From from) {
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}
inline double real(const ap_uint<64> &bits) { return as<double>(bits.to_uint64()); }
inline ap_uint<64> bits(double value) { return as<uint64_t>(value); }
#define REAL(TYPE, E, F) \
inline cclo::types::TYPE sum(cclo::types::TYPE a, cclo::types::TYPE b) { return {ieee754::sum<E, F>(a.bits, b.bits)}; } \
inline cclo::types::TYPE max(cclo::types::TYPE a, cclo::types::TYPE b) { return {ieee754::maximum<E, F>(a.bits, b.bits)}; } \
inline cclo::types::TYPE min(cclo::types::TYPE a, cclo::types::TYPE b) { return {ieee754::minimum<E, F>(a.bits, b.bits)}; } \
inline cclo::types::TYPE prod(cclo::types::TYPE a, cclo::types::TYPE b) { \
    return {ieee754::narrow<11, 52, E, F>(bits(real(ieee754::widen<E, F, 11, 52>(a.bits)) * real(ieee754::widen<E, F, 11, 52>(b.bits))))}; \
}
REAL(float16, 5, 10)
REAL(bfloat16, 8, 7)
REAL(float32, 8, 23)
using number = cclo::types::int32;
inline number sum(number a, number b) { return {ap_uint<32>(a.bits + b.bits)}; }
inline number max(number a, number b) { return ap_int<32>(a.bits) > ap_int<32>(b.bits) ? a : b; }
inline number min(number a, number b) { return ap_int<32>(a.bits) < ap_int<32>(b.bits) ? a : b; }
inline number prod(number a, number b) { return {ap_uint<32>(a.bits * b.bits)}; }
`,
}

func TestMinimaAndProducts(t *testing.T) {
	nightly.Only(t)
	for _, test := range []struct{ old, new, want string }{
		{"", "", "\n  prod of int32: compared with exact arithmetic\n"},
		{"ieee754::minimum", "ieee754::maximum", "min of float16 is wrong"},
		{"(b.bits))))}; ", "(b.bits)) * 1.001))}; ", "prod of float16 is wrong"},
	} {
		files := maps.Clone(extremes)
		files["kernels/extremes.hpp"] = strings.Replace(files["kernels/extremes.hpp"], test.old, test.new, 1)
		out, err := bench(t, written(t, designtest.Made(t, "p", files)), "extremes")
		if (err == nil) != (test.old == "") || !strings.Contains(out, test.want) {
			t.Errorf("%q: %v\n%s", test.new, err, out)
		}
	}
}

func TestCompileErrorsNameTheUsersLines(t *testing.T) {
	for _, test := range []struct{ name, kernel, file, old, new, want string }{
		{"in the C++", "tiny", "kernels/tiny.hpp", "return {ieee754::sum<8, 7>(a.bits, b.bits)};", "return nothing;",
			"platforms/kernels/tiny.hpp:8:"},
		{"in a file that is included", "pack", "kernels/tools.h", "bits >> 16", "bits >> many",
			"platforms/kernels/tools.h:3:"},
		{"a TDEST without a function", "tiny", "kernels/tiny.hcl", "int32 = 1", "int32 = 1, int64 = 2",
			"platforms/kernels/tiny.hcl:6:"},
		{"a conversion without a function", "pack", "kernels/pack.hcl", "\"unpack\"", "\"other::unpack\"",
			"platforms/kernels/pack.hcl:9:"},
		{"a user kernel without its function", "steps", "kernels/steps.hcl", "walk::body", "run::body",
			"platforms/kernels/steps.hcl:6:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := written(t, designtest.Made(t, "p", changed(t, test.file, test.old, test.new)))
			out, err := gxx(t, dir, test.kernel, "-fsyntax-only", "hls/"+test.kernel+"/"+test.kernel+".cpp")
			if err == nil || !strings.Contains(out, test.want) || !strings.Contains(out, "error:") {
				t.Errorf("%v\n%s", err, out)
			}
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
			if out, err := bench(t, dir, "inverts"); err != nil || !strings.Contains(out, "right") {
				t.Errorf("%v\n%s", err, out)
			}
			if out, err := gxx(t, dir, "inverts", "-fsyntax-only", "-std=c++17",
				"hls/inverts/inverts_component.cpp"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(filepath.Join(dir, "hls/inverts/inverts.cpp"))
			if err != nil || strings.Contains(string(text), "~in.data") != (file == "inverts.cpp") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
