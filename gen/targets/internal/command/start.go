package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/workspace"
)

// program is a command of cclforge that targets start: mage is no parent for what
// runs long.
type program struct {
	path  string // import path
	takes string // why its first build takes long
	// delay is how long it may take to end when it is interrupted; 0 for as long as
	// it wants.
	delay time.Duration
}

// start builds a command and runs it until it ends or is interrupted. Arguments
// that are empty are left out.
func start(ctx context.Context, p program, what string, args ...string) error {
	binary, err := p.build(ctx)
	if err != nil {
		return err
	}
	args = slices.DeleteFunc(args, func(a string) bool { return a == "" })
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// Ctrl-C reaches it through us, once: the second one would kill it.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = p.delay
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
		return mg.Fatalf(max(exit.ExitCode(), 1), "%s has ended", what)
	}
	return err
}

// build builds the command, unless that has been done.
func (p program) build(ctx context.Context) (binary string, err error) {
	binary = "./" + path.Join(workspace.DefaultOut, "bin", path.Base(p.path))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	late := time.AfterFunc(2*time.Second, func() { say("%s", p.takes) })
	defer late.Stop()
	cmd := exec.CommandContext(ctx, mg.GoCmd(), "build", "-o", binary, p.path)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return "", mg.Fatalf(1, "%s was not built; in a module of your own, go get -tool %s adds what it needs", binary, p.path)
	}
	return binary, explain(ctx.Err())
}
