package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// narrow is a type of which an element stands for 1<<log equal int32.
type narrow struct {
	accl.DType
	log   int
	bytes int
	most  int // the largest value that it holds
}

var narrows = []narrow{{"quarter", 2, 2, 1<<15 - 1}, {"sixteenth", 4, 8, 1<<31 - 1}, {"tally", 2, 4, 1<<31 - 1}}

// operand is memory that holds values, each as an element of the narrow type or as
// equal elements of the wide one.
type operand struct {
	narrow
	packed bool
	*accl.RawBuffer
}

func (o *operand) each() int {
	if o.packed {
		return o.bytes
	}
	return 4 << o.log
}

func (n narrow) alloc(ctx context.Context, e *accl.Engine, packed bool, values int) (*operand, error) {
	o := &operand{narrow: n, packed: packed}
	t, elements := accl.TypeInt32, values<<n.log
	if packed {
		t, elements = n.DType, values
	}
	var err error
	o.RawBuffer, err = accl.AllocRaw(ctx, e, t, elements)
	return o, err
}

// fill writes values.
func (o *operand) fill(values []float64) {
	var b []byte
	for _, v := range values {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(int64(v)))
		if o.packed {
			b = append(b, word[:o.bytes]...)
			continue
		}
		b = append(b, bytes.Repeat(word[:4], 1<<o.log)...)
	}
	copy(o.Host(), b)
}

// check compares memory with values.
func (o *operand) check(values []float64) error {
	want := &operand{narrow: o.narrow, packed: o.packed, RawBuffer: o.RawBuffer}
	got := append([]byte(nil), o.Host()...)
	want.fill(values)
	defer copy(o.Host(), got)
	for i := range values {
		at := i * o.each()
		if a, b := got[at:at+o.each()], o.Host()[at:at+o.each()]; !bytes.Equal(a, b) {
			return fmt.Errorf("value %d of %d is %x, expected %x", i, len(values), a, b)
		}
	}
	return nil
}

// TestOperationsWithSeveralElementsInOne runs every operation with each operand and
// the result as they are or compressed, sent as they are or compressed.
func TestOperationsWithSeveralElementsInOne(t *testing.T) {
	for network, sizes := range map[string][]int{"tcp": {2, 3, 4}, "udp": {3}, "rdma": {4}} {
		d := designtest.Of(t, layer(t, `poe "tcp"`, fmt.Sprintf("poe %q", network)), "ratio", nil)
		for _, ranks := range sizes {
			t.Run(fmt.Sprintf("%s of %d", network, ranks), func(t *testing.T) {
				ctx := limited(t)
				// Messages that no multiple of a unit fills, and none lost for want of a buffer.
				open := []accl.OpenOption{accl.WithRxBuffers(256, 64*(1+ranks)), accl.WithMaxEager(5000),
					accl.WithMaxRendezvous(50_000)}
				if ranks == 3 {
					open = append(open, accl.WithMaxSegment(100))
				}
				o := world.Options{Engine: slow(emu.Options{OnFault: func(err error) { t.Error(err) }})}
				_, engines := start(ctx, t, d, ranks, o, open...)
				for name, op := range ratioOperations {
					for _, n := range narrows {
						rng := rand.New(rand.NewPCG(uint64(ranks), uint64(n.log)))
						for kind := range 8 {
							packed := [3]bool{kind&1 != 0, kind&2 != 0, kind&4 != 0}
							if !possible(name, packed) {
								continue
							}
							for _, values := range []int{1 + rng.IntN(80), 100 + rng.IntN(300)} {
								c := ratioCase{op, n, packed, values}
								assert.NilError(t, c.run(ctx, engines, rng.Uint64()), "%s of %d %s, %+v", name, values, n.DType, c.packed)
							}
						}
					}
				}
			})
		}
	}
}

// possible tells whether something is of the wide type: calls of one operand know no
// other than its own and that on the way.
func possible(name string, packed [3]bool) bool {
	if name == "bcast" || name == "send" {
		return !packed[0] && !packed[1]
	}
	return !packed[0] || !packed[1]
}

type ratioCase struct {
	op     ratioOperation
	n      narrow
	packed [3]bool // operands, result, wire
	values int
}

func (c ratioCase) run(ctx context.Context, engines []*accl.Engine, seed uint64) error {
	ranks := len(engines)
	rng := rand.New(rand.NewPCG(seed, 0))
	operands := ranks
	if c.op.second {
		operands *= 2
	}
	in := make([][]float64, operands)
	for i := range in {
		in[i] = make([]float64, c.op.in(c.values, ranks))
		for k := range in[i] {
			in[i][k] = float64(rng.IntN(c.n.most/ranks*2) - c.n.most/ranks)
		}
	}
	want := c.op.want(in, c.values)
	var group errgroup.Group
	for rank, e := range engines {
		group.Go(func() error {
			if err := c.rank(ctx, e, in, want); err != nil {
				return fmt.Errorf("rank %d: %w", rank, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (c ratioCase) rank(ctx context.Context, e *accl.Engine, in, want [][]float64) error {
	rank, ranks := e.World().Rank(), e.World().Size()
	var memory [3]*operand
	for i, values := range []int{c.op.in(c.values, ranks), c.op.in(c.values, ranks), c.op.out(c.values, ranks)} {
		// The second operand is always of the wide type.
		packed := c.packed[0] && i == 0 || c.packed[1] && i == 2
		var err error
		if memory[i], err = c.n.alloc(ctx, e, packed, values); err != nil {
			return err
		}
		defer memory[i].Free()
	}
	memory[0].fill(in[rank])
	if c.op.second {
		memory[1].fill(in[ranks+rank])
	}
	var o []accl.Option
	if c.packed[2] {
		o = append(o, accl.Compress(c.n.DType))
	}
	if err := c.op.call(ctx, e, memory[0], memory[1], memory[2], c.values<<c.n.log, o...); err != nil {
		return err
	}
	if want[rank] == nil {
		return nil
	}
	return memory[2].check(want[rank])
}

// TestCountsThatAreNoWholeUnits places calls as no driver does.
func TestCountsThatAreNoWholeUnits(t *testing.T) {
	ctx := limited(t)
	d := designtest.Of(t, layer(t), "ratio", nil)
	w, engines := start(ctx, t, d, 1, world.Options{Engine: slow(emu.Options{OnFault: func(err error) { t.Error(err) }})})
	e, dev := engines[0], w.Device(0)
	p := e.Platform()
	i := slices.IndexFunc(p.Operations, func(c accl.Operation) bool { return c.Name == "copy" })
	for _, n := range narrows {
		wide, err := n.alloc(ctx, e, false, 10)
		assert.NilError(t, err)
		packed, err := n.alloc(ctx, e, true, 10)
		assert.NilError(t, err)
		config, err := e.ConfigAddress(accl.TypeInt32, n.DType)
		assert.NilError(t, err)
		for count := range uint32(4 << n.log) {
			for _, forth := range []bool{true, false} {
				call := accl.Call{
					Scenario: p.Operations[i].Value, Count: count, Comm: e.World().Address(), ArithCfg: config, Tag: p.TagAny,
					Addr0: wide.Address(), Addr2: packed.Address(), CompressionFlags: p.CompressionFlags.Result,
				}
				if !forth {
					call.Addr0, call.Addr2, call.CompressionFlags = call.Addr2, call.Addr0, p.CompressionFlags.Op0
				}
				ticket, err := dev.Start(ctx, 0, call)
				assert.NilError(t, err)
				code, err := dev.Wait(ctx, ticket)
				assert.NilError(t, err)
				whole := count%(1<<n.log) == 0
				if got := accl.BitNames(accl.BitsOf(uint32(code), p.ReturnCodes)); whole != (code == 0) || !whole &&
					got != "COMPRESSION" {
					t.Errorf("%d of %s, forth %v: %s", count, n.DType, forth, got)
				}
			}
		}
	}
}
