package driverview

import (
	"slices"
	"strconv"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// Driver describes the driver of a shell. It does not depend on what is built into the
// shell; the shell must have a driver.
func Driver(s *platform.Shell) layout.Driver {
	out := s.Driver.Driver
	out.Shell, out.Revision, out.Spacing, out.HugePage = s.Name, s.Revision, design.ShellSpacing, 1<<hugePageBits(s)
	return out
}

// shellDriver is the driver of the shell that a design is built into.
func shellDriver(d *design.Design) layout.Driver {
	out := Driver(d.Shell)
	for _, w := range d.ShellWindows() {
		out.Instances = append(out.Instances, layout.Reach{
			Instance: w.Instance.Name, At: uint32(design.ShellSpacing * w.Base), Bytes: uint32(w.Size),
		})
	}
	return out
}

// hugePageBits are those of the shell, or what the platform chooses.
func hugePageBits(s *platform.Shell) int {
	i := slices.IndexFunc(s.Options, func(o platform.Setting) bool { return o.Name == s.Driver.HugePageOption })
	if i >= 0 {
		if bits, err := strconv.Atoi(s.Options[i].Value); err == nil {
			return bits
		}
	}
	return s.Driver.HugePageBits
}
