package hls_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/internal/report"
)

func TestCompileErrorsNameTheUsersFiles(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	s.Files["hls/echo/echo_component.cpp"] = []byte("#include \"echo.hpp\"\n")
	const text = "#include \"parts.hpp\"\n\nint mine = nowhere;\n"
	s.Files["hls/echo/echo.hpp"] = []byte("#line 1 \"platforms/kernels/echo.hpp\"\n" + text)
	s.Files["platforms/kernels/echo.hpp"] = []byte(text)
	s.Files["hls/echo/parts.hpp"] = []byte("\nint part() { return absent(); }\n")
	_, err := s.Library(t.Context())
	var failed *hls.CompileError
	assert.Assert(t, errors.As(err, &failed) && failed.Kernel == "echo", "got %v", err)
	for _, want := range []string{
		"compile the kernel echo:\n", "platforms/kernels/echo.hpp:3:12: error:", "nowhere", "    3 | int mine = nowhere;",
		"hls/echo/parts.hpp:2:21: error:",
		"from hls/echo/echo_component.cpp:1",
	} {
		assert.Check(t, strings.Contains(err.Error(), want), "%q is not said", want)
	}
	cache, _ := os.UserCacheDir()
	assert.Check(t, !strings.Contains(err.Error(), cache), "the cache is named")
	if t.Failed() {
		t.Log(err)
	}
}

func TestWithoutACompilerItIsSaidWhatToInstall(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	t.Setenv("PATH", t.TempDir())
	for name, err := range map[string]error{"available": hls.Available(t.Context()),
		"library": func() error { _, err := s.Library(t.Context()); return err }()} {
		assert.Check(t, errors.Is(err, hls.ErrTools) && strings.Contains(err.Error(), "apt-get install g++"),
			"%s: %v", name, err)
	}
}

// compilerBy puts a script before the compiler; $REAL is that.
func compilerBy(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("g++")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	text := "#!/bin/sh\nREAL=" + real + "\n" + `[ "$1" = --version ] && exec $REAL --version` + "\n" + script
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "g++"), []byte(text), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func TestRunsAtOnceBuildOnce(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	log := filepath.Join(t.TempDir(), "log")
	compilerBy(t, "echo run >> "+log+"\nexec $REAL \"$@\"\n")
	var paths [8]string
	var runs sync.WaitGroup
	var said strings.Builder
	ctx := report.With(t.Context(), report.Lines(&said))
	for i := range paths {
		runs.Go(func() {
			var err error
			paths[i], err = s.Library(ctx)
			assert.Check(t, err)
			c, err := hls.Open(paths[i], 1)
			if err != nil {
				t.Error(err)
				return
			}
			assert.Check(t, c.Close())
		})
	}
	runs.Wait()
	for _, p := range paths {
		assert.Check(t, is.Equal(p, paths[0]))
	}
	assert.Check(t, slices.Contains(strings.Split(said.String(), "\n"), "building the kernel echo"),
		"it is not told that the compiler runs: %q", said.String())
	said.Reset()
	_, err := s.Library(ctx)
	assert.Check(t, err == nil && said.Len() <= 0, "what is there: %q, %v", said.String(), err)
	text, err := os.ReadFile(log)
	assert.Check(t, err == nil && string(text) == "run\n", "the compiler has run: %q, %v", text, err)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(paths[0]), "*"))
	assert.Check(t, len(left) == 1, "there are %q", left)
}

func TestWhatIsHalfWrittenIsNotUsed(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	started := filepath.Join(t.TempDir(), "started")
	compilerBy(t, `[ -e `+started+` ] && exec $REAL "$@"
while [ "$1" != -o ]; do shift; done
echo half > "$2"
touch `+started+`
sleep 100
`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	path, err := s.Library(ctx)
	assert.ErrorIs(t, err, context.Canceled, "%s", path)
	open(t, library(t, s), 1)
}

func TestEverythingDecidesWhatIsBuilt(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	first := library(t, s)
	assert.Check(t, is.Equal(library(t, s), first), "the same")
	s.Files["hls/sim/component.h"] = append(s.Files["hls/sim/component.h"], '\n')
	assert.Check(t, library(t, s) != first, "another header gives the same library")
}
