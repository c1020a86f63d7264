package verilate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

const (
	// runtimeFolder holds object files of Verilator's own C++, in its directory of the cache.
	runtimeFolder = "objects"
	// runtimeModule is a module to whose makefile they belong.
	runtimeModule = "verilated_runtime"
)

// runtimeOptimize is how Verilator's own C++ is optimized for all models: little of it runs in a cycle.
const runtimeOptimize = "-O1"

// runtime is the directory with object files of Verilator's own C++. It is the same for most
// models, and takes longer to compile than a small model does.
func (b Build) runtime(ctx context.Context, t compilers) (string, error) {
	own := Build{Top: runtimeModule, CFlags: b.CFlags, Trace: b.Trace, Optimize: runtimeOptimize}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s%q", t.versions, own.flags()))
	root, err := tools.Dir("verilator")
	if err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(sum[:]), File: runtimeFolder, What: "what all simulations need"}
	dir, err := e.Get(ctx, func(dir string) error { return own.runtimeInto(ctx, t, filepath.Join(dir, runtimeFolder)) })
	if err != nil {
		return "", fmt.Errorf("compile the C++ of Verilator: %w", err)
	}
	return dir, nil
}

// runtimeInto compiles what models may need.
func (b Build) runtimeInto(ctx context.Context, t compilers, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	source := filepath.Join(dir, runtimeModule+".sv")
	if err := os.WriteFile(source, []byte("module "+runtimeModule+";\nendmodule\n"), 0o666); err != nil {
		return err
	}
	flags := slices.DeleteFunc(b.flags(), func(flag string) bool { return flag == "--exe" || flag == "--build" })
	if err := t.run(ctx, dir, append(flags, "--Mdir", dir, source)); err != nil {
		return err
	}
	objects := []string{"verilated.o", "verilated_dpi.o", "verilated_threads.o"}
	if b.Trace {
		objects = append(objects, "verilated_fst_c.o")
	}
	text, err := t.maker.Run(ctx, dir, append([]string{"-f", "V" + runtimeModule + ".mk", "OPT_FAST=", "OPT_GLOBAL="},
		objects...)...)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// takeRuntime links the object files into the directory of a build, and returns the options
// of Verilator that have make take them as they are.
func takeRuntime(from, to string) (options []string, err error) {
	files, err := filepath.Glob(filepath.Join(from, "*.o"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if err := os.Link(file, filepath.Join(to, name)); err != nil {
			return nil, err
		}
		options = append(options, "-MAKEFLAGS", "--old-file="+name)
	}
	return options, nil
}
