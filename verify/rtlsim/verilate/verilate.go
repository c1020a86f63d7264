// Package verilate builds SystemVerilog into shared libraries with Verilator,
// each once: what was built is kept by the hash of everything it came from.
package verilate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/ebitengine/purego"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// Build says what to build. Files are absolute paths.
type Build struct {
	Top     string            // module
	Sources []string          // SystemVerilog, packages first
	Shell   []string          // C++ around the model; headers beside them belong to it
	Apart   []string          // C++ that does not know the model, so that it is compiled once for several
	Params  map[string]string // parameters of the top module
	Defines []string          // macros of the shell, which nothing else sees: NAME or NAME=value
	// Careful checks assertions and the promises of all streams, and gives every register
	// without a reset a random value; otherwise the model is built for speed.
	Careful bool
	Trace   bool // can write FST

	optimize string   // options of g++; empty for speed
	first    []string // headers that all C++ begins with
	around   []string // C++ that all models have
	counting Counting // without a source if nothing is counted
}

// ErrTools says that a tool is missing.
var ErrTools = errors.New("a tool for simulating the hardware is missing")

// ccache keeps object files, where it is installed. Compiled headers differ each time that they are made, so it looks
// at what they are made of.
const ccache = "env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ccache"

// libraryName is what was built, in its directory of the cache.
const libraryName = "libsim.so"

// forSpeed optimizes what runs in every cycle and does not fit into the caches:
// less code is quicker than -O2, and words of wide registers are copied several at a
// time. Passes that take long and find little are off.
const forSpeed = "-Os -ftree-slp-vectorize -fvect-cost-model=dynamic -fno-code-hoisting -fno-gcse " +
	"--param=sccvn-max-alias-queries-per-access=30"

// slow is how what runs once, when a model is made, is optimized.
const slow = "-O0"

// NotBuilt begins errors of sources that cannot be built.
const NotBuilt = "build the simulation of "

// Bind sets functions to those of the library: pointers to them by what their names in C have behind a prefix. Errors
// are those of Library.
func (b Build) Bind(ctx context.Context, prefix string, functions map[string]any) error {
	path, err := b.Library(ctx)
	if err != nil {
		return err
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("load the simulation of %s: %w", b.Top, err)
	}
	for name, f := range functions {
		purego.RegisterLibFunc(f, lib, prefix+name)
	}
	return nil
}

// Library is the path of the shared library. It is built if the cache does not
// have it; that it takes long is told to the listener of package report. Errors match
// ErrTools if Verilator or the C++ compiler is missing.
func (b Build) Library(ctx context.Context) (path string, err error) {
	t, err := findTools(ctx)
	if err != nil {
		return "", err
	}
	if b.Careful {
		if b.Sources, err = b.checked(); err != nil {
			return "", fmt.Errorf("check the streams of %s: %w", b.Top, err)
		}
	}
	if b, err = b.completed(); err != nil {
		return "", err
	}
	key, err := b.key(t)
	if err != nil {
		return "", fmt.Errorf("simulate %s: %w", b.Top, err)
	}
	root, err := tools.Dir("verilated")
	if err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: key, File: libraryName, What: "the simulation of " + b.Top}
	path, err = e.Get(ctx, func(dir string) error { return b.into(ctx, t, dir) })
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", NotBuilt, b.Top, err)
	}
	return path, nil
}

// into builds the library in a directory.
func (b Build) into(ctx context.Context, t compilers, dir string) error {
	objects, err := b.runtime(ctx, t)
	if err != nil {
		return err
	}
	options, err := take(objects, dir)
	if err != nil {
		return err
	}
	headers, err := b.headers(ctx, t)
	if err != nil {
		return err
	}
	begin := "-fpch-preprocess -include " + headers
	args := slices.Concat(b.flags(), []string{"--Mdir", dir, "-o", libraryName}, options, []string{
		"-MAKEFLAGS", fmt.Sprintf("'OPT_FAST=%s/fast.h'", begin),
		"-MAKEFLAGS", fmt.Sprintf("'OPT_SLOW=%s %s/slow.h'", slow, begin),
	})
	if _, err := exec.LookPath("ccache"); err == nil {
		args = append(args, "-MAKEFLAGS", "'OBJCACHE="+ccache+"'") // most files stay when a module changes
	}
	return t.run(ctx, dir, slices.Concat(args, b.Sources, b.Shell, b.Apart, b.around))
}

// flags are what makes the library, apart from its files and places.
func (b Build) flags() []string {
	optimize := b.optimize
	if optimize == "" {
		optimize = forSpeed
	}
	cflags := []string{"-std=c++17 -fPIC -fvisibility=hidden -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL", optimize}
	for _, d := range b.Defines {
		cflags = append(cflags, "-D"+d)
	}
	args := []string{
		"--cc", "--exe", "--build", "-j", fmt.Sprint(runtime.NumCPU()), "--no-timing", "-O3",
		"-CFLAGS", strings.Join(cflags, " "),
		"-LDFLAGS", "-shared -Wl,-Bsymbolic",
		"-MAKEFLAGS", "OPT_FAST=", "-MAKEFLAGS", "OPT_GLOBAL=", // as CFLAGS say
		"-MAKEFLAGS", "OPT_SLOW=" + slow,
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
	if b.counting.Source != "" {
		args = append(append(args, b.counting.Verilator...), "-LDFLAGS", strings.Join(b.counting.Linker, " "))
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
	if err := t.run(ctx, "", append(args, sources...)); err != nil {
		return fmt.Errorf("lint %s: %w", top, err)
	}
	return nil
}

// compilers are what was found.
type compilers struct {
	verilator, maker tools.Tool
	versions         string
}

// findTools looks for the tools.
func findTools(ctx context.Context) (found compilers, err error) {
	for _, name := range []string{"verilator", "g++", "make"} {
		t, err := tools.Find(ctx, name)
		if missing := (*tools.MissingError)(nil); errors.As(err, &missing) {
			return compilers{}, fmt.Errorf("%w: %w", ErrTools, err)
		}
		if err != nil {
			return compilers{}, err
		}
		found.versions += t.Version + "\n"
		switch name {
		case "verilator":
			found.verilator = t
		case "make":
			found.maker = t
		}
	}
	return found, nil
}

// Available says whether the tools are there: nil, or an error that matches
// ErrTools and says what to install.
func Available(ctx context.Context) error {
	_, err := findTools(ctx)
	return err
}

// run runs Verilator.
func (t compilers) run(ctx context.Context, dir string, args []string) error {
	said, err := t.verilator.Run(ctx, dir, args...)
	if err != nil && len(said) > 0 {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return err
}
