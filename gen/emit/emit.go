// Package emit renders a design into files. It makes no decisions about the
// design: every renderer walks the graph.
package emit

import (
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// File is one rendered file. Path is relative to the output directory of the
// platform or generation and uses slashes. Inputs are the templates and
// descriptions it came from.
type File struct {
	Path    string
	Content []byte
	Inputs  []string
}

// Platform renders everything that belongs to one platform.
func Platform(d *design.Design) ([]File, error) {
	var files []File
	for _, render := range []func(*design.Design) ([]File, error){} {
		f, err := render(d)
		if err != nil {
			return nil, err
		}
		files = append(files, f...)
	}
	return files, nil
}

// Generation renders what all platforms of an interface generation share.
func Generation(g *abi.Generation) ([]File, error) { return nil, nil }
