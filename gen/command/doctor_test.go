package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// stub puts a shell script into a directory that becomes the whole PATH.
func stub(t *testing.T, scripts map[string]string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh to play the tools")
	}
	dir := t.TempDir()
	for name, body := range scripts {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	stub(t, map[string]string{
		"verilator": "echo 'Verilator 5.006 2023-01-22 rev (Debian 5.006-3)'",
		"gcc":       "echo 'gcc (Debian 12.2.0-14+deb12u1) 12.2.0'",
		"vivado":    "echo 'Vivado v2022.1 (64-bit)' >&2",
		"quiet":     "exit 0",
		"broken":    "exit 3",
		"hangs":     "exec /bin/sleep 1000",
	})
	for name, want := range map[string]string{"verilator": "5.006", "gcc": "12.2.0-14+deb12u1", "vivado": "2022.1",
		"quiet": "there"} {
		got, err := (Tool{Name: name, Version: []string{name}}).Find(t.Context())
		assert.Check(t, got == want && err == nil, "%s: %q, %v", name, got, err)
	}
	_, err := (Tool{Version: []string{"none"}}).Find(t.Context())
	assert.Check(t, errors.Is(err, exec.ErrNotFound), "a missing tool: %v", err)
	_, err = (Tool{Version: []string{"broken"}}).Find(t.Context())
	assert.Check(t, err != nil && strings.Contains(err.Error(), "exit status 3"), "a broken tool: %v", err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = (Tool{Version: []string{"hangs"}}).Find(ctx)
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "a tool that hangs: %v", err)
}

func TestRunNeverFailsForWhatIsOptional(t *testing.T) {
	stub(t, map[string]string{"z3": "echo 'Z3 version 4.8.12 - 64 bit'", "yosys": "exit 1"})
	found, err := findTools(t.Context(), t.Logf)
	assert.NilError(t, err)
	var out strings.Builder
	assert.NilError(t, printTools(&out, found))
	head, tail, _ := strings.Cut(out.String(), "\nOptional, and not there:\n")
	for _, tool := range Tools {
		assert.Check(t, is.Contains(head, "\n"+tool.Name+" "), "%s is not in the table", tool.Name)
		assert.Check(t, is.Equal(strings.Contains(tail, "  "+tool.Name), (tool.Name != "z3")),
			"%s is listed as missing", tool.Name)
	}
	for _, want := range []string{"yosys: it does not run: exit status 1", "verilator: apt-get install verilator",
		"v++: install AMD Vitis"} {
		assert.Check(t, is.Contains(tail, want))
	}
}

func TestEveryToolSaysWhatItIsForAndHowToGetIt(t *testing.T) {
	for _, tool := range Tools {
		if tool.For == "" || tool.Help() == "" || tool.Package != "" && tool.Get != "" {
			t.Errorf("%+v", tool)
		}
	}
}
