package doctor

import (
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

// Limit bounds the time a tool has to say its version. Some of AMD's need
// seconds to start, and staticcheck is built on its first use.
const Limit = 60 * time.Second

var versionNumber = regexp.MustCompile(`\d+(\.\d+)+[\w.+-]*`)

// Find asks a tool for its version. The error matches exec.ErrNotFound if the
// tool is not there.
func (t Tool) Find(ctx context.Context) (version string, err error) {
	if _, err := exec.LookPath(t.Version[0]); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, Limit)
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

// Run prints which tools are there, which versions, what each is for and how
// to get those that are missing. A tool that is missing is no error. What it
// waits for goes to log.
func Run(ctx context.Context, w io.Writer, log func(format string, args ...any)) error {
	versions := make([]string, len(Tools))
	errs := make([]error, len(Tools))
	var wg sync.WaitGroup
	for i, t := range Tools {
		wg.Go(func() {
			late := time.AfterFunc(patience, func() { log("waiting for %s", t.Name) })
			defer late.Stop()
			versions[i], errs[i] = t.Find(ctx)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TOOL\tVERSION\tWHAT FOR")
	fmt.Fprintf(t, "go\t%s\teverything that is generated: nothing else is needed\n", strings.TrimPrefix(runtime.Version(), "go"))
	for i, tool := range Tools {
		if errs[i] != nil {
			versions[i] = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", tool.Name, versions[i], tool.For)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	heading := "\nOptional, and not there:\n"
	for i, tool := range Tools {
		if errs[i] == nil {
			continue
		}
		help := tool.Help()
		if !errors.Is(errs[i], exec.ErrNotFound) {
			help = errs[i].Error()
		}
		fmt.Fprintf(w, "%s  %s: %s\n", heading, tool.Name, help)
		heading = ""
	}
	return nil
}
