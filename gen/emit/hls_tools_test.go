package emit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

func linesOf(t *testing.T, dir, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	assert.NilError(t, err)
	return strings.Split(string(text), "\n")
}

func TestToolsAreToldWhatTheDesignSays(t *testing.T) {
	files := changed(t, "p.hcl", `board = "u55c"`, "board = \"u55c\"\n  clock = 300")
	dir := written(t, designtest.Made(t, "p", files))
	for file, want := range map[string][]string{
		"hls/pack/hls_config.cfg": {
			"part=xcu55c-fsvh2892-2L-e", "[hls]", "flow_target=vitis", "clock=300MHz", "syn.top=pack", "syn.file=pack.cpp",
			"tb.file=pack_tb.cpp", "package.output.format=xo", "package.output.file=pack.xo",
		},
		"hls/pack/run_hls.tcl": {
			"set_top pack", "add_files [file join $here pack.cpp] -cflags $flags",
			"    add_files -tb [file join $here pack_tb.cpp] -cflags $flags",
			"open_solution -reset solution -flow_target vitis", "set_part {xcu55c-fsvh2892-2L-e}",
			"create_clock -period 300MHz -name default",
			"export_design -format xo -output [file join $here pack.xo]",
		},
	} {
		got := linesOf(t, dir, file)
		for _, line := range want {
			assert.Check(t, slices.Contains(got, line), "%s lacks %q", file, line)
		}
		for _, line := range got {
			assert.Check(t, !strings.Contains(line, "sim") || strings.Contains(line, "csim"),
				"%s leads to the stand-in: %s", file, line)
		}
	}
}

// The pragmas are in the order of parameters: pointers, registers, streams, control.
func TestPragmasFollowTheDescription(t *testing.T) {
	dir := written(t, designtest.Made(t, "p", mine(t)))
	for file, want := range map[string][]string{
		"hls/steps/steps.cpp": {
			"INTERFACE m_axi port=src offset=slave bundle=gmem",
			"INTERFACE s_axilite port=src bundle=control", "INTERFACE s_axilite port=count bundle=control",
			"INTERFACE s_axilite port=scale bundle=control", "INTERFACE s_axilite port=comm_adr bundle=control",
			"INTERFACE axis port=cmd_to_cclo", "INTERFACE axis port=sts_from_cclo",
			"INTERFACE axis port=data_to_cclo", "INTERFACE axis port=data_from_cclo",
			"INTERFACE ap_ctrl_hs port=return", "INTERFACE s_axilite port=return bundle=control",
		},
		"hls/tiny/tiny.cpp": {
			"INLINE", "INLINE",
			"INTERFACE axis port=in0", "INTERFACE axis port=in1", "INTERFACE axis port=out_r",
			"INTERFACE ap_ctrl_none port=return", "PIPELINE II=1 style=flp",
		},
	} {
		var got []string
		for _, line := range linesOf(t, dir, file) {
			if pragma, ok := strings.CutPrefix(strings.TrimSpace(line), "#pragma HLS "); ok {
				got = append(got, pragma)
			}
		}
		assert.Check(t, slices.Equal(got, want),
			"%s has\n%s\nnot\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Arguments stand in the order of their registers, whatever the description's.
func TestArgumentsStandInTheOrderOfRegisters(t *testing.T) {
	files := changed(t, "kernels/steps.hcl", `argument "src" { type = "float*" }`,
		"argument \"src\" {\n    type = \"float*\"\n    at   = hex(\"28\")\n  }")
	files["kernels/steps.hcl"] = strings.NewReplacer(
		`{ type = "int" }`, "{\n    type = \"int\"\n    at   = hex(\"10\")\n  }",
		`{ type = "float" }`, "{\n    type = \"float\"\n    at   = hex(\"18\")\n  }",
		`"comm_adr" {}`, `"comm_adr" { at = hex("20") }`).Replace(files["kernels/steps.hcl"])
	text := strings.Join(linesOf(t, written(t, designtest.Made(t, "p", files)), "hls/steps/steps_component.cpp"), "\n")
	at := -1
	for _, want := range []string{"static_cast<int>(arguments[0])", "unpack(arguments[1])",
		"static_cast<unsigned int>(arguments[2])", "reinterpret_cast<float *>(arguments[3])"} {
		next := strings.Index(text, want)
		assert.Check(t, next > at, "%q is not where it belongs in\n%s", want, text)
		at = next
	}
}
