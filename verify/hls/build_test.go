package hls_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/templates"
	"github.com/cclforge/cclforge/verify/internal/tools"
)

// headers are the stand-in's files, in a directory of the test's.
func standInHeaders(t testing.TB) string {
	t.Helper()
	if _, err := tools.Find(t.Context(), "g++"); errors.As(err, new(*tools.MissingError)) {
		t.Skip(err)
	}
	sub, err := fs.Sub(templates.FS, "hls/sim")
	assert.NilError(t, err)
	dir := t.TempDir()
	assert.NilError(t, os.CopyFS(dir, sub))
	return dir
}

// build compiles a program of testdata, with what else there is on the command line.
func build(t testing.TB, headers string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.o")
	args = append([]string{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I" + headers, "-Itestdata", "-o", out}, args...)
	text, err := compile(t, args...)
	assert.Assert(t, err == nil, "g++ %s: %v\n%s", strings.Join(args, " "), err, text)
	return out
}

func compile(t testing.TB, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, "g++", args...).CombinedOutput()
	return string(text), err
}

// run gives what a program prints, line by line.
func run(t testing.TB, program string, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, stdout, stderr.Bytes())
	}
	var lines []string
	for s := bufio.NewScanner(bytes.NewReader(stdout)); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}
