package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
)

// Mage has no place of its own for a look at the whole command line: this is before it
// looks at any of it.
func init() {
	words, ours := words(os.Args)
	if !ours {
		return
	}
	help, err := Check(words, ask)
	switch {
	case err != nil:
		say("Error: %v", err)
		os.Exit(2)
	case help != "":
		fmt.Print(help)
		os.Exit(0)
	}
}

// words are what stands behind mage's own options, in a program that mage has compiled:
// it gives the compiler a list of files. They are not ours if mage only lists or describes
// targets.
func words(args []string) (words []string, ours bool) {
	if info, ok := debug.ReadBuildInfo(); !ok || info.Path != "command-line-arguments" {
		return nil, false
	}
	for words = args[1:]; len(words) > 0 && strings.HasPrefix(words[0], "-"); words = words[1:] {
		switch name, _, valued := strings.Cut(strings.TrimLeft(words[0], "-"), "="); {
		case name == "v":
		case name == "t" && valued:
		case name == "t" && len(words) > 1:
			words = words[1:]
		default:
			return nil, false
		}
	}
	return words, len(words) > 0
}

// ask has this program list or describe targets, as mage does.
func ask(args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "MAGEFILE_LIST=0", "MAGEFILE_HELP=0", "MAGEFILE_ENABLE_COLOR=0")
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 2 {
		return "", fmt.Errorf("%w: %s", ErrUnknown, exit.Stderr)
	}
	return string(text), err
}
