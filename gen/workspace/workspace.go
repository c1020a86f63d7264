// Package workspace is the generator as its users see it: the platforms of a
// directory and the shipped ones, chosen by name, checked together and written
// out.
//
// Nothing is written unless everything that was asked for is valid.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// Workspace is a library of platforms and the directory it belongs to.
type Workspace struct {
	// Log reports what a user should know while waiting.
	Log func(format string, args ...any)
	// Warned, if not nil, is given warnings in place of Log.
	Warned func(*Problems)

	dir     string
	parser  *lang.Parser
	files   func() *platform.Library // read, perhaps not parsed
	library func() *platform.Library
	sums    sums
}

// Open makes a workspace of a directory: its own platforms, if it has any,
// before the shipped ones. Log must not be nil.
func Open(dir string, log func(format string, args ...any)) (*Workspace, error) {
	layers := []fs.FS{platforms.FS}
	own := filepath.Join(dir, platform.Root)
	info, err := os.Stat(own)
	switch {
	case err == nil && info.IsDir():
		layers = append([]fs.FS{os.DirFS(own)}, layers...)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("look for own platforms: %w", err)
	}
	return New(dir, log, layers...), nil
}

// New makes a workspace whose library has layers; a file of an earlier layer
// hides one of a later layer. Relative output directories stand in dir.
func New(dir string, log func(format string, args ...any), layers ...fs.FS) *Workspace {
	w := &Workspace{Log: log, dir: dir, parser: lang.NewParser()}
	w.files = sync.OnceValue(func() *platform.Library { return platform.ReadLibrary(w.parser, layers...) })
	w.library = sync.OnceValue(func() *platform.Library {
		w.files().Parse() // platforms report the errors that are theirs
		return w.files()
	})
	return w
}

// Library is what the platforms are made of. It is read on first use. It is an
// error if something is wrong with what all platforms use.
func (w *Workspace) Library() (*platform.Library, error) {
	lib := w.library()
	return lib, w.Check(lib.Problems())
}

// Validate loads and elaborates the selected platforms and reports the errors
// of all of them together. It also renders them, because names can collide in
// the languages they are written in.
func (w *Workspace) Validate(ctx context.Context, s Selection) ([]*design.Design, error) {
	rendered, err := w.render(ctx, s, emit.Platform)
	designs := make([]*design.Design, len(rendered))
	for i, r := range rendered {
		designs[i] = r.Design
	}
	return designs, err
}

// Rendered is a platform with files.
type Rendered struct {
	Design *design.Design
	Files  []emit.File
}

// Render validates the selected platforms, and renders what their builds read. It
// writes nothing.
func (w *Workspace) Render(ctx context.Context, s Selection) ([]Rendered, error) {
	return w.render(ctx, s, emit.ForTools)
}

func (w *Workspace) render(ctx context.Context, s Selection, files func(*design.Design) ([]emit.File, error)) (
	[]Rendered, error) {
	names, in, err := w.resolve(s)
	if err != nil {
		return nil, err
	}
	lib := w.library()
	designs, diags, err := gather(ctx, names, func(name string) (*design.Design, hcl.Diagnostics) {
		return design.Load(lib, name, in)
	})
	if err == nil {
		err = w.Check(append(diags, lib.LeftOut(names, diags)...))
	}
	if err != nil {
		return nil, err
	}
	rendered := make([]Rendered, len(designs))
	wrong := make([]hcl.Diagnostics, len(designs)) // with outputs of users
	err = parallel(ctx, len(designs), func(i int) (err error) {
		d, diagnosed := designs[i], (*lang.DiagnosticsError)(nil)
		rendered[i].Design = d
		if rendered[i].Files, err = files(d); errors.As(err, &diagnosed) {
			wrong[i] = diagnosed.Diags
		} else if err != nil {
			return fmt.Errorf("render %s: %w", d.Platform.Name, err)
		}
		return nil
	})
	return rendered, errors.Join(err, w.Check(slices.Concat(wrong...)))
}

// gather does one step for each item, on all processors, and collects the
// diagnostics in the items' order.
func gather[In, Out any](
	ctx context.Context, items []In, do func(In) (Out, hcl.Diagnostics),
) ([]Out, hcl.Diagnostics, error) {
	out := make([]Out, len(items))
	found := make([]hcl.Diagnostics, len(items))
	err := parallel(ctx, len(items), func(i int) error {
		out[i], found[i] = do(items[i])
		return nil
	})
	return out, slices.Concat(found...), err
}

// parallel calls do for 0 to n-1 on all processors, until one fails or the
// context is done.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	group, stopped := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if err := stopped.Err(); err != nil {
				return err
			}
			return do(i)
		})
	}
	return group.Wait()
}
