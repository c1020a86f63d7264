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
	in := s.Driver
	out := layout.Driver{
		Shell: s.Name, Revision: s.Revision, File: in.File, Words: in.Words, PageBytes: in.Page,
		HugePage: 1 << hugePageBits(s), Threads: in.Threads, ThreadBits: in.ThreadBits, Spacing: design.ShellSpacing,
	}
	for _, c := range in.Calls {
		out.Calls = append(out.Calls, layout.Record{Name: c.Name, Number: ioctl(in.Group, c), Fields: fields(c.Fields)})
	}
	for _, w := range in.Windows {
		out.Windows = append(out.Windows, layout.Window{Name: w.Name, Page: w.Page, Bytes: w.Bytes})
	}
	for _, r := range in.Registers {
		out.Registers = append(out.Registers, layout.Record{Name: r.Name, Window: r.Window, At: r.At,
			Fields: fields(r.Fields)})
	}
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

func fields(in []platform.ShellField) []layout.Field {
	var out []layout.Field
	for _, f := range in {
		out = append(out, layout.Field{Name: f.Name, Word: f.Word, At: f.At, Bits: f.Bits})
	}
	return out
}

// ioctl is the number of a call as Linux makes it (asm-generic/ioctl.h) of one whose
// argument is said to have 8 bytes.
func ioctl(group byte, c platform.ShellCall) uint32 {
	direction := uint32(1) // the program writes
	if c.Out {
		direction = 2
	}
	return direction<<30 | 8<<16 | uint32(group)<<8 | uint32(c.Number)
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
