package xrt

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// program compiles the program in C, against XRT's headers if they are there.
func program(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-result", "-o", path,
		"testdata/program.c", "-ldl"}
	if include, ok := Headers(); ok {
		args = append(args, "-DWITH_XRT", "-isystem", include)
	} else {
		args = append(args, "-Ilibrary")
	}
	out, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput()
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	return path
}

func run(t testing.TB, path string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, arguments...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	assert.Assert(t, err == nil, "%s: %v\n%s%s", strings.Join(arguments, " "), err, out, said.String())
	return string(out)
}

// TestSignatures compiles the library with XRT's headers and without: it exports the
// same functions.
func TestSignatures(t *testing.T) {
	serve(t) // skips without a compiler
	var want []string
	for _, f := range names[probe:] {
		want = append(want, f.name)
	}
	slices.Sort(want)
	exports := func(include string) {
		t.Helper()
		path, err := BuildLibraryWith(t.Context(), include)
		assert.NilError(t, err)
		f, err := elf.Open(path)
		assert.NilError(t, err)
		defer f.Close()
		symbols, err := f.DynamicSymbols()
		assert.NilError(t, err)
		var got []string
		for _, s := range symbols {
			if s.Section != elf.SHN_UNDEF {
				got = append(got, s.Name)
			}
		}
		slices.Sort(got)
		assert.Check(t, slices.Equal(got, want), "it exports %q, want %q", got, want)
	}
	exports("")
	include, ok := Headers()
	if !ok {
		t.Skip(
			"NOT TESTED: the functions against XRT's headers, because they are not there: apt-get install libxrt-dev uuid-dev")
	}
	exports(include)
}

// TestAsXRT has a program without cards use XRT's own libraries, and this one.
func TestAsXRT(t *testing.T) {
	s := serve(t)
	p := program(t)
	got := run(t, p, filepath.Join(s.Dir(), LibraryNames[0]), "nothing")
	real := ""
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/opt/xilinx/xrt/lib"} {
		if path := filepath.Join(dir, LibraryNames[1]); exists(path) && exists(filepath.Join(dir, LibraryNames[0])) {
			real = path // it needs the other
		}
	}
	if cards, _ := filepath.Glob("/dev/dri/renderD*"); real == "" || len(cards) > 0 {
		t.Skip(
			"NOT TESTED: the same as XRT's own libraries, because they are not there, or have cards: apt-get install libxrt1")
	}
	want := run(t, p, real, "nothing")
	assert.Check(t, got == want, "the library answers\n%s\nXRT\n%s", got, want)
}

type holder struct {
	cmd *exec.Cmd
	in  interface{ Close() error }
}

func hold(t testing.TB, path string, arguments ...string) *holder {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, arguments...)
	cmd.Env = append(os.Environ(), Variable+"=")
	in, err := cmd.StdinPipe()
	assert.NilError(t, err)
	out, err := cmd.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // it may have been waited for
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	assert.Assert(t, line == "ready\n", "%s says %q, %v", strings.Join(arguments, " "), line, err)
	return &holder{cmd, in}
}

func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// TestProcesses has two processes, and this one, on a card.
func TestProcesses(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	s := serve(t, Card{Design: d, Loaded: image(t, d, "")})
	p, lib := program(t), filepath.Join(s.Dir(), LibraryNames[1])
	const kernel, other = "ccl_offload:ccl_offload_0", "hostctrl:hostctrl_0_0"

	first := hold(t, p, lib, "hold", kernel)
	second := hold(t, p, lib, "hold", other)
	var exit *exec.ExitError
	out, err := exec.CommandContext(t.Context(), p, lib, "hold", kernel).Output()
	assert.Check(t, errors.As(err, &exit) && exit.ExitCode() == 3 && string(out) == "xclOpenContext = -22\n",
		"a third one: %v, %s", err, out)
	c := load(t, s)
	card := c.open(0)
	buffer := c.must("xrtBOAlloc", card, 4096, 0, 0)
	at, _ := c.do("xrtBOAddress", buffer)
	assert.Check(t, at == 2<<20, "the third buffer is at 0x%X, behind two of 1 MiB", at)
	held := map[int]int{}
	for _, l := range s.Leaks() {
		if l.Ended && l.Process != exit.Pid() || !l.Ended && l.Process == exit.Pid() {
			t.Error(l)
		}
		held[l.Process]++
	}
	if held[first.cmd.Process.Pid] != 4 || held[second.cmd.Process.Pid] != 4 || held[syscall.Getpid()] != 2 ||
		held[exit.Pid()] != 1 {
		t.Errorf("processes hold %v", held)
	}

	// One gives back what it has, the other is killed: the next can have it.
	second.in.Close()
	assert.NilError(t, second.cmd.Wait())
	assert.NilError(t, first.cmd.Process.Kill())
	_ = first.cmd.Wait()
	ended := func(pid int) (n, left int) {
		for _, l := range s.Leaks() {
			if l.Process == pid {
				n++
				if l.Ended {
					left++
				}
			}
		}
		return n, left
	}
	eventually(t, "the card is free", func() bool {
		n, left := ended(first.cmd.Process.Pid)
		return n == 4 && left == 4
	})
	n, _ := ended(second.cmd.Process.Pid)
	assert.Check(t, n == 0, "%d things are left of a process that has given back all", n)
	third := hold(t, p, lib, "abandon", kernel)
	again := c.must("xrtBOAlloc", card, 4096, 0, 0)
	at, _ = c.do("xrtBOAddress", again)
	assert.Check(t, at == 1<<20, "a buffer is at 0x%X, where 1 MiB are used", at)
	third.in.Close()
	_ = third.cmd.Wait()
	eventually(t, "the third process is gone", func() bool {
		n, left := ended(third.cmd.Process.Pid)
		return n == 4 && left == 4
	})
	c.unit(card, kernel)

	if out := run(t, p, lib,
		"child"); out != "the child finds 1 cards, and its parent's handle is not its own\nthe parent has closed its own\n" {
		t.Error(out)
	}
}
