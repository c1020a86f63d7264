package block

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/verify/internal/tools"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const libraryName = "libblocks.so"

var (
	careful = []string{"--no-timing", "-Wno-SYMRSVDWORD", "-O3", "--assert", "--x-assign", "unique",
		"--x-initial", "unique"}
	cflags = []string{"-Og", "-fPIC", "-fvisibility=hidden", "-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVL_USER_FINISH",
		"-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"}
)

// builder builds libraries.
type builder struct {
	verilator, compiler tools.Tool
	include             string
	counting            verilate.Counting
}

func newBuilder(ctx context.Context) (b builder, err error) {
	if err := verilate.Available(ctx); err != nil {
		return b, err
	}
	if b.verilator, err = tools.Find(ctx, "verilator"); err != nil {
		return b, err
	}
	if b.compiler, err = tools.Find(ctx, "g++"); err != nil {
		return b, err
	}
	root, err := b.verilator.Run(ctx, "", "--getenv", "VERILATOR_ROOT")
	if err != nil {
		return b, fmt.Errorf("ask where Verilator's runtime is: %w", err)
	}
	b.include = filepath.Join(strings.TrimSpace(string(root)), "include")
	b.counting, err = verilate.Coverage()
	return b, err
}

// entry is a file of the cache that is made of what.
func (b builder) entry(name string, what ...string) (tools.Entry, error) {
	root, err := tools.Dir("blocks")
	if err != nil {
		return tools.Entry{}, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q%q%q%q%q", b.verilator.Version, b.compiler.Version, careful, cflags, around, shared,
		b.counting)
	for _, w := range what {
		fmt.Fprintf(h, "%d %s\n", len(w), w)
	}
	return tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil)), File: name}, nil
}

// compile compiles a C++ file of a directory.
func (b builder) compile(ctx context.Context, dir, name string) error {
	args := slices.Concat(cflags,
		[]string{"-I.", "-I" + b.include, "-I" + filepath.Join(b.include, "vltstd"), "-c", name + ".cpp", "-o", name + ".o"})
	if b.counting.First != "" {
		args = append(args, "-include", b.counting.First)
	}
	return said(b.compiler.Run(ctx, dir, args...))
}

func said(text []byte, err error) error {
	if err != nil && len(text) > 0 {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return err
}

// runtime is the object with what all modules share.
func (b builder) runtime(ctx context.Context) (string, error) {
	e, err := b.entry("runtime.o", "runtime")
	if err != nil {
		return "", err
	}
	return e.Get(ctx, func(dir string) error {
		text := shared
		if b.counting.Source != "" {
			text += fmt.Sprintf("#include \"verilated_cov.cpp\"\n#include %q\n", b.counting.Source)
		}
		if err := os.WriteFile(filepath.Join(dir, "runtime.cpp"), []byte(text), 0o644); err != nil {
			return err
		}
		return b.compile(ctx, dir, "runtime")
	})
}

// unit is a module with all its sources.
type unit struct {
	name   string // of the C functions
	module Module
	files  []file
}

func (u unit) key() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s %q\n", u.name, u.module.Name, u.module.parameters())
	for _, f := range u.files {
		fmt.Fprintf(&text, "%s %d\n%s", f.name, len(f.text), f.text)
	}
	return text.String()
}

// library is the path of the library with all units. One that is not to be kept
// is built in a directory.
func (b builder) library(ctx context.Context, units []unit, dir string) (string, error) {
	object, err := b.runtime(ctx)
	if err != nil {
		return "", fmt.Errorf("build Verilator's runtime: %w", err)
	}
	if dir != "" {
		return filepath.Join(dir, libraryName), b.into(ctx, dir, object, units)
	}
	keys := []string{"units"}
	for _, u := range units {
		keys = append(keys, u.key())
		for _, f := range u.files {
			if at := b.source(f); filepath.IsAbs(at) {
				keys = append(keys, at)
			}
		}
	}
	e, err := b.entry(libraryName, keys...)
	if err != nil {
		return "", err
	}
	return e.Get(ctx, func(dir string) error { return b.into(ctx, dir, object, units) })
}

// into builds the library in a directory: as many C++ files as there are
// processors, since most of the work on a small one is that on headers.
func (b builder) into(ctx context.Context, dir, object string, units []unit) error {
	parts := min(runtime.NumCPU(), max(1, len(units)/4))
	errs := make([]error, parts)
	args := append([]string{"-shared", "-Wl,-Bsymbolic", "-o", libraryName, object}, b.counting.Linker...)
	var wait sync.WaitGroup
	for p := range parts {
		name := fmt.Sprintf("part%d", p)
		args = append(args, name+".o")
		wait.Go(func() {
			text := around
			for i := p; i < len(units); i += parts {
				module, err := b.verilate(ctx, dir, units[i])
				if err != nil {
					errs[p] = fmt.Errorf("%s%s: %w", verilate.NotBuilt, units[i].module.Name, err)
					return
				}
				text += module
			}
			if errs[p] = os.WriteFile(filepath.Join(dir, name+".cpp"), []byte(text), 0o644); errs[p] == nil {
				errs[p] = b.compile(ctx, dir, name)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return said(b.compiler.Run(ctx, dir, args...))
}

// verilate makes a unit's C++.
func (b builder) verilate(ctx context.Context, dir string, u unit) (string, error) {
	sub := filepath.Join(dir, u.name)
	if err := os.Mkdir(sub, 0o755); err != nil {
		return "", err
	}
	args := append(u.module.parameters(), "--top-module", u.module.Name, "--Mdir", ".")
	for _, f := range u.files {
		if err := os.WriteFile(filepath.Join(sub, f.name+".sv"), []byte(f.text), 0o644); err != nil {
			return "", err
		}
		args = append(args, b.source(f))
	}
	if err := said(b.verilator.Run(ctx, sub, append([]string{"--xml-only", "--no-timing", "-Wno-SYMRSVDWORD",
		"--xml-output", "ports.xml"}, args...)...)); err != nil {
		return "", err
	}
	if err := said(b.verilator.Run(ctx, sub, slices.Concat([]string{"--cc", "--prefix", "V" + u.name}, careful,
		b.counting.Verilator, args)...)); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(sub, "ports.xml"))
	if err != nil {
		return "", err
	}
	d, err := describe(text, u.module.Name)
	if err != nil {
		return "", err
	}
	made, err := filepath.Glob(filepath.Join(sub, "V"+u.name+"*.cpp"))
	if err != nil {
		return "", err
	}
	for i, m := range made {
		made[i] = filepath.Join(u.name, filepath.Base(m))
	}
	shell := d.shell(u.name)
	for _, m := range slices.Backward(made) {
		shell = fmt.Sprintf("#include %q\n", m) + shell
	}
	return shell, nil
}

// source is what Verilator is told to read of a file. What is counted says where it
// stands, which must be a place that stays.
func (b builder) source(f file) string {
	if b.counting.Source != "" && f.path != "" {
		return f.path
	}
	return f.name + ".sv"
}

func (m Module) parameters() []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(m.Params)) {
		args = append(args, "-G"+name+"="+m.Params[name])
	}
	return args
}
