package command

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// call runs a command line in an empty directory.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, errs strings.Builder
	root := New()
	root.SetOut(&out)
	root.SetErr(&errs)
	code = End(Execute(t.Context(), root, args...), false, &errs)
	return code, out.String(), errs.String()
}

func TestMistakesNameWhatIsRight(t *testing.T) {
	for line, want := range map[string]string{
		"generat u55c_tcp": `cclforge has no verb "generat"; did you mean "generate"?` +
			"\nHelp: cclforge --help\n",
		"nothing-like-it": `cclforge has no verb "nothing-like-it"` + "\nHelp: cclforge --help\n",
		"new mine": "new needs <board>; for example: cclforge new mycard BOARD\nHelp: cclforge new " +
			"--help\n",
		"new":                          "new needs <name> <board>; for example: cclforge new mycard BOARD\n",
		"new mine u250 u280":           `new takes only <name> <board>, not "u280" as well`,
		"platforms x":                  `platforms takes no argument, and "x" is none of its options, which have two dashes`,
		"demo u55c_tcp u50_tcp":        `demo takes only [platform], not "u50_tcp" as well`,
		"generate --ony=u55c_tcp":      `generate has no option "ony"`,
		"generate --var={}":            `generate has no option "var"; did you mean --vars?`,
		"generate -out=x":              "options have two dashes: --out",
		"generate --out":               "--out needs a value: --out=<directory>, directory to write to",
		"demo -n=two":                  "--n=two: strconv.ParseInt",
		"demo -n=0":                    "the demo needs at least 1 rank, not 0",
		"validate u55c_tpc":            `no platform is called "u55c_tpc"; did you mean "u55c_tcp"?`,
		"diff u55c_tcp --vars={nix=1}": "Error: 1 error; nothing was written\n",
	} {
		code, out, errs := call(t, strings.Fields(line)...)
		assert.Check(t, code != 0 && out == "" && strings.Contains(errs, want),
			"%s: exit code %d, %q, %q, want %q", line, code, out, errs, want)
	}
}

func TestPlatformsComplete(t *testing.T) {
	for _, line := range []string{"generate", "demo", "validate u50_udp"} {
		_, out, _ := call(t, append([]string{"__complete"}, strings.Fields(line+" u55c")...)...)
		assert.Check(t, is.Contains(out, "\nu55c_tcp\n"), "%s", line)
	}
	for _, line := range []string{"platforms", "new"} {
		_, out, _ := call(t, "__complete", line, "")
		assert.Check(t, !strings.Contains(out, "u55c_tcp"), "%s: %q", line, out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, _ := call(t, "completion", shell)
		assert.Check(t, code == 0 && strings.Contains(out, "cclforge"), "%s: exit code %d, %q", shell, code, out)
	}
}

// TestHelp: every verb has a line in the help, and an example if it needs an argument.
func TestHelp(t *testing.T) {
	_, help, _ := call(t, "--help")
	for _, c := range verbs() {
		assert.Check(t, strings.Contains(help, "\n  "+c.Name()+" ") && c.Short != "" && c.GroupID != "",
			"%s is not in %s", c.Name(), help)
		if strings.Contains(c.Use, "<") && !strings.HasPrefix(strings.TrimSpace(c.Example), "cclforge "+c.Name()) {
			t.Errorf("%s has no example", c.Name())
		}
	}
}
