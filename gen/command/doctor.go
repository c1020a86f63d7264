package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// toolLimit bounds the time a tool has to say its version. Some of AMD's need
// seconds to start, and staticcheck is built on its first use.
const toolLimit = 60 * time.Second

var versionNumber = regexp.MustCompile(`\d+(\.\d+)+[\w.+-]*`)

// Find asks a tool for its version. The error matches exec.ErrNotFound if the
// tool is not there.
func (t Tool) Find(ctx context.Context) (version string, err error) {
	if _, err := exec.LookPath(t.Version[0]); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.Version[0], t.Version[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s does not answer: %w", t.Name, ctx.Err())
	}
	if err != nil {
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); lines[0] != "" {
			return "", fmt.Errorf("it does not run: %w: %s", err, lines[len(lines)-1])
		}
		return "", fmt.Errorf("it does not run: %w", err)
	}
	if v := versionNumber.Find(out); v != nil {
		return string(v), nil
	}
	return "there", nil
}

// patience is when people are told which tool they wait for.
const patience = 3 * time.Second

type foundTool struct {
	Name    string `json:"name"`
	Found   bool   `json:"found"`
	Version string `json:"version,omitempty"` // "there" if it does not say one
	For     string `json:"for"`
	Get     string `json:"get,omitempty"`   // how to get one that is missing
	Error   string `json:"error,omitempty"` // of one that is there and does not run
}

// findTools looks for all tools; Go itself is the first of them. A tool that is missing is
// no error. What it waits for goes to log.
func findTools(ctx context.Context, log func(format string, args ...any)) ([]foundTool, error) {
	found := make([]foundTool, len(Tools))
	var wg sync.WaitGroup
	for i, t := range Tools {
		wg.Go(func() {
			late := time.AfterFunc(patience, func() { log("waiting for %s", t.Name) })
			defer late.Stop()
			version, err := t.Find(ctx)
			f := foundTool{Name: t.Name, Found: err == nil, Version: version, For: t.For}
			switch {
			case errors.Is(err, exec.ErrNotFound):
				f.Get = t.Help()
			case err != nil:
				f.Error = err.Error()
			}
			found[i] = f
		})
	}
	wg.Wait()
	golang := foundTool{Name: "go", Found: true, Version: strings.TrimPrefix(runtime.Version(), "go"),
		For: "everything that is generated: nothing else is needed"}
	return append([]foundTool{golang}, found...), ctx.Err()
}

// printTools prints the tools: version, purpose, and how to get a missing one.
func printTools(w io.Writer, found []foundTool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TOOL\tVERSION\tWHAT FOR")
	for _, f := range found {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Name, cmp.Or(f.Version, "-"), f.For)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	heading := "\nOptional, and not there:\n"
	for _, f := range found {
		if f.Found {
			continue
		}
		fmt.Fprintf(w, "%s  %s: %s\n", heading, f.Name, cmp.Or(f.Get, f.Error))
		heading = ""
	}
	return nil
}
