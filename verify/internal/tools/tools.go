// Package tools finds and runs compilers, and caches what they build: on disk, named by a
// hash of all inputs. Any number of runs may use the cache at once; files in it are complete.
package tools

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Tool is an installed tool.
type Tool struct {
	Path    string
	Version string // the first line of what it says of itself
}

// MissingError says that a tool is not installed.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s; install it (Debian: apt-get install %[1]s)", e.Name)
}

var (
	knownLock sync.Mutex
	known     = map[string]Tool{} // by path
)

// Find looks for a tool. The error is a *MissingError if it is not there.
func Find(ctx context.Context, name string) (Tool, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Tool{}, &MissingError{name}
	}
	knownLock.Lock()
	defer knownLock.Unlock()
	if t, ok := known[path]; ok {
		return t, nil
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return Tool{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	known[path] = Tool{path, string(line)}
	return known[path], nil
}

// Run runs the tool in a directory, "" for the present one. When the context ends, so do
// all processes that it has started. Its output is returned; with an error, the output is
// shortened.
func (t Tool) Run(ctx context.Context, dir string, args ...string) (said []byte, err error) {
	cmd := exec.CommandContext(ctx, t.Path, args...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	group(cmd)
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return shortened(text.Bytes()), err
	}
	return text.Bytes(), nil
}

// maxText is how much of what tools say is passed on.
const maxText = 8 << 10

// shortened leaves out the middle of a long text: the first mistake counts
// most, and what ended the run stands last.
func shortened(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) <= maxText {
		return text
	}
	return slices.Concat(text[:maxText*3/4], []byte("\n...\n"), text[len(text)-maxText/4:])
}
