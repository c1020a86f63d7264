package hls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

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
)

var (
	// always: kernels look at the bits of numbers through pointers of other types, as
	// the vendor's tool lets them, and g++ 12 fails in a pass (SRA) on some of them.
	always = []string{"-std=c++17", "-O2", "-fno-strict-aliasing", "-fno-tree-sra"}
	// shared makes libraries that know nothing of each other: without unique
	// symbols every copy has its own static variables, in templates, too.
	shared = []string{"-shared", "-fPIC", "-fno-gnu-unique", "-fvisibility=hidden", "-Wl,-Bsymbolic"}
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
func (s *Sources) make(ctx context.Context, what, name string, flags []string, own ...string) (path string, err error) {
	gxx, err := findCompiler(ctx)
	if err != nil {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	dir, err := tools.Place(folder, s.Files)
	if err != nil {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	args := append(append([]string{}, always...), flags...)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n%q\n%s\n", gxx.Version, args, own, filepath.Base(dir))
	for _, d := range []string{folder, standIn, folder + "/" + s.Kernel} {
		args = append(args, "-I"+filepath.Join(dir, filepath.FromSlash(d)))
	}
	for _, suffix := range own {
		args = append(args, filepath.Join(dir, filepath.FromSlash(s.own(suffix))))
	}
	args = append(args, s.runtime(dir)...)
	root, err := tools.Dir("kernels")
	if err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil)), File: name, What: what + s.Kernel}
	path, err = e.Get(ctx, func(work string) error {
		said, err := gxx.Run(ctx, dir, append(args, "-o", filepath.Join(work, name))...)
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return &CompileError{s.Kernel, strings.ReplaceAll(string(said), dir+string(filepath.Separator), "")}
		}
		return err
	})
	if failed := (*CompileError)(nil); err != nil && !errors.As(err, &failed) {
		return "", fmt.Errorf("compile the kernel %s: %w", s.Kernel, err)
	}
	return path, err
}
