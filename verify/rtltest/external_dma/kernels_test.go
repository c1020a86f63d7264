package external_dma

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "external_dma_1port", Folder: "external_dma_1port", Needs: []string{"external_dma"}},
	block.Module{Name: "external_dma_2port", Folder: "external_dma_2port", Needs: []string{"external_dma"}, Host: true,
		Parts: []string{"dma_control", "dma_mover", "dma_read", "dma_read_align", "dma_read_switch", "dma_rotate",
			"dma_write", "dma_write_align", "dma_write_switch"}},
)

func TestOnePort(t *testing.T)  { set.Check(t, "external_dma_1port", kernels(1)) }
func TestTwoPorts(t *testing.T) { set.Check(t, "external_dma_2port", kernels(2)) }

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
		begun, limit := b.Cycle, 200_000
		if n%4 == 3 {
			limit = 1 + r.IntN(400)
		}
		if err := round(b, limit, all...); err != nil {
			return err
		}
		if took := int(b.Cycle - begun); n%4 != 3 && in.still && out.still && took > max(in.steps, out.steps)+200 {
			return fmt.Errorf("%d steps of reads and %d of writes took %d cycles", in.steps, out.steps, took)
		}
		if n%4 == 3 {
			reset(b, all...)
		}
	}
	return nil
}
