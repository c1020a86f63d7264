package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/workspace"
)

// demo generates a platform, and runs its driver package on emulated ranks.
func demo(ctx context.Context, name string, n int, vars string) error {
	if n < 1 {
		return Usagef("the demo needs at least 1 rank, not %d", n)
	}
	o := workspace.Options{Selection: workspace.Selection{Vars: vars}}
	return with(func(w *workspace.Workspace) error {
		lib, err := w.Library()
		if err != nil {
			return err
		}
		names, err := workspace.Match(name, lib.PlatformNames())
		if err != nil {
			return err
		}
		if len(names) != 1 {
			return mg.Fatalf(2, "the demo runs one platform; %q are %s", name, strings.Join(names, ", "))
		}
		o.Only = names[0]
		if _, err := generate(ctx, w, o); err != nil {
			return err
		}
		return runDemo(ctx, names[0], n)
	})
}

// runDemo runs the generated demo of a platform, below the current directory.
func runDemo(ctx context.Context, platform string, ranks int) error {
	output := path.Join(workspace.DefaultOut, platform)
	args := []string{"run"}
	overlay, err := demoOverlay(ctx, platform, output)
	if err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	if overlay != "" {
		defer os.RemoveAll(filepath.Dir(overlay))
		args = append(args, "-overlay="+overlay)
	}
	args = append(args, path.Join(output, "demo", "main.go"), "-n="+strconv.Itoa(ranks))
	late := time.AfterFunc(2*time.Second, func() { say("the first run compiles the driver and the emulator") })
	defer late.Stop()
	cmd := exec.CommandContext(ctx, mg.GoCmd(), args...)
	cmd.Stdout, cmd.Stderr = &firstWrite{os.Stdout, late}, os.Stderr
	// Ctrl-C reaches the program itself; what does not end by that is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return mg.Fatal(130, "interrupted")
	case errors.As(err, &exit):
		return mg.Fatalf(1, "the demo of %s has failed", platform)
	}
	return err
}

// demoOverlay has the go command see the demo import the driver package where
// it is, if that is not in the module that the demo was rendered for. It
// returns a file in a directory of its own, or nothing.
func demoOverlay(ctx context.Context, platform, output string) (string, error) {
	list := exec.CommandContext(ctx, mg.GoCmd(), "list", "-find", "-f", "{{.ImportPath}}",
		"./"+path.Join(output, "driver"))
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("find the driver package: %w", err)
	}
	known, is := strconv.Quote(emit.DriverImport(platform)), strconv.Quote(strings.TrimSpace(string(out)))
	if is == known {
		return "", nil
	}
	main := filepath.Join(filepath.FromSlash(output), "demo", "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "cclforge-demo-")
	if err != nil {
		return "", err
	}
	instead, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	index, err := json.Marshal(map[string]map[string]string{"Replace": {main: instead}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(
		os.WriteFile(instead, []byte(strings.Replace(string(text), known, is, 1)), 0o644),
		os.WriteFile(overlay, index, 0o644))
}

// firstWrite stops a timer when something is written.
type firstWrite struct {
	to    *os.File
	timer *time.Timer
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.timer.Stop()
	return w.to.Write(p)
}
