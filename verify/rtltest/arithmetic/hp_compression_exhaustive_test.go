package arithmetic

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// blocks checks blocks of float32 that have the upper half in common.
type blocks struct {
	kernel   *streams.Kernel
	tdest    uint8
	exact    *ieee.Narrowing
	emulated lanes.Converter

	in, out, other []byte // other is of the emulator
	want           []uint16
	wanted         []byte
}

const (
	blockValues = 1 << 16
	allBlocks   = 1 << 16
)

func newBlocks(k *streams.Kernel, tdest uint8) *blocks {
	k.Restart()
	b := &blocks{
		kernel: k, tdest: tdest, exact: ieee.NewNarrowing(),
		in: make([]byte, 4*blockValues), out: make([]byte, 2*blockValues), other: make([]byte, 2*blockValues),
		want: make([]uint16, blockValues), wanted: make([]byte, 2*blockValues),
	}
	b.emulated, _ = lanes.Convert("float32", "float16")
	return b
}

// at is where a value of a block is: it begins elsewhere in each block, so that
// each lane gets values of all kinds.
func at(unit, value int) int { return (value + unit) % blockValues }

func (b *blocks) check(unit int) error {
	first := uint32(unit) << 16
	b.exact.Fill(b.want, first)
	for i, w := range b.want {
		le.PutUint32(b.in[4*at(unit, i):], first+uint32(i))
		le.PutUint16(b.wanted[2*at(unit, i):], w)
	}
	if err := b.kernel.Bulk(b.tdest, b.in, nil, b.out); err != nil {
		return err
	}
	b.emulated(b.other, b.in)
	if bytes.Equal(b.out, b.wanted) && bytes.Equal(b.other, b.wanted) {
		return nil
	}
	for i, want := range b.want {
		got, emulated := le.Uint16(b.out[2*at(unit, i):]), le.Uint16(b.other[2*at(unit, i):])
		if got != want || emulated != want {
			return fmt.Errorf("float32 %08x is float16 %04x, %04x in the emulator, not %04x", first+uint32(i), got, emulated,
				want)
		}
	}
	return nil
}

// All numbers, or those around all exponents' ends and some others. The other
// way round all numbers are always tried.
func TestEveryFloat32IsNarrowedExactly(t *testing.T) {
	b := newConversion(t)
	var special []int
	for high := range allBlocks {
		if fraction := high & 0x7F; fraction == 0 || fraction == 0x7F {
			special = append(special, high)
		}
	}
	checkUnits(t, allBlocks, 64, special, func() (func(int) error, func(), error) {
		k, err := streams.New(t.Context(), b.model, 1)
		if err != nil {
			return nil, nil, err
		}
		return newBlocks(k, b.narrow).check, k.Close, nil
	})
}
