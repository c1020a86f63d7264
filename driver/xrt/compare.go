package xrt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// describe compares a file's description with the design.
func describe(d *layout.Design, said xclbin.Description, described bool) []string {
	switch {
	case !described:
		return []string{"it does not say of which design it is: it was not finished by this project's build"}
	case said.Platform != d.Platform:
		return []string{fmt.Sprintf("it is of platform %q", said.Platform)}
	case said.Design != d.Hash:
		return []string{fmt.Sprintf("it is of another state of the platform: design %.12s, the driver has %.12s",
			said.Design, d.Hash)}
	}
	return nil
}

// compare lists the differences between kernels and memories of a file and a design.
func compare(d *layout.Design, l *xclbin.Layout) []string {
	var out []string
	for _, in := range d.Instances {
		switch k, err := l.Kernel(in.Name); {
		case err != nil:
			out = append(out, fmt.Sprintf("it has no %s of %s", in.Name, in.Kernel))
		case k.Kernel != in.Kernel:
			out = append(out, fmt.Sprintf("its %s is one of %s, not of %s", in.Name, k.Kernel, in.Kernel))
		default:
			out = append(out, banks(in, l)...)
		}
	}
	for _, k := range l.Kernels {
		if _, known := d.Instance(k.Instance); !known {
			out = append(out, fmt.Sprintf("the design has no %s of %s", k.Instance, k.Kernel))
		}
	}
	return out
}

// banks compares the memory that the ports of an instance reach. The linker lists
// arguments in the order of the ports. Kernels of other projects may have arguments that
// are not in our descriptions.
func banks(in layout.Instance, l *xclbin.Layout) []string {
	if in.Role != layout.DMA && in.Role != layout.Engine || len(in.Banks) == 0 {
		return nil
	}
	arguments, err := l.Arguments(in.Name)
	if err != nil {
		return []string{err.Error()}
	}
	if len(arguments) != len(in.Banks) {
		return []string{fmt.Sprintf("%s reaches memory by %d arguments, not by %d", in.Name, len(arguments), len(in.Banks))}
	}
	var out []string
	for i, b := range in.Banks {
		reach, err := l.Reach(in.Name, arguments[i])
		if err != nil {
			return append(out, err.Error())
		}
		var has, wants []string
		for _, place := range reach {
			has = append(has, place.Tag)
		}
		for n := b.First; n <= b.Last; n++ {
			wants = append(wants, fmt.Sprintf("%s[%d]", b.Memory, n))
		}
		byLength := func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) }
		slices.SortFunc(has, byLength)
		slices.SortFunc(wants, byLength)
		if !slices.Equal(has, wants) {
			out = append(out, fmt.Sprintf("%s of %s reaches %q, not %q", b.Port, in.Name, has, wants))
		}
	}
	return out
}
