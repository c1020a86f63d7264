package verilate

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// runtimeModule is a module to whose makefile Verilator's own C++ belongs.
const runtimeModule = "verilated_runtime"

// runtimeOptimize is how Verilator's own C++ is optimized for all models: little of it runs in a cycle.
const runtimeOptimize = "-O1"

// modelFiles are C++ that all models have, or those that count coverage.
//
//go:embed model
var modelFiles embed.FS

// placeModel puts them into a directory.
func placeModel() (dir string, err error) {
	files, err := tools.Files(modelFiles, "model")
	if err != nil {
		return "", err
	}
	return tools.Place("rtl", files)
}

// completed has what all models have.
func (b Build) completed() (Build, error) {
	dir, err := placeModel()
	if err != nil {
		return b, err
	}
	b.first, b.around = []string{filepath.Join(dir, "print.h")}, []string{filepath.Join(dir, "stop.cpp")}
	if b.counting, err = Coverage(); b.counting.Source != "" {
		b.first, b.around = append(b.first, b.counting.First), append(b.around, b.counting.Source)
	}
	return b, err
}

// runtime are directories with object files that know nothing of the model: of Verilator's own C++, which is the same
// for most models and takes longer to compile than a small model does, and of what else is apart from it, also from
// whether it writes waveforms.
func (b Build) runtime(ctx context.Context, t compilers) (dirs []string, err error) {
	own := b
	own.Apart = nil
	objects, err := own.once(ctx, t, "objects", runtimeOptimize, Build.objectsInto)
	if err != nil || b.Apart == nil {
		return []string{objects}, err
	}
	b.Trace = false
	apart, err := b.once(ctx, t, "objects", runtimeOptimize, Build.objectsInto)
	return []string{objects, apart}, err
}

// headers is the directory with what models begin with, compiled as theirs are: as fast.h, and
// as slow.h what is not optimized.
func (b Build) headers(ctx context.Context, t compilers) (string, error) {
	b.Apart = nil
	return b.once(ctx, t, "headers", "", Build.headersInto)
}

// once makes a folder in the cache, by the build of a module with nothing in it, whose makefile is like that of others.
func (b Build) once(ctx context.Context, t compilers, folder, optimize string,
	into func(own Build, ctx context.Context, t compilers, dir, key string) error) (string, error) {
	own := Build{Top: runtimeModule, Apart: b.Apart, Trace: b.Trace, optimize: optimize, first: b.first, around: b.around}
	if own.counting = b.counting; own.counting.Source != "" {
		own.counting.Verilator = []string{"--coverage-line"} // toggles make no difference
	}
	root, err := tools.Dir("verilator")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, folder)
	if err := errors.Join(own.hashHow(h, t), hashWithHeaders(h, own.Apart)); err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil)), File: folder, What: "what all simulations need"}
	dir, err := e.Get(ctx, func(dir string) error {
		dir = filepath.Join(dir, folder)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		return into(own, ctx, t, dir, e.Key)
	})
	if err != nil {
		return "", fmt.Errorf("compile Verilator's %s: %w", folder, err)
	}
	return dir, nil
}

// makefile makes that of the module, with more options or files in C++.
func (b Build) makefile(ctx context.Context, t compilers, dir string, more ...string) error {
	source := filepath.Join(dir, runtimeModule+".sv")
	if err := os.WriteFile(source, []byte("module "+runtimeModule+";\nendmodule\n"), 0o666); err != nil {
		return err
	}
	flags := slices.DeleteFunc(b.flags(), func(flag string) bool { return flag == "--exe" || flag == "--build" })
	return t.run(ctx, dir, slices.Concat(flags, []string{"--Mdir", dir, source}, more))
}

// objectsInto compiles what is apart from models, or else what models may need.
func (b Build) objectsInto(ctx context.Context, t compilers, dir, _ string) error {
	sources, objects := b.Apart, []string{"OPT_FAST=", "OPT_GLOBAL="}
	if sources == nil {
		sources = b.around
		objects = append(objects, "verilated.o", "verilated_dpi.o", "verilated_threads.o")
		if b.Trace {
			objects = append(objects, "verilated_fst_c.o")
		}
		if b.counting.Source != "" {
			objects = append(objects, "verilated_cov.o")
		}
	}
	more := slices.Clone(sources)
	for _, header := range b.first {
		more = append(more, "-CFLAGS", "-include "+header)
	}
	for _, source := range sources {
		objects = append(objects, strings.TrimSuffix(filepath.Base(source), ".cpp")+".o")
	}
	if err := b.makefile(ctx, t, dir, more...); err != nil {
		return err
	}
	return t.make(ctx, dir, objects...)
}

// headersInto compiles headers, of which the key says what they are made of.
func (b Build) headersInto(ctx context.Context, t compilers, dir, key string) error {
	text := ""
	for _, header := range append(slices.Clip(b.first), "verilated.h", "verilated_dpi.h") {
		text += fmt.Sprintf("#include %q\n", header)
	}
	options := map[string]string{"fast": "", "slow": slow}
	var sources []string // a makefile has rules for sources alone
	for name := range options {
		source := filepath.Join(dir, name+".cpp")
		if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
			return err
		}
		sources = append(sources, source)
	}
	if err := b.makefile(ctx, t, dir, sources...); err != nil {
		return err
	}
	for name, option := range options {
		if err := t.make(ctx, dir, name+".o", "OPT_FAST=-x c++-header "+option); err != nil {
			return err
		}
		file := filepath.Join(dir, name)
		if err := errors.Join(os.Rename(file+".cpp", file+".h"), os.Rename(file+".o", file+".h.gch"),
			os.WriteFile(file+".h.gch.sum", []byte(key), 0o666)); err != nil { // ccache reads it in place of tens of MB
			return err
		}
	}
	return nil
}

// make runs the makefile of the module.
func (t compilers) make(ctx context.Context, dir string, args ...string) error {
	text, err := t.maker.Run(ctx, dir, append([]string{"-f", "V" + runtimeModule + ".mk"}, args...)...)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// take links object files into the directory of a build, and returns the options of Verilator that have make take them
// as they are.
func take(from []string, to string) (options []string, err error) {
	for _, dir := range from {
		files, err := filepath.Glob(filepath.Join(dir, "*.o"))
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
	}
	return options, nil
}
