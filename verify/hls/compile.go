package hls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// ErrTools says that there is no compiler.
var ErrTools = errors.New("a tool for kernels in C++ is missing")

// CompileError is what the compiler says of a kernel.
type CompileError struct {
	Kernel string
	Text   string // paths are those of an output directory, or of the user's files
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("compile the kernel %s:\n%s", e.Kernel, e.Text)
}

const (
	compiler    = "g++"
	libraryName = "libkernel.so"
	runtimeName = "component" // of the stand-in's header and C++
)

var (
	// always: kernels look at the bits of numbers through pointers of other types, as
	// the vendor's tool lets them, and g++ 12 fails in a pass (SRA) on some of them. Libraries
	// know nothing of each other: without unique symbols every copy has its own static
	// variables, in templates, too.
	always = []string{"-std=c++17", "-O2", "-fno-strict-aliasing", "-fno-tree-sra", "-fPIC", "-fno-gnu-unique",
		"-fvisibility=hidden"}
	shared = []string{"-shared", "-Wl,-Bsymbolic"}
)

// Available says whether there is a compiler: nil, or an error that matches ErrTools
// and says what to install.
func Available(ctx context.Context) error {
	_, err := findCompiler(ctx)
	return err
}

func findCompiler(ctx context.Context) (tools.Tool, error) {
	t, err := tools.Find(ctx, compiler)
	if missing := (*tools.MissingError)(nil); errors.As(err, &missing) {
		return t, fmt.Errorf("%w: %w", ErrTools, err)
	}
	return t, err
}

// Library is the path of a library of the kernel, which is built if the cache does
// not have it. Errors are those of the function Library.
func (s *Sources) Library(ctx context.Context) (path string, err error) {
	return s.make(ctx, "the kernel ", libraryName, shared, "_component.cpp")
}

// make compiles files of the kernel's own, by the ends of their names, and what runs
// them, into a file with a name. What is said of it begins like "the kernel ".
func (s *Sources) make(ctx context.Context, what, name string, link []string, own ...string) (path string, err error) {
	gxx, err := findCompiler(ctx)
	if err != nil {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	dir, err := tools.Place(folder, s.Files)
	if err != nil {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	common, err := s.common(ctx, gxx, dir)
	if err != nil {
		return "", fmt.Errorf("compile what all kernels have: %w", err)
	}
	args := slices.Concat(always, link, common)
	for _, d := range []string{folder, standIn, folder + "/" + s.Kernel} {
		args = append(args, "-I"+filepath.FromSlash(d))
	}
	for _, suffix := range own {
		args = append(args, filepath.FromSlash(s.own(suffix)))
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n%s\n", gxx.Version, args, filepath.Base(dir))
	root, err := tools.Dir("kernels")
	if err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil)), File: name, What: what + s.Kernel}
	path, err = e.Get(ctx, func(work string) error {
		said, err := gxx.Run(ctx, dir, append(args, "-o", filepath.Join(work, name))...)
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return &CompileError{s.Kernel, string(said)}
		}
		return err
	})
	if failed := (*CompileError)(nil); err != nil && !errors.As(err, &failed) {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	return path, err
}

// common compiles what kernels have in common, the header that they begin with and what runs them, once: it takes
// longer than a small kernel. It returns the arguments by which a kernel takes it.
func (s *Sources) common(ctx context.Context, gxx tools.Tool, dir string) (args []string, err error) {
	source := path.Join(standIn, runtimeName)
	if s.Files[source+".cpp"] == nil {
		return nil, nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n", gxx.Version, always)
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if path.Dir(name) == standIn {
			fmt.Fprintf(h, "%s %d\n%s", name, len(s.Files[name]), s.Files[name])
		}
	}
	root, err := tools.Dir("kernels")
	if err != nil {
		return nil, err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil)), File: "common", What: "what all kernels have"}
	at, err := e.Get(ctx, func(work string) error {
		to := filepath.Join(work, e.File, runtimeName)
		if err := os.Mkdir(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		for _, args := range [][]string{{"-x", "c++-header", source + ".hpp", "-o", to + ".hpp.gch"},
			{"-c", source + ".cpp", "-o", to + ".o"}} {
			if said, err := gxx.Run(ctx, dir, append(slices.Clone(always), args...)...); err != nil {
				return fmt.Errorf("%w\n%s", err, said)
			}
		}
		return nil
	})
	return []string{"-I" + at, filepath.Join(at, runtimeName+".o")}, err
}
