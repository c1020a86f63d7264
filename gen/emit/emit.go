// Package emit renders a design into files. It makes no decisions about the
// design: every renderer walks the graph.
package emit

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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

// bundle collects files that are rendered for a design, up to the first error.
type bundle struct {
	d     *design.Design
	files []File
	err   error
}

// render adds a file that a template makes of a view.
func (b *bundle) render(path, template string, view any) {
	text, err := execute(template, view)
	b.add(path, text, err, template)
}

// add adds a file that was made of the design and of templates; err is what went wrong with it.
func (b *bundle) add(path string, text []byte, err error, used ...string) {
	b.take([]File{{path, text, platformInputs(b.d, used...)}}, err)
}

// take adds files as they are; err is what went wrong with them.
func (b *bundle) take(files []File, err error) {
	if b.err = cmp.Or(b.err, err); b.err == nil {
		b.files = append(b.files, files...)
	}
}

// renderer makes the files of one kind.
type renderer struct {
	name   string
	render func(*design.Design) ([]File, error)
}

// What is made of every platform: for the tools that build it, and for those who use it.
var (
	forTools = []renderer{
		{"vitis", vitis},
		{"coyote", coyote},
		{"firmware", firmware},
		{"rtl", rtl},
		{"processor", processor},
		{"hls", hls},
		{"kernels", hlsKernels},
	}
	forUsers = []renderer{
		{"driver", godriver},
		{"demo", godemo},
		{"docs", docs},
	}
)

// Platform renders everything that belongs to one platform, last the outputs that the
// platform declares. If something is wrong with these, the error is a
// *lang.DiagnosticsError.
func Platform(d *design.Design) ([]File, error) {
	files, err := sideBySide(d, slices.Concat(forTools, forUsers))
	if err != nil {
		return nil, err
	}
	more, err := outputs(d, files)
	return append(files, more...), err
}

// ForTools renders what a build reads: Platform without drivers, demo and manuals.
func ForTools(d *design.Design) ([]File, error) { return sideBySide(d, forTools) }

// sideBySide runs renderers side by side.
func sideBySide(d *design.Design, renderers []renderer) ([]File, error) {
	made := make([][]File, len(renderers))
	var group errgroup.Group
	for i, r := range renderers {
		group.Go(func() (err error) {
			if made[i], err = r.render(d); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(made...), nil
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
