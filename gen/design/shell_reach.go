package design

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// ShellSpacing is how many bytes of a shell's bus, which has 64 bits, stand for a byte of
// the registers of kernels, whose buses have 32.
const ShellSpacing = 2

// smallestWindow is how far apart windows are: the host controller stands where
// drivers of a single engine look for it.
const smallestWindow = 0x2000

// ShellWindow is where the host finds the registers of an instance in a shell: byte o of
// the kernel's registers is at byte ShellSpacing (Base + o) of the application's.
type ShellWindow struct {
	Instance *Instance
	Port     string
	Base     uint64 // bytes, as kernels count them
	Size     uint64 // bytes, a power of two
}

// InShell tells whether the shell does what a kernel does.
func (d *Design) InShell(k *Kernel) bool {
	return slices.ContainsFunc(d.Instances, func(i *Instance) bool {
		return i.Kernel == k && (i.Role == "poe" || i.Role == "dma")
	})
}

// ShellWindows are the windows of the registers of an application of a shell, the
// engine's first.
func (d *Design) ShellWindows() []ShellWindow {
	instances := slices.Clone(d.Instances)
	slices.SortStableFunc(instances, func(a, b *Instance) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.Role == "engine"],
			map[bool]int{true: 0, false: 1}[b.Role == "engine"])
	})
	var windows []ShellWindow
	next := uint64(0)
	for _, i := range instances {
		if d.InShell(i.Kernel) {
			continue
		}
		for _, p := range i.Ports {
			if p.Protocol != AXILite || p.Output {
				continue
			}
			size := uint64(1) << bits.Len64(p.Range-1)
			step := max(size, smallestWindow)
			base := (next + step - 1) / step * step
			windows = append(windows, ShellWindow{Instance: i, Port: p.Name, Base: base, Size: size})
			next = base + step
		}
	}
	return windows
}

// checkWindows tells why programs cannot reach all registers of an application.
func (d *Design) checkWindows() error {
	if d.Shell.Driver == nil {
		return nil
	}
	for _, w := range d.Shell.Driver.Windows {
		if w.Name != ApplicationWindow {
			continue
		}
		for _, in := range d.ShellWindows() {
			if end := ShellSpacing * (in.Base + in.Size); end > uint64(w.Bytes) {
				return fmt.Errorf(
					"%s: the registers of %s end at byte 0x%X, and programs reach 0x%X bytes of an application of the shell %s",
					d.Platform.Ranges.Block, in.Instance.Name, end, w.Bytes, d.Shell.Name)
			}
		}
	}
	return nil
}

// ApplicationWindow is the window of a shell's driver that has the registers of the
// application.
const ApplicationWindow = "application"
