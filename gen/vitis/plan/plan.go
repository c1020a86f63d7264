// Package plan turns designs into the steps of their builds.
package plan

import (
	"errors"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// Options are what a plan depends on beside the design and the tools.
type Options struct {
	// Descriptions is the directory that holds the users' platforms/: relative
	// paths of .xo files are below it. Absolute.
	Descriptions string
	// Firmware is the image of the control firmware, in the format of a .mem file
	// (UG1580, "Memory (MEM) Files").
	Firmware []byte
}

// Needs are the tools that the builds of designs take, each once.
func Needs(facts *platform.Toolchain, designs ...*design.Design) []tools.Need { return nil }

// Plan plans the build of a design. Files are what was rendered of it, with paths
// as in out/<platform>.
func Plan(d *design.Design, files []emit.File, set *tools.Set, o Options) (*step.Plan, error) {
	return nil, errors.New("not there yet")
}

// Merge puts plans together.
func Merge(plans ...*step.Plan) *step.Plan {
	all := &step.Plan{}
	for _, p := range plans {
		all.Steps = append(all.Steps, p.Steps...)
		all.Results = append(all.Results, p.Results...)
	}
	return all
}
