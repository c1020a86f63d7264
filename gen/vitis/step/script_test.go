package step

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// show is a tool that writes down where it runs, what it is given and what it finds in
// its environment.
const show = "#!/bin/bash\n{ basename \"$PWD\"; printf '%s|' \"$@\"; echo; printf '%s' \"$ODD\"; echo; } " +
	">>\"$LOG\"\n[[ $1 != fail ]]\n"

func TestScript(t *testing.T) {
	odd := "it's \"$HOME\" `ls` \\ *\n; rm -rf x & !"
	dir := filepath.Join(t.TempDir(), "a b'c")
	if err := os.MkdirAll(filepath.Join(dir, "-in $x"), 0o777); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", filepath.Join(dir, ScriptFile))
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
		t.Errorf("the script says %q, %v", out, err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, call := range [][2]string{
		{"a b'c", odd + "||plain|--x=1|"}, {"-in $x", "below|"}, {"-in $x", "1|"}, {"-in $x", "2|"}, {"a b'c", "here|"},
		{"-in $x", "fail|"},
	} {
		want.WriteString(call[0] + "\n" + call[1] + "\n" + odd + "\n")
	}
	if string(text) != want.String() {
		t.Errorf("got\n%s\nexpected is\n%s", text, want.String())
	}
}

func TestToolsWithoutPlaceAreLookedFor(t *testing.T) {
	s := &Step{Commands: []Command{{Tool: "v++", Args: []string{"--version"}}}}
	if text := string(s.Script()); !strings.HasSuffix(text, "\nv++ --version\n") {
		t.Errorf("got\n%s", text)
	}
}
