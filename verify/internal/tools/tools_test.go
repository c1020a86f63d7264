package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// script is a tool that runs a script of the shell.
func script(t *testing.T, text string) Tool {
	t.Helper()
	dir := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"+text), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	found, err := Find(t.Context(), "tool")
	if err != nil {
		t.Skip(err) // there is no shell
	}
	return found
}

func TestToolsSayTheirVersion(t *testing.T) {
	tool := script(t, "echo 'tool 1.2'\necho more\n")
	assert.Check(t, tool.Version == "tool 1.2" && filepath.Base(tool.Path) == "tool", "%+v", tool)
}

func TestMissingToolsAreToldWithThePackage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Find(t.Context(), "absent")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Name != "absent" || !strings.Contains(err.Error(), "apt-get install absent") {
		t.Errorf("got %v", err)
	}
}

func TestWhatToolsSayIsReturned(t *testing.T) {
	tool := script(t, `[ "$1" = --version ] && exit
echo "$1"; pwd; echo wrong >&2; exit $2`)
	dir := t.TempDir()
	for code, fails := range map[string]bool{"0": false, "3": true} {
		said, err := tool.Run(t.Context(), dir, "first", code)
		assert.Check(t, is.Equal((err != nil), fails), "exit %s: %v", code, err)
		for _, want := range []string{"first", filepath.Base(dir), "wrong"} {
			assert.Check(t, strings.Contains(string(said), want), "exit %s: %q is missing in %q", code, want, said)
		}
	}
}

func TestLongMistakesLackTheirMiddle(t *testing.T) {
	tool := script(t, `[ "$1" = --version ] && exit
echo begin; i=0; while [ $i -lt 3000 ]; do echo line $i of many; i=$((i+1)); done; echo end; exit 1`)
	said, err := tool.Run(t.Context(), "")
	if err == nil || len(said) > maxText+100 || !strings.HasPrefix(string(said), "begin") ||
		!strings.HasSuffix(string(said), "end") {
		t.Errorf("%d bytes, %v", len(said), err)
	}
}

func TestWhatToolsStartEndsWithTheContext(t *testing.T) {
	tool := script(t, `[ "$1" = --version ] && exit
touch "$1"; sleep 100 & wait`)
	started := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	go func() {
		for ; time.Since(began) < 10*time.Second; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(started); err == nil {
				break
			}
		}
		cancel()
	}()
	_, err := tool.Run(ctx, "", started)
	assert.Check(t, errors.Is(err, context.Canceled), "got %v", err)
	took := time.Since(began)
	assert.Check(t, took <= 20*time.Second, "it took %v", took)
}
