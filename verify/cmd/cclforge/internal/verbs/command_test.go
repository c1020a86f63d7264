package verbs

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/command"
)

// Exit codes.
const (
	good   = 0
	failed = 1
	wrong  = 2 // the command line, or a description
)

// call runs a command line and returns what it says.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, remarks strings.Builder
	root := command.New(buildVerbs()...)
	root.SetOut(&out)
	root.SetErr(&remarks)
	code = command.End(command.Execute(t.Context(), root, args...), false, &remarks)
	return code, out.String(), remarks.String()
}

func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"bulid u55c_tcp", wrong, `cclforge has no verb "bulid"; did you mean "build"?`},
		{"build", wrong, "build needs <platform>; for example: cclforge build u55c_tcp --on=slurm"},
		{"build u55c_tcp --jbos=2", wrong, `build has no option "jbos"; did you mean --jobs?`},
		{"build u55c_tcp -jobs=2", wrong, "options have two dashes: --jobs"},
		{"scan u55c_tcp", wrong, "scan takes no argument"},
		{"build u55c_tcp --jobs=-1", wrong, "--jobs=-1: at least 1"},
		{"build u55c_tcp --on=moon", wrong, "--on=moon: it is local or slurm"},
		{"build u55c_tcp --timing=maybe", wrong, "--timing=maybe: it is must or report"},
		{"build u55c_tcp --older=1h", wrong, `build has no option "older"`},
		{"build u55c_tpc", failed, "u55c_tpc"},
		{"build u55c_tcp --vars={clock", wrong, "-vars"},
		{"build u55c_tcp --version=2022.1", wrong, `build has no option "version"`},
		{"plan u55c_tcp --version=2021.2", wrong, `no version of Vitis "2021.2"; known are 2022.1, 2022.2, `},
		{"cache shrink", wrong, "cache takes no argument"},
		{"cache prune", wrong, "--older=720h or --larger=200GiB"},
		{"cache prune --larger=much", wrong, "expected is a number of bytes, like 512MiB"},
		{"cache prune --older=-1h", wrong, "a time like 720h"},
		{"program", wrong, "program needs <platform>; for example: cclforge program u55c_tcp"},
		{"program u55c_tcp --out=nowhere", failed, "cclforge build u55c_tcp makes it"},
		{"reports --out=nowhere", failed, "there are no builds in nowhere/build"},
	} {
		t.Setenv("CCLFORGE_CACHE", t.TempDir())
		code, stdout, stderr := call(t, strings.Fields(c.args)...)
		assert.Check(t, code == c.code && strings.Contains(stderr, c.says) && stdout == "",
			"%q: code %d, stdout %q, stderr %q; expected are %d and %q", c.args, code, stdout, stderr, c.code, c.says)
	}
}

// A plan for a version of Vitis says what runs there: C++ is compiled by vitis_hls up to
// 2023.1, and by v++ from 2023.2 on (UG1399).
func TestPlansForOtherVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("CCLFORGE_CACHE", t.TempDir())
	const text = `platform "cpp" {
  board  = "u55c"
  source = { reduce_ops = "hls" }
  poe "axis" {}
  arithmetic "reduce_ops" {}
}
`
	must(t, os.Mkdir("platforms", 0o755))
	must(t, os.WriteFile("platforms/cpp.hcl", []byte(text), 0o644))
	for version, compile := range map[string]string{
		"2022.1": "vitis_hls -f run_hls.tcl",
		"2023.2": "v++ --compile --mode hls --config hls_config.cfg --work_dir reduce_ops",
	} {
		code, stdout, stderr := call(t, "plan", "cpp", "--version="+version, "--commands")
		for _, want := range []string{
			"\n# cpp/hls/reduce_ops: compile reduce_ops\n(\ncd ./hls/reduce_ops\n" + compile + "\n)\n",
			"\nv++ --link --target hw --config vitis/link.cfg ", "\n8 of 8 steps would run\n",
		} {
			assert.Check(t, code == good && strings.Contains(stdout, want),
				"%s: code %d, no %q in\n%s%s", version, code, want, stdout, stderr)
		}
		_, stdout, _ = call(t, "plan", "cpp", "--version="+version, "--commands", "--json")
		steps, commands := 0, ""
		for line := range strings.Lines(stdout) {
			var d struct {
				Step, Key, Version string
				Runs               bool
				Why, Commands      []string
			}
			err := json.Unmarshal([]byte(line), &d)
			assert.Check(t, err == nil && d.Key != "" && d.Runs && len(d.Why) == 1 && d.Version == version,
				"%s: %v", line, err)
			commands += strings.Join(d.Commands, "\n")
			steps++
		}
		assert.Check(t, steps == 8 && strings.Contains(commands, compile),
			"%s: %d steps, with the commands\n%s", version, steps, commands)
		if _, stdout, _ = call(t, "plan", "cpp", "--version="+version); strings.Contains(stdout, "v++") {
			t.Errorf("commands that nobody wants:\n%s", stdout)
		}
	}
}
