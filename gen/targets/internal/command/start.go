// Package command runs verbs of cclforge for the targets of mage. It reads a command line
// as mage does, but as a whole: mage runs each target before it reads the words of the next.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/workspace"
)

// program is cclforge, with all verbs.
const program = "github.com/cclforge/cclforge/verify/cmd/cclforge"

// Run runs a verb with arguments and with options: names, each before a pointer to its value.
// Arguments that are empty and values that were not given are left out. Verbs that need nothing
// but descriptions run here, the others in a process of their own: mage is no parent for what
// runs long, and the emulator would be in every target.
func Run(ctx context.Context, verb string, args []string, options ...any) error {
	words := append(strings.Fields(verb), slices.DeleteFunc(args, func(a string) bool { return a == "" })...)
	for pair := range slices.Chunk(options, 2) {
		if value := reflect.ValueOf(pair[1]); !value.IsNil() {
			words = append(words, fmt.Sprintf("--%s=%v", pair[0], value.Elem()))
		}
	}
	if command.Has(words[0]) {
		return command.Execute(ctx, command.New(), words...)
	}
	return start(ctx, words)
}

// Argument is the argument of a verb that may do without.
func Argument(value *string) []string {
	if value == nil {
		return nil
	}
	return []string{*value}
}

func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

// start builds cclforge and runs it until it ends or is interrupted.
func start(ctx context.Context, words []string) error {
	binary, err := build(ctx)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, words...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// Ctrl-C reaches it through us, once: the second one would kill it. It takes as long to
	// end as it wants: builds stop their tools and cancel their jobs.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	// It ends with the thread that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bind(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &exit):
		return mg.Fatalf(max(exit.ExitCode(), 1), "%s has failed", strings.Join(words[:min(len(words), 2)], " "))
	}
	return err
}

// build builds cclforge, unless that has been done.
func build(ctx context.Context) (binary string, err error) {
	binary = "./" + path.Join(workspace.DefaultOut, "bin", path.Base(program))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	late := time.AfterFunc(2*time.Second, func() { say("the first run compiles cclforge") })
	defer late.Stop()
	cmd := exec.CommandContext(ctx, mg.GoCmd(), "build", "-o", binary, program)
	cmd.Env = append(os.Environ(), "GOFLAGS="+command.GoFlags())
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return "", mg.Fatalf(1, "%s was not built; in a module of your own, go get -tool %s adds what it needs",
			binary, program)
	}
	if ctx.Err() != nil {
		return "", mg.Fatal(130, "interrupted; run it again to finish")
	}
	return binary, nil
}
