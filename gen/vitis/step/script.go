package step

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Script is the bash script of a step, for a work directory that holds the step's files
// and needs. Executors run it, and people repeat it by hand.
func (s *Step) Script() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# %s: %s\nset -e\ncd \"$(dirname \"${BASH_SOURCE[0]}\")\"\n", s.ID, s.Title)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, Quote(s.Env[name]))
	}
	for _, line := range s.Lines() {
		b.WriteString("\n" + line + "\n")
	}
	return []byte(b.String())
}

// Lines are the commands of a step as bash reads them, each of one line or several.
func (s *Step) Lines() []string {
	lines := make([]string, len(s.Commands))
	for i, c := range s.Commands {
		lines[i] = s.line(c)
	}
	return lines
}

// line is a command as bash reads it.
func (s *Step) line(c Command) string {
	var line string
	if c.Shell != "" {
		line = c.Shell
	} else {
		words := []string{Quote(s.executable(c.Tool))}
		for _, a := range c.Args {
			words = append(words, Quote(a))
		}
		line = strings.Join(words, " ")
	}
	if c.Dir != "" {
		line = fmt.Sprintf("(\ncd %s\n%s\n)", Quote("./"+path.Clean(c.Dir)), line)
	}
	if c.Unless != "" {
		line = fmt.Sprintf("if ! { %s; }; then\n%s\nfi", c.Unless, line)
	}
	return line
}

func (s *Step) executable(tool string) string {
	for _, t := range s.Tools {
		if t.Name == tool && t.Path != "" {
			return t.Path
		}
	}
	return tool
}

const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%"

// Quote writes a word for bash.
func Quote(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
