package step

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// show is a tool that writes down where it runs, what it is given and what it finds in
// its environment.
const show = "#!/bin/bash\n{ basename \"$PWD\"; printf '%s|' \"$@\"; echo; printf '%s' \"$ODD\"; echo; } " +
	">>\"$LOG\"\n[[ $1 != fail ]]\n"

func TestScript(t *testing.T) {
	odd := "it's \"$HOME\" `ls` \\ *\n; rm -rf x & !"
	dir := filepath.Join(t.TempDir(), "a b'c")
	assert.NilError(t, os.MkdirAll(filepath.Join(dir, "-in $x"), 0o777))
	tool := filepath.Join(dir, "to ol")
	log := filepath.Join(dir, "log")
	s := &Step{
		ID: "a/link/a", Title: "link a", Env: map[string]string{"ODD": odd, "LOG": log},
		Tools: []Tool{{Name: "show", Path: tool}},
		Commands: []Command{
			{Tool: "show", Args: []string{odd, "", "plain", "--x=1"}},
			{Tool: "show", Args: []string{"below"}, Dir: "-in $x"},
			{Shell: "for i in 1 2; do \"" + tool + "\" $i; done", Dir: "-in $x"},
			{Tool: "show", Args: []string{"here"}},
			{Tool: "show", Args: []string{"fail"}, Dir: "-in $x"},
			{Tool: "show", Args: []string{"never"}},
		},
	}
	for name, text := range map[string]string{tool: show, filepath.Join(dir, ScriptFile): string(s.Script())} {
		assert.NilError(t, os.WriteFile(name, []byte(text), 0o777))
	}
	cmd := exec.Command("bash", filepath.Join(dir, ScriptFile))
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	assert.Check(t, err != nil && len(out) == 0, "the script says %q, %v", out, err)
	text, err := os.ReadFile(log)
	assert.NilError(t, err)
	var want strings.Builder
	for _, call := range [][2]string{
		{"a b'c", odd + "||plain|--x=1|"}, {"-in $x", "below|"}, {"-in $x", "1|"}, {"-in $x", "2|"}, {"a b'c", "here|"},
		{"-in $x", "fail|"},
	} {
		want.WriteString(call[0] + "\n" + call[1] + "\n" + odd + "\n")
	}
	assert.Check(t, is.Equal(string(text), want.String()), "got\n%s", text)
}

func TestToolsWithoutPlaceAreLookedFor(t *testing.T) {
	s := &Step{Commands: []Command{{Tool: "v++", Args: []string{"--version"}}}}
	text := string(s.Script())
	assert.Check(t, strings.HasSuffix(text, "\nv++ --version\n"), "got\n%s", text)
}
