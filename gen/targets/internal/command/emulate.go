package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/workspace"
)

const (
	// server is what serves emulated ranks. It is built and run, not linked: the
	// emulator would be in every other target.
	server       = "github.com/cclforge/cclforge/verify/cmd/cclworld"
	emulateRanks = 4
)

// Flag is an option of a command, or nothing if it was not given.
func Flag[T any](name string, value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("-%s=%v", name, *value)
}

// Emulate builds the server of emulated ranks and runs it until it is
// interrupted.
func Emulate(ctx context.Context, platform string, ranks *int, flags ...string) error {
	if ranks == nil {
		ranks = new(int)
		*ranks = emulateRanks
	}
	if *ranks < 1 {
		return mg.Fatalf(2, "a world has at least 1 rank, not %d", *ranks)
	}
	return serve(ctx, "the emulator of "+platform, append([]string{platform, Flag("n", ranks)}, flags...)...)
}

// Replay builds the server of ranks, which replays a recording.
func Replay(ctx context.Context, recording string, flags ...string) error {
	return serve(ctx, "the replay of "+recording, append([]string{Flag("replay", &recording)}, flags...)...)
}

// serve builds the server and runs it until it ends or is interrupted.
func serve(ctx context.Context, what string, args ...string) error {
	binary, err := build(ctx, server)
	if err != nil {
		return err
	}
	args = slices.DeleteFunc(args, func(a string) bool { return a == "" })
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// Ctrl-C reaches it through us, once: the second one would kill it.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
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

// build builds a command of cclforge, unless that has been done.
func build(ctx context.Context, importPath string) (binary string, err error) {
	binary = "./" + path.Join(workspace.DefaultOut, "bin", path.Base(importPath))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	late := time.AfterFunc(2*time.Second, func() { say("the first run compiles the emulator") })
	defer late.Stop()
	cmd := exec.CommandContext(ctx, mg.GoCmd(), "build", "-o", binary, importPath)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return "", mg.Fatalf(1, "%s was not built; in a module of your own, go get -tool %s adds what it needs", binary, importPath)
	}
	return binary, explain(ctx.Err())
}
