// Package library tests programs of C, of MPI and of Python on engines: the C library is built once for them.
package library

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/internal/verbs"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
)

// clib is the C library, built for a test, and what programs of C are compiled with.
type clib struct {
	t   *testing.T
	dir string // of the library
}

func TestMain(m *testing.M) { ranktest.Main(cleaned{m}, verbs.Main) }

// cleaned are tests that leave nothing behind.
type cleaned struct{ tests interface{ Run() int } }

func (c cleaned) Run() int {
	defer os.RemoveAll(theCLib.out)
	return c.tests.Run()
}

// theCLib is built once, and removed by TestMain.
var theCLib struct {
	once   sync.Once
	out    string
	failed string
}

func newCLib(t *testing.T) *clib {
	if testing.Short() {
		t.Skip("builds the emulator as a C library")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is missing: apt-get install gcc")
	}
	b := &theCLib
	b.once.Do(func() {
		var err error
		b.out, err = os.MkdirTemp("", "cclforge-library-")
		assert.NilError(t, err)
		if _, errs, code := ranktest.Run(t, os.Args[0], "library", "--out="+b.out); code != 0 {
			b.failed = errs
		}
	})
	assert.Assert(t, b.failed == "", "%s", b.failed)
	return &clib{t, filepath.Join(b.out, "lib")}
}

// program compiles a program. Its flags are those of cclforge.pc.
func (l *clib) program(source string) string {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join(l.dir, "cclforge.pc"))
	assert.NilError(l.t, err)
	var flags []string
	for line := range strings.Lines(strings.ReplaceAll(string(text), "${pcfiledir}", l.dir)) {
		if name, value, _ := strings.Cut(line, ": "); name == "Cflags" || name == "Libs" {
			flags = append(flags, strings.Fields(value)...)
		}
	}
	name := filepath.Join(l.t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	gcc := exec.CommandContext(l.t.Context(), "gcc", slices.Concat([]string{"-g", "-O1", "-Wall", "-Wextra", "-Werror",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o", name, source}, flags, []string{"-pthread"})...)
	said, err := gcc.CombinedOutput()
	assert.NilError(l.t, err, "%s", said)
	return name
}

// exited is what a process has written, and whether it has failed.
type exited struct {
	out, errs string
	err       error
}

// run runs a process for each list of arguments, which find each other if they are several.
func (l *clib) run(program string, arguments ...[]string) []exited {
	all := make([]exited, len(arguments))
	var meet string
	if len(arguments) > 1 {
		ports, err := host.FreePorts(1)
		assert.NilError(l.t, err)
		meet = fmt.Sprint("127.0.0.1:", ports)
	}
	var group sync.WaitGroup
	for rank, args := range arguments {
		group.Go(func() {
			c := exec.CommandContext(l.t.Context(), program, args...)
			if meet != "" {
				c.Env = append(os.Environ(), fmt.Sprint("CCLFORGE_RANK=", rank), fmt.Sprint("CCLFORGE_SIZE=", len(arguments)),
					"CCLFORGE_MEET="+meet, "CCLFORGE_SECRET=of the test of the C library")
			}
			var out, errs strings.Builder
			c.Stdout, c.Stderr = &out, &errs
			err := c.Run()
			all[rank] = exited{out.String(), errs.String(), err}
		})
	}
	group.Wait()
	return all
}

// TestLibrary: programs of C, under the address sanitizer, on emulated ranks.
func TestLibrary(t *testing.T) {
	l := newCLib(t)
	matrix := l.program("testdata/c/matrix.c")
	sum := l.program("../../../examples/library/allreduce.c")
	one := []string{"u55c_tcp"}
	for _, test := range []struct {
		name, program string
		arguments     [][]string
		out           string // of rank 0
	}{
		{"threads", matrix, [][]string{one}, ""},
		{"processes", matrix, [][]string{one, one, one}, ""},
		{"host memory", matrix, [][]string{{"u55c_tcp", "2", "{host_memory = true}"}}, ""},
		{"datagrams", matrix, [][]string{{"u55c_udp", "2"}}, ""},
		{"mistakes", l.program("testdata/c/bad.c"), [][]string{one}, ""},
		{"forks", l.program("testdata/c/fork.c"), [][]string{nil}, ""},
		{"example", sum, [][]string{nil}, "the sum over 4 ranks is 10\n"},
		{"example in processes", sum, [][]string{one, one}, "the sum over 2 ranks is 3\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for rank, o := range l.run(test.program, test.arguments...) {
				assert.Check(t, o.err == nil && (rank > 0 || o.out == test.out), "rank %d: %v\n%s\n%s", rank, o.err, o.out, o.errs)
			}
		})
	}
	// Ranks that do not fit together hear the same.
	both := l.run(sum, one, []string{"u55c_udp"})
	for rank, o := range both {
		assert.Check(t, o.err != nil && strings.Contains(o.errs, "network stacks differ: tcp on sockets on rank 0; udp in memory on rank 1"),
			"rank %d: %v, %s", rank, o.err, o.errs)
	}
	l.mismatched(sum)
}

// mismatched has the program find the library of another build, and none.
func (l *clib) mismatched(program string) {
	source := filepath.Join(l.t.TempDir(), "loader.c")
	assert.NilError(l.t, os.WriteFile(source, capi.Loader(), 0o644))
	other := bytes.Replace(capi.Header(), fmt.Appendf(nil, "(0x%016x)", capi.Build()), []byte("(0x00000000000000ab)"), 1)
	assert.NilError(l.t, os.WriteFile(filepath.Join(filepath.Dir(source), "cclforge.h"), other, 0o644))
	for engines, want := range map[string]string{
		"libcclforge-engines.so": "error 2: mismatched builds: libcclforge.so is 00000000000000ab",
		"":                       "error 3: ",
	} {
		dir := l.t.TempDir()
		said, err := exec.CommandContext(l.t.Context(), "gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcclforge.so"),
			source, "-ldl", "-pthread").CombinedOutput()
		assert.NilError(l.t, err, "%s", said)
		if engines != "" {
			assert.NilError(l.t, os.Symlink(filepath.Join(l.dir, engines), filepath.Join(dir, engines)))
		}
		c := exec.CommandContext(l.t.Context(), program)
		c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
		said, err = c.CombinedOutput()
		assert.Check(l.t, err != nil && strings.Contains(string(said), want), "%v: %s", err, said)
	}
}
