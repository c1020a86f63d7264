package command

import (
	"strings"
	"testing"
)

// call runs a command line and returns what it says.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, remarks strings.Builder
	code = Run(t.Context(), args, &out, &remarks)
	return code, out.String(), remarks.String()
}

func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", wrong, "what is to be done?"},
		{"bulid u55c_tcp", wrong, `there is no "bulid"`},
		{"build", wrong, "which platform?"},
		{"build u55c_tcp -jbos=2", wrong, "-jbos"},
		{"build u55c_tcp -jobs=-1", wrong, "-jobs=-1: at least 1"},
		{"build u55c_tcp -on=moon", wrong, "-on=moon: it is local or slurm"},
		{"build u55c_tcp -timing=maybe", wrong, "-timing=maybe: it is must or report"},
		{"build u55c_tcp -older=1h", wrong, "-older is no option of build"},
		{"build u55c_tpc", failed, "u55c_tpc"},
		{"build u55c_tcp -vars={clock", wrong, "-vars"},
		{"cache shrink", wrong, "it is list, verify or prune"},
		{"cache prune", wrong, "-older=720h or -larger=200GiB"},
		{"cache prune -larger=much", wrong, "expected is a number of bytes, like 200GiB"},
		{"cache prune -older=-1h", wrong, "a time like 720h"},
		{"program", wrong, "which platform, or which .xclbin?"},
		{"program u55c_tcp -out=nowhere", failed, "cclbuild build u55c_tcp makes it"},
		{"reports -out=nowhere", failed, "there are no builds in nowhere/build"},
	} {
		t.Setenv("CCLFORGE_CACHE", t.TempDir())
		code, stdout, stderr := call(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q; expected are %d and %q", c.args, code, stdout, stderr, c.code, c.says)
		}
	}
}

// TestHelp wants every verb in the help, and every option of a verb.
func TestHelp(t *testing.T) {
	code, help, _ := call(t, "-h")
	if code != good {
		t.Errorf("code %d", code)
	}
	for _, v := range verbs() {
		if !strings.Contains(help, "cclbuild "+v.name) {
			t.Errorf("no %s in %s", v.name, help)
		}
		for _, f := range v.flags {
			if !strings.Contains(help, "  -"+f) {
				t.Errorf("no -%s in %s", f, help)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "3B": 3, "2KiB": 2048, "200GiB": 200 << 30, "0": 0, "-1": 0, "GiB": 0, "1e3": 0, "9999999999TiB": 0} {
		var s size
		if err := s.Set(text); (err == nil) != (want > 0) || int64(s) != want {
			t.Errorf("%q: %d, %v", text, s, err)
		}
	}
}
