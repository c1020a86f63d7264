package tcl_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

// Both ways to compile a kernel in C++ take the same sources for the same part and
// clock, and leave the .xo at the same place; the bench runs only when asked for.
func TestKernelsInCppAreCompiledWithoutTheirBenches(t *testing.T) {
	needTcl(t)
	d := designtest.Load(t, "u55c_tcp", nil)
	d.PluginsAs(platform.SourceHLS)
	files := rendered(t, d)
	for _, kernel := range []string{"reduce_ops", "hp_compression"} {
		for _, env := range [][]string{nil, {"CCLFORGE_CSIM=1"}} {
			folder := "hls/" + kernel + "/"
			dir := place(t, files, folder+"run_hls.tcl", folder+kernel+".cpp", folder+kernel+"_tb.cpp", folder+"hls_config.cfg")
			s := must(t, tcl.Run{Parts: []string{tcl.HLS}, Script: filepath.Join(dir, folder+"run_hls.tcl"),
				Dir: filepath.Join(dir, folder), Env: env})
			got := s.Object("hls").Properties
			flags := "{-std=c++14 -I" + filepath.Join(dir, "hls") + "}"
			want := map[string]string{
				"NAME": kernel + "_project", "TOP": kernel, "FILES": filepath.Join(dir, folder+kernel+".cpp") + " " + flags,
				"BENCH": "",
				"FLOW":  "vitis", "PART": "xcu55c-fsvh2892-2L-e", "CLOCK": "250MHz", "RESET": "state", "RAN": "csynth",
				"FORMAT": "xo",
				"XO":     filepath.Join(dir, folder+kernel+".xo"),
			}
			if env != nil {
				want["BENCH"], want["RAN"] = filepath.Join(dir, folder+kernel+"_tb.cpp")+" "+flags, "csim csynth"
			}
			assert.Check(t, is.DeepEqual(want, got), "%s %q: -want +", kernel, env)
		}
		config := sections(files["hls/"+kernel+"/hls_config.cfg"])
		assert.Check(t, slices.Contains(config[""], "part=xcu55c-fsvh2892-2L-e"), "%s: part in %q", kernel, config[""])
		for _, line := range []string{
			"flow_target=vitis", "clock=250MHz", "syn.top=" + kernel, "syn.file=" + kernel + ".cpp",
			"syn.cflags=-std=c++14 -I..", "syn.rtl.reset=state",
			"package.output.syn=true", "package.output.format=xo", "package.output.file=" + kernel + ".xo",
		} {
			assert.Check(t, slices.Contains(config["hls"], line), "%s: %s is not in %q", kernel, line, config["hls"])
		}
		assert.Check(t, !slices.ContainsFunc(config["hls"], func(s string) bool { return strings.HasPrefix(s, "csim") }),
			"%s: its configuration asks for a simulation", kernel)
	}
}
