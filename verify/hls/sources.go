// Package hls runs kernels in C++ as components of a simulation, without any tools
// of the vendor's: what is emitted for a kernel is compiled with g++ into a library,
// once, and the library is opened as often as there are instances of the kernel.
package hls

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
)

// ErrKernel says that a platform has no such kernel in C++.
var ErrKernel = errors.New("no kernel in C++")

const (
	folder  = "hls"           // of an output directory
	standIn = folder + "/sim" // the vendor's headers, and what runs components
)

// Sources are the files of one kernel.
type Sources struct {
	Kernel string
	// Files are those of an output directory, by their paths there, and those of
	// the user's that they are copies of: compilers show lines of these.
	Files map[string][]byte
}

// Of renders the files of a kernel of a design. The error matches ErrKernel if the
// design has no such kernel in C++.
func Of(d *design.Design, kernel string) (*Sources, error) {
	kernels := d.Kernels()
	at := slices.IndexFunc(kernels, func(k *design.Kernel) bool { return k.ID == kernel && k.InCpp() })
	if at < 0 {
		return nil, fmt.Errorf("%w: %s of %s", ErrKernel, kernel, d.Platform.Name)
	}
	rendered, err := emit.HLS(d)
	if err != nil {
		return nil, fmt.Errorf("render the kernel %s of %s: %w", kernel, d.Platform.Name, err)
	}
	s := &Sources{Kernel: kernel, Files: map[string][]byte{}}
	for _, f := range kernels[at].HLS.Files {
		if filepath.IsLocal(f.Path) {
			s.Files[f.Path] = f.Text
		}
	}
	for _, f := range rendered {
		switch path.Dir(f.Path) {
		case folder, standIn, path.Join(folder, kernel):
			s.Files[f.Path] = f.Content
		}
	}
	return s, nil
}

// Library is the path of a library that holds a kernel of a design. It is built if
// the cache does not have it. Errors match ErrKernel if there is no such kernel in
// C++, ErrTools if there is no compiler; a *CompileError is what that says.
func Library(ctx context.Context, d *design.Design, kernel string) (path string, err error) {
	s, err := Of(d, kernel)
	if err != nil {
		return "", err
	}
	return s.Library(ctx)
}

// own is the path of a file of the kernel's own.
func (s *Sources) own(suffix string) string {
	return path.Join(folder, s.Kernel, s.Kernel+suffix)
}
