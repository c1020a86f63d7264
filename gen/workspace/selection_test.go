package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

func TestMatch(t *testing.T) {
	names := []string{"u250_udp", "u280_tcp", "u280_udp", "u50_tcp", "u55c_tcp"}
	for _, test := range []struct {
		patterns string
		want     string // names, or the error
	}{
		{"", "u250_udp u280_tcp u280_udp u50_tcp u55c_tcp"},
		{" , ", "u250_udp u280_tcp u280_udp u50_tcp u55c_tcp"},
		{"u55c_tcp", "u55c_tcp"},
		{"u5*,u280_*", "u280_tcp u280_udp u50_tcp u55c_tcp"},
		{"u55c_tcp, u50_tcp", "u50_tcp u55c_tcp"},
		{"u{50,280}_tcp", "u280_tcp u50_tcp"},
		{"u{50,280}_tcp,u250*", "u250_udp u280_tcp u50_tcp"},
		{"**", "u250_udp u280_tcp u280_udp u50_tcp u55c_tcp"},
		{"u[25]*_udp", "u250_udp u280_udp"},
		{"u28x", `error: no platform is called "u28x"; did you mean "u280_tcp" or "u280_udp"?`},
		{"u50_tcpp", `error: no platform is called "u50_tcpp"; did you mean "u50_tcp"?`},
		{"u50_tcp,x9*,u28_udp", `error: no platform is called "x9*"` + "\n" +
			`no platform is called "u28_udp"; did you mean "u280_udp"?`},
		{"u[", `error: "u[" is not a pattern; write for example 'u5*' or 'u{50,280}_tcp'`},
	} {
		got, err := Match(test.patterns, names)
		text := strings.Join(got, " ")
		if err != nil {
			text = "error: " + err.Error()
			test.want += "\nPlatforms: u250_udp, u280_tcp, u280_udp, u50_tcp, u55c_tcp"
		}
		assert.Check(t, is.Equal(text, test.want), "%q", test.patterns)
		if test.patterns == "" || strings.ContainsAny(test.patterns, ",*[") {
			continue
		}
		// A name alone is said in the same words.
		one := Find(test.patterns, names)
		if (one == nil) != (err == nil) || one != nil &&
			("error: "+one.Error() != test.want || !errors.Is(one, lang.ErrInvalid)) {
			t.Errorf("%q: %v", test.patterns, one)
		}
	}
}

// problems runs a selection and returns what a person would read.
func problems(t *testing.T, w *testWorkspace, s Selection) string {
	t.Helper()
	_, err := w.Generate(t.Context(), Options{Selection: s})
	var p *Problems
	assert.Assert(t, errors.As(err, &p) && errors.Is(err, lang.ErrInvalid), "error %v", err)
	var text strings.Builder
	assert.NilError(t, p.Show(&text, false))
	entries, _ := os.ReadDir(w.dir)
	assert.Check(t, len(entries) == 0, "something was written: %v", entries)
	return text.String()
}

func TestVariablesThatNobodyDeclares(t *testing.T) {
	got := problems(t, open(t.TempDir(), two(t)), Selection{Vars: "{port = 1, prot = 2, x = 3}"})
	want := `Error: Unknown variable

  on -vars line 1:
   1: {port = 1, prot = 2, x = 3}

No selected platform has a variable "prot". Did you mean "port"?

Error: Unknown variable

  on -vars line 1:
   1: {port = 1, prot = 2, x = 3}

No selected platform has a variable "x".

Variables:
  port  number  0  Ethernet port.

`
	same(t, want, got)
}

// TestVariablesThatAreNoObject is told an object that works, which is tried.
func TestVariablesThatAreNoObject(t *testing.T) {
	works := map[string]bool{} // examples
	for _, c := range []struct{ vars, example string }{
		{"port = 1", "Did you mean -vars='{port = 1}'?"},
		{"port=1", "Did you mean -vars='{port=1}'?"},
		{"port=99", "For example: -vars='{port = 0}'."}, // no board has it
		{"clock=300", "For example: -vars='{port = 0}'."},
		{"300", "For example: -vars='{port = 0}'."},
		{"[1]", "For example: -vars='{port = 0}'."},
		{"{port = ", "For example: -vars='{port = 0}'."},
		{"{port = 1", "For example: -vars='{port = 0}'."},
	} {
		got := problems(t, open(t.TempDir(), two(t)), Selection{Vars: c.vars})
		said := c.example + "\n\nVariables:\n  port  number  0  Ethernet port.\n"
		assert.Check(t, strings.Count(got, "Error: ") == 1 && strings.Contains(got, said), "%s:\n%s", c.vars, got)
		braced := strings.HasPrefix(c.vars, "{")
		assert.Check(t, braced || strings.Contains(got, "Variables are given as one HCL object, in braces. "),
			"%s:\n%s", c.vars, got)
		_, example, _ := strings.Cut(strings.TrimRight(c.example, ".?'"), "'")
		if !works[example] {
			_, err := open("", two(t)).Validate(t.Context(), Selection{Vars: example})
			works[example] = assert.Check(t, err, "the example %s", example)
		}
	}
	got := problems(t, open(t.TempDir(), library(t, map[string]string{
		"bare": "platform \"bare\" {\n  board = \"u50\"\n  poe \"tcp\" {}\n}\n",
	})), Selection{Vars: "clock=300"})
	assert.Check(t, is.Contains(got, "There are no variables."))
}

// TestMistakeInSharedFileIsReportedOnce uses a board whose expression only
// fails when a platform is elaborated.
func TestMistakeInSharedFileIsReportedOnce(t *testing.T) {
	lib := library(t, map[string]string{"alpha": small("alpha", "u50"), "beta": small("beta", "u50")})
	text := string(lib["boards/u50.hcl"].Data)
	i := strings.Index(text, "cclo")
	lib["boards/u50.hcl"].Data = []byte(text[:i] + strings.Replace(text[i:], "=", "= nobody +", 1))
	got := problems(t, open(t.TempDir(), lib), Selection{})
	n := strings.Count(got, `no variable named "nobody"`)
	assert.Check(t, n == 1, "reported %d times:\n%s", n, got)
}

func TestVariablesFromTheEnvironment(t *testing.T) {
	t.Setenv("CCLFORGE_VAR_port", "1")
	t.Setenv("CCLFORGE_VAR_prot", "1")
	w := open(t.TempDir(), two(t))
	read := func(s Selection) string {
		t.Helper()
		designs, err := w.Validate(t.Context(), s)
		assert.NilError(t, err)
		v := designs[0].Platform.Variables["port"].AsBigFloat()
		return v.String()
	}
	got := read(Selection{Only: "alpha"})
	assert.Check(t, got == "1", "port %s, want that of the environment", got)
	want := `CCLFORGE_VAR_prot is set, but no selected platform has that variable. Did you mean "port"? Known: port.` +
		"\n"
	same(t, want, w.log.String())
	got = read(Selection{Only: "alpha", Vars: "{port = 0}"})
	assert.Check(t, got == "0", "port %s, want that of -vars", got)
}

func TestOwnPlatformsHideShippedOnes(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "platforms/u50_tcp.hcl"), small("u50_tcp", "u55c"))
	put(t, filepath.Join(dir, "platforms/own.hcl"), small("own", "u50"))
	w := opened(t, dir)
	designs, err := w.Validate(t.Context(), Selection{Only: "own,u50_tcp,u55c_tcp"})
	assert.NilError(t, err)
	got := map[string]string{}
	for _, d := range designs {
		got[d.Platform.Name] = d.Platform.Board.Name
	}
	same(t, map[string]string{"own": "u50", "u50_tcp": "u55c", "u55c_tcp": "u55c"}, got)
}
