package xrt

import (
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/hls"
)

// TestKernelsAreCalled calls a kernel in C++ by its registers.
func TestKernelsAreCalled(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	d := designtest.Made(t, "made", designtest.Doubled)
	h := Start(t, d, 1, HostOptions{})
	c := load(t, h.Server)
	dev := newDevice(c, 0, "0")
	group := groupOf(t, h, d, 0)
	var at [2]uint64
	var words [2][]byte
	const count = 100
	buffers := make([]uintptr, 2)
	for i := range at {
		buffers[i] = c.must("xrtBOAlloc", dev.card, 4*count, 0, group)
		words[i] = view(c.must("xrtBOMap", buffers[i]), 4*count)
		at[i] = c.address(buffers[i])
	}
	name := ""
	for _, in := range d.Instances {
		if in.Kernel.Name == "doubled" {
			name = "doubled:" + in.Name
		}
	}
	xcl, unit := c.unit(dev.card, name)
	for round := range 3 {
		want := make([]byte, 4*count)
		for i := range count {
			words[0][4*i] = byte(i + round)
			want[4*i] = 2 * byte(i+round)
			if i+round > 127 {
				t.Fatal("a byte does not hold it")
			}
		}
		c.ok("xrtBOSync", buffers[0], toDevice, 4*count, 0)
		for i, offset := range []uint32{0x10, 0x1C} {
			c.write(xcl, unit, offset, uint32(at[i]))
			c.write(xcl, unit, offset+4, uint32(at[i]>>32))
		}
		c.write(xcl, unit, 0x28, count)
		if v := c.read(xcl, unit, 0); v&^kernels.DoneBit&^8 != 4 {
			t.Errorf("control is 0x%X", v)
		}
		c.write(xcl, unit, 0, kernels.StartBit)
		eventually(t, "the kernel has ended", func() bool { return c.read(xcl, unit, 0)&kernels.DoneBit != 0 })
		c.ok("xrtBOSync", buffers[1], fromDevice, 4*count, 0)
		if !slices.Equal(words[1], want) {
			t.Fatalf("round %d: %v", round, words[1])
		}
	}
	// A call that cannot be is one that never ends, and is told.
	c.write(xcl, unit, 0x10, 0xFFFFF000)
	c.write(xcl, unit, 0, kernels.StartBit)
	eventually(t, "the failure is told", func() bool { return len(h.Faults()) == 1 })
	if v := c.read(xcl, unit, 0); v&4 != 0 {
		t.Errorf("control is 0x%X", v)
	}
	h.mu.Lock()
	h.faults = nil
	h.mu.Unlock()
}
