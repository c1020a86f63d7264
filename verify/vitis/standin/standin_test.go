package standin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func call(t *testing.T, in *Installation, dir, tool string, args ...string) (int, string) {
	t.Helper()
	path := ""
	for _, d := range filepath.SplitList(in.Variables()["PATH"]) {
		if _, err := os.Stat(filepath.Join(d, tool)); err == nil {
			path = filepath.Join(d, tool)
			break
		}
	}
	if path == "" || !strings.HasPrefix(path, in.Root) {
		return 127, "not installed"
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, in.Env()
	out, err := cmd.CombinedOutput()
	assert.Assert(t, cmd.ProcessState != nil, "%v", err)
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestOptions: a version takes its options and no others.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	const platform = "xilinx_u55c_gen3x16_xdma_3_202210_1"
	for _, test := range []struct {
		version, tool string
		args          []string
		says          string
	}{
		{"2022.1", "v++", []string{"--version"}, "v++ v2022.1"},
		{"2025.1", "v++", []string{"--version"}, "v++ v2025.1"},
		{"2023.2", "vivado", []string{"-version"}, "Vivado v2023.2"},
		{"2023.2", "vitis_hls", []string{"-version"}, "v2023.2"},
		{"2024.2", "vitis_hls", []string{"-version"}, "not installed"},
		{"2022.2", "v++", []string{"--compile", "--mode", "hls"}, "unrecognised option '--mode'"},
		{"2022.2", "v++", []string{"--link", "--freqhz=250000000"}, "unrecognised option '--freqhz=250000000'"},
		{"2023.2", "v++", []string{"--link", "--frequency=250"}, "unrecognised option '--frequency=250'"},
		{"2023.2", "v++", []string{"--link", "--platform"}, "required argument for option '--platform' is missing"},
		{"2023.2", "v++", []string{"--link", "--save-temps=1"}, "does not take any arguments"},
		{"2023.2", "v++", []string{"--link", "-t", "card"}, "the argument ('card') for option '--target' is invalid"},
		{"2023.2", "v++", []string{"--link", "--connectivity.nl", "a:1"}, "unrecognised option '--connectivity.nl'"},
		{"2023.2", "v++", []string{"--link", "--compile"}, "exactly one of"},
		{"2023.2", "v++", []string{"--link", "none.xo"}, "[v++ 60-602] Source file does not exist"},
		{"2023.2", "v++", []string{"--link", "--target", "hw", "--platform", "xilinx_u99"},
			"[v++ 60-1258] No valid platform was found that matches 'xilinx_u99'"},
		{"2023.2", "v++", []string{"--link", "--target", "hw", "--platform", platform, "--kernel_frequency", "fast"},
			"'--kernel_frequency' is invalid"},
		{"2023.2", "v++", []string{"--link", "--target", "hw", "--platform", platform, "--freqhz", "250Hz"},
			"[CFGEN 83-2243] Malformed"},
		{"2023.2", "v++", []string{"--link", "--target", "hw", "--platform", platform}, "no input files"},
		{"2023.2", "v++", []string{"--link", "--platform", platform}, "'--target' is required"},
		{"2023.2", "vivado", []string{"-mode", "batch", "-sourse", "a.tcl"}, "unrecognised option '-sourse'"},
		{"2023.2", "vivado", []string{"-mode", "fast"}, "invalid"},
		{"2023.2", "vivado", []string{"-mode", "batch", "-nolog", "-nojournal", "-source", "none.tcl"}, "couldn't read file"},
		{"2023.2", "xclbinutil", []string{"--inputs", "a"}, "unrecognised option '--inputs'"},
		{"2023.2", "xclbinutil", []string{"--output", "a"}, "Missing file input option"},
		{"2023.2", "updatemem", []string{"-bits", "a"}, "unrecognised option '-bits'"},
		{"2023.2", "updatemem", []string{"-bit", "a"}, "-meminfo is missing"},
		{"2023.2", "emconfigutil", []string{"--platform", "xilinx_u99"}, "is not found"},
		{"2023.2", "git", []string{"fetch", "https://example.org/none"}, "Could not resolve host: example.org"},
		{"2023.2", "xbutil", []string{"examine", "--fast"}, "unrecognised option '--fast'"},
	} {
		in := Install(t, t.TempDir(), Options{Version: test.version})
		status, said := call(t, in, dir, test.tool, test.args...)
		assert.Check(t, is.Contains(said, test.says), "%s %q of %s", test.tool, test.args, test.version)
		asks := strings.Contains(strings.Join(test.args, " "), "version")
		assert.Check(t, is.Equal(asks && test.says != "not installed", (status == 0)),
			"%s %q of %s: exit status %d", test.tool, test.args, test.version, status)
	}
}
