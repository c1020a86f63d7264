package external_dma

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestControl(t *testing.T)  { set.Check(t, "dma_control", controls) }
func TestMover(t *testing.T)    { set.Check(t, "dma_mover", mover) }
func TestOnePort(t *testing.T)  { set.Check(t, "external_dma_1port", kernels(1)) }
func TestTwoPorts(t *testing.T) { set.Check(t, "external_dma_2port", kernels(2)) }

func controls(b *block.Bench, r *rand.Rand) error {
	x := newRegisters(b, r, plain)
	for n := range 24 {
		limit := 20_000
		if n%3 == 2 {
			limit = 1 + r.IntN(100)
		}
		if err := round(b, limit, x); err != nil {
			return err
		}
		if n%3 == 2 {
			reset(b, x)
		}
	}
	return nil
}

// constants are ports that say always the same.
type constants struct {
	b    *block.Bench
	want map[string]uint64
}

func (c constants) begin()     {}
func (c constants) drive()     {}
func (c constants) left() bool { return false }
func (c constants) forget()    {}
func (c constants) check() (bool, error) {
	for name, v := range c.want {
		if got := c.b.Get(name); got != v {
			return false, fmt.Errorf("%s is %X, not %X", name, got, v)
		}
	}
	return false, nil
}

func mover(b *block.Bench, r *rand.Rand) error {
	return both(b, r,
		newReader(b, r, 1, 64, kernel("mm2s", "m"), &readPort{memory: nobody, at: plain, never: true}),
		newWriter(b, r, 1, 16, 64, kernel("s2mm", "s"), &writePort{memory: nobody, at: plain}))
}

// kernels have as many ports to memories.
func kernels(memories int) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		var reads []*readPort
		var writes []*writePort
		always := constants{b, map[string]uint64{}}
		for i := range memories {
			at := axi4(strconv.Itoa(i))
			reads = append(reads, &readPort{memory: i, at: at, never: memories == 1})
			writes = append(writes, &writePort{memory: i, at: at})
			for _, channel := range []string{"ar", "aw"} {
				always.want[at(channel+"_size")], always.want[at(channel+"_burst")] = 6, 1 // of 64 bytes, incrementing
			}
		}
		return both(b, r,
			newReader(b, r, memories, 64, kernel("mm2s", "m"), reads...),
			newWriter(b, r, memories, 16, 64, kernel("s2mm", "s"), writes...), always)
	}
}

// both reads and writes at once, and accesses the registers.
func both(b *block.Bench, r *rand.Rand, in *reader, out *writer, more ...side) error {
	always := constants{b, map[string]uint64{
		"m_axis_mm2s_sts_tkeep": 1, "m_axis_mm2s_sts_tlast": 1, "m_axis_s2mm_sts_tkeep": 15, "m_axis_s2mm_sts_tlast": 1,
	}}
	all := append([]side{in, out, newRegisters(b, r, control), always}, more...)
	reset(b, all...)
	for n := range 8 {
		limit := 200_000
		if n%4 == 3 {
			limit = 1 + r.IntN(400)
		}
		if err := round(b, limit, all...); err != nil {
			return err
		}
		if n%4 == 3 {
			reset(b, all...)
		}
	}
	return nil
}
