package logs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

type reader struct {
	mu    sync.Mutex
	lines []string
}

func (r *reader) line(l string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
}

func (r *reader) until(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		got = slices.Clone(r.lines)
		r.mu.Unlock()
		if slices.Equal(got, want) {
			return
		}
	}
	t.Fatalf("got %q, want %q", got, want)
}

func put(t *testing.T, name, text string, flags int) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o666)
	assert.NilError(t, err)
	defer f.Close()
	_, err = f.WriteString(text)
	assert.NilError(t, err)
}

func TestAFileThatComesGrowsAndIsCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	ended := make(chan struct{})
	done := make(chan error)
	var r reader
	go func() { done <- Follow(t.Context(), name, ended, r.line) }()
	time.Sleep(2 * Pause)
	put(t, name, "one\ntw", os.O_APPEND)
	r.until(t, "one")
	put(t, name, "o\nthree\n", os.O_APPEND)
	r.until(t, "one", "two", "three")
	put(t, name, "new\n", os.O_TRUNC)
	r.until(t, "one", "two", "three", "new")
	put(t, name, "last", os.O_APPEND)
	close(ended)
	assert.Check(t, <-done)
	r.until(t, "one", "two", "three", "new", "last")
}

func TestWithoutAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	ended := make(chan struct{})
	close(ended)
	var r reader
	err := Follow(t.Context(), name, ended, r.line)
	assert.Check(t, err == nil && len(r.lines) == 0, "%q, %v", r.lines, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Check(t, is.ErrorIs(Follow(ctx, name, nil, r.line), context.Canceled))
	assert.Check(t, Follow(t.Context(), t.TempDir(), ended, r.line) != nil, "a directory was read")
}

func TestLines(t *testing.T) {
	long := strings.Repeat("a", LongestFollowed-1) + "é" // the é does not fit
	for text, want := range map[string][]string{
		"":                      nil,
		"\n\n":                  {"", ""},
		"a\r\nb\r\n":            {"a", "b"},
		"10%\r20%\r\ndone\r":    {"10%", "20%", "done"},
		"\x1b[1;31mE\x1b[0m\n":  {"E"},
		"a\x00b\x07\tc\n":       {"ab c"},
		"\xff\xfe\n":            {"\uFFFD"},
		long + "more\nnext\n":   {strings.Repeat("a", LongestFollowed-1) + "\uFFFD", "next"},
		"no line feed":          {"no line feed"},
		"\u4f60\u597d\r\r\nx\n": {"\u4f60\u597d", "", "x"},
	} {
		name := filepath.Join(t.TempDir(), "log")
		put(t, name, text, os.O_TRUNC)
		ended := make(chan struct{})
		close(ended)
		var r reader
		if err := Follow(t.Context(), name, ended, r.line); err != nil || !slices.Equal(r.lines, want) {
			t.Errorf("%.40q gives %.80q, want %.80q; %v", text, r.lines, want, err)
		}
	}
}
