package hls_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/templates"
)

// Generations, by the platforms that stand for them.
const (
	g2021, g2022, g2024 = "accl-2021", "accl-2022", "accl-2024"
)

var generations = []struct{ name, platform string }{{g2021, "u280_manual"}, {g2022, "u280_2022"}, {g2024, "u55c_tcp"}}

const (
	compileTime = 5 * time.Minute
	runTime     = time.Minute
)

// flags are how emitted C++ must compile. Labels and pragmas are the vendor's way to
// name regions; g++ knows no use for them.
var flags = []string{"-std=c++14", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas",
	"-Wno-unused-label"}

// headers renders what kernels of a platform include into a new directory, with the
// stand-in for the vendor's headers beside it.
func bindingHeaders(t *testing.T, d *design.Design) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files, err := emit.HLS(d)
	assert.NilError(t, err)
	for _, f := range files {
		if filepath.Dir(f.Path) == "hls" {
			put(t, dir, f.Path, f.Content)
		}
	}
	sim, err := fs.Sub(templates.FS, "hls/sim")
	assert.NilError(t, err)
	err = fs.WalkDir(sim, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sim, path)
		put(t, dir, "sim/"+path, text)
		return err
	})
	assert.NilError(t, err)
	return dir
}

func put(t *testing.T, dir, path string, text []byte) {
	t.Helper()
	path = filepath.Join(dir, filepath.FromSlash(path))
	assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NilError(t, os.WriteFile(path, text, 0o644))
}

// source copies a file of testdata.
func source(t *testing.T, dir, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	assert.NilError(t, err)
	put(t, dir, name, text)
}

// build compiles files of a directory with the headers there, and links them.
func buildKernel(t *testing.T, dir string, files []string, more ...string) (program string) {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("NOT TESTED: what kernels in C++ are written with, because g++ is not installed (apt install g++)")
	}
	runtime, err := filepath.Glob(filepath.Join(dir, "sim", "*.cpp"))
	assert.NilError(t, err)
	program = filepath.Join(dir, "program")
	args := append([]string{"-O0", "-Ihls", "-isystem", "sim", "-I.", "-o", program}, flags...)
	args = append(append(append(args, more...), files...), standIn(t, compiler, runtime)...)
	execute(t, dir, compileTime, compiler, args...)
	return program
}

// objects are the parts of the stand-in that have been compiled, once for all tests.
var objects struct {
	sync.Mutex
	dir   string
	files []string
}

// standIn compiles what the stand-in has beside headers. It is C++17.
func standIn(t *testing.T, compiler string, files []string) []string {
	t.Helper()
	objects.Lock()
	defer objects.Unlock()
	if objects.files == nil {
		for _, file := range files {
			object := filepath.Join(objects.dir, strings.TrimSuffix(filepath.Base(file), ".cpp")+".o")
			execute(t, filepath.Dir(file), compileTime, compiler, "-std=c++17", "-O0", "-c", "-I.", "-o", object, file)
			objects.files = append(objects.files, object)
		}
	}
	return objects.files
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bindings")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	objects.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// execute runs a program to its good end.
func execute(t *testing.T, dir string, limit time.Duration, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", filepath.Base(program), err, out.Bytes(), said.Bytes())
	}
	return out.String()
}

// call is what the contract says of a call, in words of 32 and 64 bits.
type call struct {
	scenario, count, comm, rootSrcDst, function, tag, arithcfg, compression, stream uint32
	addr0, addr1, addr2                                                             uint64
}

// words are the words of a call, in the order of the contract.
func (c call) words() []uint32 {
	low := func(v uint64) uint32 { return uint32(v & 0xFFFFFFFF) }
	high := func(v uint64) uint32 { return uint32(v >> 32) }
	return []uint32{
		c.scenario, c.count, c.comm, c.rootSrcDst, c.function, c.tag, c.arithcfg, c.compression, c.stream,
		low(c.addr0), high(c.addr0), low(c.addr1), high(c.addr1), low(c.addr2), high(c.addr2),
	}
}

// line is how a probe reports one call: its words with TLAST and TKEEP, and what the
// caller was answered.
func (c call) line(answer uint32) string {
	var b strings.Builder
	words := c.words()
	for i, w := range words {
		last := 0
		if i == len(words)-1 {
			last = 1
		}
		fmt.Fprintf(&b, "%x:%d:f ", w, last)
	}
	fmt.Fprintf(&b, "-> %x", answer)
	return b.String()
}
