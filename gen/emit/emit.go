// Package emit renders a design into files. It makes no decisions about the
// design: every renderer walks the graph.
package emit

import (
	"fmt"

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

// renderer makes the files of one kind.
type renderer struct {
	name   string
	render func(*design.Design) ([]File, error)
}

// renderers lists what is made of every platform.
var renderers = []renderer{
	{"vitis", vitis},
	{"coyote", coyote},
	{"firmware", firmware},
	{"rtl", rtl},
	{"processor", processor},
	{"hls", hls},
	{"kernels", hlsKernels},
	{"driver", godriver},
	{"demo", godemo},
	{"docs", docs},
}

// Platform renders everything that belongs to one platform.
func Platform(d *design.Design) ([]File, error) {
	var files []File
	for _, r := range renderers {
		made, err := r.render(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		files = append(files, made...)
	}
	return files, nil
}

// Generation renders what all platforms of an interface generation share. A
// generation must not change once something was rendered from it.
func Generation(g *abi.Generation) ([]File, error) {
	header, err := generationHeader(g)
	if err != nil {
		return nil, fmt.Errorf("firmware: %w", err)
	}
	return header, nil
}
