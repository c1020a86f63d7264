package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/workspace"
)

// Load starts n ranks of a platform by its name. It looks for the platform in
// the current directory, or the module around it, and among the shipped ones.
// Vars are values of its variables as one HCL object, or empty; variables of
// the environment have no effect. Mistakes in descriptions are a
// *workspace.Problems. These, and the error of a platform that does not exist, match
// lang.ErrInvalid.
func Load(ctx context.Context, platform, vars string, n int, o Options) (*World, error) {
	d, err := Design(platform, vars)
	if err != nil {
		return nil, err
	}
	return New(ctx, d, n, o)
}

// Platform is what the driver knows of a platform that Load would start: the
// Platform of its generated package.
func Platform(name, vars string) (*accl.Platform, error) {
	d, err := Design(name, vars)
	if err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	return &p, nil
}

// Devices are how their hosts reach the engines, in the order of the ranks.
func (w *World) Devices() []accl.Device {
	out := make([]accl.Device, w.Size())
	for i := range out {
		out[i] = w.Device(i)
	}
	return out
}

// Design elaborates a platform that Load would start.
func Design(platform, vars string) (*design.Design, error) {
	d, err := elaborate(platform, vars)
	if err != nil {
		return nil, fmt.Errorf("load the platform %s: %w", platform, err)
	}
	return d, nil
}

func elaborate(name, vars string) (*design.Design, error) {
	root, err := root(".")
	if err != nil {
		return nil, err
	}
	w, err := workspace.Open(root, func(string, ...any) {}) // who runs a platform has seen its warnings
	if err != nil {
		return nil, err
	}
	lib, err := w.Library()
	if err != nil {
		return nil, err
	}
	if err := workspace.Find(name, lib.PlatformNames()); err != nil {
		return nil, err
	}
	in, err := w.Inputs("vars", vars, name)
	if err != nil {
		return nil, err
	}
	in.LookupEnv = func(string) (string, bool) { return "", false }
	d, diags := design.Load(lib, name, in)
	if err := w.Check(diags); err != nil {
		return nil, err
	}
	return d, nil
}

// root is the directory whose platforms are meant: the given one if it has
// any, otherwise the root of the module around it.
func root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if has(dir, platform.Root) {
		return dir, nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if has(at, "go.mod") {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return dir, nil
		}
	}
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}
