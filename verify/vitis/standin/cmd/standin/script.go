package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed vivado.tcl
var scriptPrelude string

//go:embed design.tcl
var designPrelude string

// recorded is a command of a script, with its words.
type recorded []string

// script runs a Tcl script and returns the commands that it has called. Prelude is what
// runs it, and data what that is given.
func (c *call) script(file, prelude, data string, args []string) ([]recorded, error) {
	if c.Tclsh == "" {
		return nil, fmt.Errorf("there is no tclsh on this host to run %s", file)
	}
	if _, err := os.Stat(file); err != nil {
		c.say("ERROR: [Common 17-55] couldn't read file \"%s\": no such file or directory", file)
		return nil, exit{1}
	}
	dir, err := os.MkdirTemp(c.Root, "script-") // goes with the installation if this is killed
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	names := [3]string{filepath.Join(dir, "run.tcl"), filepath.Join(dir, "record"), filepath.Join(dir, "commands")}
	if err := os.WriteFile(names[0], []byte(prelude), 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(names[2], []byte(data), 0o666); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Tclsh, append([]string{names[0], names[1], names[2], file}, args...)...)
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		c.say("%s", strings.TrimSuffix(line, "\n"))
	}
	if err != nil {
		return nil, exit{1}
	}
	text, err := os.ReadFile(names[1])
	if err != nil {
		return nil, err
	}
	var all []recorded
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\x1f")
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, "\x1e", "\n")
		}
		all = append(all, words)
	}
	_, err = c.input(file)
	return all, err
}

// relative is a path as seen from the working directory, if it is below.
func (c *call) relative(path string) string {
	if rel, err := filepath.Rel(c.rec.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// flags are the options of a Tcl command: those named in values take a word.
func (r recorded) flags(values ...string) (map[string]string, error) {
	given := map[string]string{}
	for i := 1; i < len(r); i++ {
		name := strings.TrimPrefix(r[i], "-")
		known := false
		for _, v := range values {
			flag, isFlag := strings.CutSuffix(v, "!")
			if flag != name || name == r[i] {
				continue
			}
			known = true
			if isFlag {
				given[name] = "true"
			} else if i+1 < len(r) {
				i++
				given[name] = r[i]
			}
		}
		if !known {
			return nil, fmt.Errorf("[Common 17-170] Unknown option '%s', please type '%s -help' for usage info", r[i], r[0])
		}
	}
	return given, nil
}
