// Package verilate builds SystemVerilog into shared libraries with Verilator,
// each once: what was built is kept by the hash of everything it came from.
package verilate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/output"
)

// Build says what to build. Files are absolute paths.
type Build struct {
	Top     string            // module
	Sources []string          // SystemVerilog, packages first
	Shell   []string          // C++ around the model; headers beside them belong to it
	Params  map[string]string // parameters of the top module
	CFlags  []string          // more flags for the C++ compiler
	// Careful checks assertions and gives every register without a reset a
	// random value; otherwise the model is built for speed.
	Careful bool
	Trace   bool // can write FST
	// Optimize is how the C++ is optimized, as an option of g++; empty for speed.
	Optimize string
	// Progress, if not nil, is told what takes time.
	Progress func(message string)
}

// ErrTools says that a tool is missing.
var ErrTools = errors.New("a tool for simulating the hardware is missing")

// libraryName is what was built, in its directory of the cache.
const libraryName = "libsim.so"

// forSpeed optimizes what runs in every cycle and does not fit into the caches:
// less code is quicker than -O2. Passes that take long and find little are off.
const forSpeed = "-Os -fno-code-hoisting -fno-gcse --param=sccvn-max-alias-queries-per-access=30"

// progressEvery is how often progress is told of a build.
const progressEvery = 10 * time.Second

// Library is the path of the shared library. It is built if the cache does not
// have it. Errors match ErrTools if Verilator or the C++ compiler is missing.
func (b Build) Library(ctx context.Context) (path string, err error) {
	t, err := findTools(ctx)
	if err != nil {
		return "", err
	}
	key, err := b.key(t)
	if err != nil {
		return "", fmt.Errorf("simulate %s: %w", b.Top, err)
	}
	root, err := Cache("verilated")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, key)
	path = filepath.Join(dir, libraryName)
	if used(path) {
		return path, nil
	}
	unlock, err := output.Lock(ctx, dir, func() { b.tell("waiting for another run that builds the simulation of %s", b.Top) })
	if err != nil {
		return "", err
	}
	defer unlock()
	if used(path) {
		return path, nil
	}
	prune(root, key)
	if err := b.into(ctx, t, dir, path); err != nil {
		return "", fmt.Errorf("build the simulation of %s: %w", b.Top, err)
	}
	return path, nil
}

func (b Build) tell(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...))
	}
}

// into builds in a directory of its own and moves the library to its place
// when it is whole. Whoever calls it has the lock of dir.
func (b Build) into(ctx context.Context, t tools, dir, path string) error {
	if left, err := filepath.Glob(filepath.Join(dir, "build-*")); err == nil {
		for _, d := range left { // a run that was ended
			os.RemoveAll(d)
		}
	}
	work, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	began := time.Now()
	stop := b.watch(began)
	defer stop()
	args := append(b.flags(), "--Mdir", work, "-o", libraryName)
	args = append(append(args, b.Sources...), b.Shell...)
	if err := t.verilator(ctx, work, args); err != nil {
		return err
	}
	return os.Rename(filepath.Join(work, libraryName), path)
}

// watch tells how long the build has been running.
func (b Build) watch(began time.Time) (stop func()) {
	b.tell("building the simulation of %s", b.Top)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.tell("building the simulation of %s: %d s", b.Top, int(time.Since(began).Seconds()))
			case <-end:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(end); <-ended })
}

// flags are what makes the library, apart from its files and places.
func (b Build) flags() []string {
	optimize := b.Optimize
	if optimize == "" {
		optimize = forSpeed
	}
	args := []string{
		"--cc", "--exe", "--build", "-j", fmt.Sprint(runtime.NumCPU()), "--no-timing", "-O3",
		"-CFLAGS", strings.Join(append([]string{"-fPIC -fvisibility=hidden", optimize}, b.CFlags...), " "),
		"-LDFLAGS", "-shared -Wl,-Bsymbolic",
		"-MAKEFLAGS", "OPT_FAST=", "-MAKEFLAGS", "OPT_GLOBAL=", // as CFLAGS say
		"-MAKEFLAGS", "OPT_SLOW=-O0", // what runs once, when a model is made
		"--top-module", b.Top, "--prefix", "V" + b.Top,
	}
	if b.Careful {
		args = append(args, "--assert", "--x-assign", "unique", "--x-initial", "unique")
	} else {
		args = append(args, "--x-assign", "fast", "--x-initial", "fast")
	}
	if b.Trace {
		args = append(args, "--trace-fst", "--trace-structs")
	}
	return append(args, parameters(b.Params)...)
}

func parameters(params map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		args = append(args, "-G"+name+"="+params[name])
	}
	return args
}

// Lint checks a module and all below it with every warning that Verilator has,
// and looks at nothing but the files given.
func Lint(ctx context.Context, top string, params map[string]string, sources ...string) error {
	t, err := findTools(ctx)
	if err != nil {
		return err
	}
	args := append([]string{"--lint-only", "-Wall", "--no-timing", "--top-module", top}, parameters(params)...)
	if err := t.verilator(ctx, "", append(args, sources...)); err != nil {
		return fmt.Errorf("lint %s: %w", top, err)
	}
	return nil
}

// tools are what was found.
type tools struct {
	path     string // of Verilator
	versions string
}

var (
	toolsLock  sync.Mutex
	knownTools *tools
)

// findTools looks for the tools once.
func findTools(ctx context.Context) (tools, error) {
	toolsLock.Lock()
	defer toolsLock.Unlock()
	if knownTools != nil {
		return *knownTools, nil
	}
	var t tools
	for _, tool := range []struct{ name, pkg string }{{"verilator", "verilator"}, {"g++", "g++"}, {"make", "make"}} {
		path, err := exec.LookPath(tool.name)
		if err != nil {
			return tools{}, fmt.Errorf("%w: %s; install it (Debian: apt-get install %s)", ErrTools, tool.name, tool.pkg)
		}
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			return tools{}, fmt.Errorf("ask %s for its version: %w", path, err)
		}
		line, _, _ := bytes.Cut(out, []byte("\n"))
		t.versions += string(line) + "\n"
		if tool.name == "verilator" {
			t.path = path
		}
	}
	knownTools = &t
	return t, nil
}

// Available says whether the tools are there: nil, or an error that matches
// ErrTools and says what to install.
func Available(ctx context.Context) error {
	_, err := findTools(ctx)
	return err
}

// verilator runs Verilator. When the context ends, all that it has started
// ends, too.
func (t tools) verilator(ctx context.Context, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	group(cmd)
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w\n%s", err, shortened(text.Bytes()))
	}
	return nil
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

// Cache is a directory of what can be made again, named by what it holds.
func Cache(name string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(base, "cclforge", name), nil
}

// keep is how long what nobody uses stays in the cache.
const keep = 14 * 24 * time.Hour

// used tells whether a file of the cache is there, and notes that it is used.
func used(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// prune removes what has not been used for long. It is no mistake if it cannot.
func prune(root, except string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(root, e.Name(), libraryName))
		if err == nil && e.Name() != except && time.Since(info.ModTime()) > keep {
			os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
}

// Writer makes a Progress that writes lines.
func Writer(w io.Writer) func(string) {
	var lock sync.Mutex
	return func(message string) {
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintln(w, message)
	}
}
