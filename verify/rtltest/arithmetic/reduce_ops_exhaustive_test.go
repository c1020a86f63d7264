package arithmetic

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// rowBytes are all float16.
const rowBytes = 2 * ieee.Halves

// rows checks rows of float16: one number as operand 0 with all numbers as operand 1.
type rows struct {
	kernel   *streams.Kernel
	tdest    uint8
	function string
	want     []uint16 // from the first number on
	exact    ieee.Reduction
	emulated lanes.Reducer

	numbers    []byte // all, twice
	same       []byte // one number
	out, other []byte // of the kernel, and of the emulator
	wanted     []byte
}

func newRows(ctx context.Context, b *bench, tdest uint8) (*rows, error) {
	k, err := streams.New(ctx, b.model, uint64(tdest))
	if err != nil {
		return nil, err
	}
	k.Restart()
	r := &rows{
		kernel: k, tdest: tdest, function: b.operations[tdest].function,
		numbers: make([]byte, 2*rowBytes), same: make([]byte, rowBytes), out: make([]byte, rowBytes),
		other: make([]byte, rowBytes), want: make([]uint16, ieee.Halves), wanted: make([]byte, rowBytes),
	}
	r.exact, _ = ieee.ReductionOf(r.function)
	r.emulated, _ = lanes.Reduce(r.function, "float16")
	for i := range 2 * ieee.Halves {
		binary.LittleEndian.PutUint16(r.numbers[2*i:], uint16(i))
	}
	return r, nil
}

// check checks the row of one number. It begins elsewhere in each row, so that
// each lane gets pairs of all kinds.
func (r *rows) check(unit int) error {
	a, first := uint16(unit), uint16(unit*7)
	for i := 0; i < rowBytes; i += 2 {
		binary.LittleEndian.PutUint16(r.same[i:], a)
	}
	in1 := r.numbers[2*int(first):][:rowBytes]
	if err := r.kernel.Bulk(r.tdest, r.same, in1, r.out); err != nil {
		return err
	}
	r.exact.HalfRow(halves(), r.want, a, first)
	for i, v := range r.want {
		binary.LittleEndian.PutUint16(r.wanted[2*i:], v)
	}
	r.emulated(r.other, r.same, in1)
	if bytes.Equal(r.out, r.wanted) && bytes.Equal(r.other, r.wanted) {
		return nil
	}
	for i, want := range r.want {
		got, emulated := binary.LittleEndian.Uint16(r.out[2*i:]), binary.LittleEndian.Uint16(r.other[2*i:])
		if got != want || emulated != want {
			return fmt.Errorf("%s of float16 %04x and %04x is %04x, %04x in the emulator, not %04x", r.function, a,
				first+uint16(i), got, emulated, want)
		}
	}
	return nil
}

// allPairs checks all pairs of float16, or the rows of corners and some others.
func (b *bench) allPairs(t *testing.T, function string, sample int) {
	tdest := b.find(t, function, "float16")
	var special []int
	for _, c := range elements["float16"].corners {
		special = append(special, int(c))
	}
	checkUnits(t, ieee.Halves, sample, special, func() (func(int) error, func(), error) {
		r, err := newRows(t.Context(), b, tdest)
		if err != nil {
			return nil, nil, err
		}
		return r.check, r.kernel.Close, nil
	})
}

func TestAllPairsOfFloat16AreExact(t *testing.T) {
	b := shipped(t)
	for _, function := range declared(t) {
		t.Run(function, func(t *testing.T) { b.allPairs(t, function, 32) })
	}
}

// The wide form has the same stages behind its input: a sample is enough.
func TestTheWideFormReducesAllPairsOfFloat16(t *testing.T) {
	if *exhaustive {
		t.Skip("a sample is enough")
	}
	b := newBench(t, designtest.Load(t, "u280_manual", nil), true)
	for _, f := range b.functions {
		b.allPairs(t, f, 4)
	}
}
