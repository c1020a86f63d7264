package arithmetic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// latency is the cycles from a beat to what it becomes.
const conversionLatency = 4

var le = binary.LittleEndian

// bench is the Verilated plugin and the TDESTs of its conversions.
type conversionBench struct {
	*streams.Kernel
	model         streams.Model
	narrow, widen uint8
}

func newConversion(t *testing.T) *conversionBench {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	m := streams.Model{Design: d, Kernel: "hp_compression", In0: "in_r", Out: "out_r"}
	k, err := streams.New(t.Context(), m, 0)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(k.Close)
	b := &conversionBench{Kernel: k, model: m, narrow: 0xFF, widen: 0xFF}
	for _, c := range d.Platform.Compression.Conversions {
		switch {
		case c.From == "float32" && c.To == "float16":
			b.narrow = uint8(c.TDEST)
		case c.From == "float16" && c.To == "float32":
			b.widen = uint8(c.TDEST)
		}
	}
	assert.Assert(t, b.narrow != b.widen, "the platform has no conversions")
	return b
}

func toFloat16(single uint32) uint16 {
	return uint16(ieee.Convert(ieee.Float32, ieee.Float16, uint64(single)))
}

func toFloat32(half uint16) uint32 {
	return uint32(ieee.Convert(ieee.Float16, ieee.Float32, uint64(half)))
}

// wanted is what the plugin makes of a stream.
func (b *conversionBench) wanted(in []streams.Beat) (out []streams.Beat) {
	odd := false // the last beat of out waits for its upper half
	for _, x := range in {
		switch x.TDEST {
		case b.narrow:
			at := 32
			if !odd {
				out, at = append(out, streams.Beat{}), 0
			}
			y := &out[len(out)-1]
			for i := range 16 {
				le.PutUint16(y.Data[at+2*i:], toFloat16(le.Uint32(x.Data[4*i:])))
			}
			for i := range 32 {
				y.Keep |= x.Keep >> (2*i + 1) & 1 << (at + i)
			}
			y.Last = x.Last
			odd = !odd && x.Last == 0
		case b.widen:
			odd = false
			for half := range 2 {
				kept := uint32(x.Keep >> (32 * half))
				if half == 1 && kept == 0 {
					continue
				}
				var y streams.Beat
				for i := range 16 {
					le.PutUint32(y.Data[4*i:], toFloat32(le.Uint16(x.Data[32*half+2*i:])))
				}
				for i := range 64 {
					y.Keep |= uint64(kept) >> (i / 2) & 1 << i
				}
				if half == 1 || x.Keep>>32 == 0 {
					y.Last = x.Last
				}
				out = append(out, y)
			}
		default:
			odd = false
			x.TDEST = 0 // the output has none
			out = append(out, x)
		}
	}
	if odd {
		out = out[:len(out)-1] // it waits for ever
	}
	return out
}

// compare what is kept of two streams.
func compareBeats(got, want []streams.Beat) error {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Keep != w.Keep || g.Last != w.Last {
			return fmt.Errorf("beat %d: TKEEP %x and TLAST %d, not %x and %d", i, g.Keep, g.Last, w.Keep, w.Last)
		}
		for at := range g.Data {
			if w.Keep>>at&1 == 1 && g.Data[at] != w.Data[at] {
				return fmt.Errorf("beat %d, byte %d: %x, not %x", i, at, g.Data, w.Data)
			}
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d beats came out, not %d", len(got), len(want))
	}
	return nil
}

// straight runs at full speed.
func (b *conversionBench) straight(in []streams.Beat) (streams.Times, error) {
	want := b.wanted(in)
	out, times, err := b.Run(streams.Run{In0: in, In1: in, MaxOut: len(want), MaxCycles: 4*len(in) + 10_000})
	if err != nil {
		return times, err
	}
	return times, compareBeats(out, want)
}

func TestEveryFloat16IsWidenedExactly(t *testing.T) {
	b := newConversion(t)
	var in []streams.Beat
	for h := range 1 << 16 {
		if h%32 == 0 {
			in = append(in, streams.Beat{Keep: streams.Full, TDEST: b.widen})
		}
		le.PutUint16(in[len(in)-1].Data[h%32*2:], uint16(h))
	}
	times, err := b.straight(in)
	assert.NilError(t, err)
	if n := uint64(2 * len(in)); times.LastOut-times.FirstOut != n-1 || times.FirstOut-times.FirstIn != conversionLatency {
		t.Errorf("%d beats come out in the cycles %d to %d, the first of what came in cycle %d", n, times.FirstOut,
			times.LastOut, times.FirstIn)
	}
}

// singles are numbers around everything that rounding depends on: each upper
// half, with ties, what is beside them, and fractions that end early.
func singles(r *rand.Rand) []uint32 {
	var out []uint32
	for high := range uint32(1 << 16) {
		for _, low := range []uint32{0, 0x1000, 0x3000, 0x5000, 0x7000, 0x9000, 0xF000, r.Uint32() & 0xFFFF} {
			v := high<<16 | low
			out = append(out, v, v+1, v-1)
		}
	}
	for range 1 << 16 {
		out = append(out, r.Uint32()&(^uint32(0)<<r.IntN(24)))
	}
	return out
}

func TestFloat32IsNarrowedExactly(t *testing.T) {
	seed := uint64(0)
	if !testing.Short() {
		seed = block.ExtraSeed()
	}
	b := newConversion(t)
	values := singles(rand.New(rand.NewPCG(seed, 0)))
	var in []streams.Beat
	for i, v := range values {
		if i%16 == 0 {
			in = append(in, streams.Beat{Keep: streams.Full, TDEST: b.narrow})
		}
		le.PutUint32(in[len(in)-1].Data[i%16*4:], v)
	}
	in[len(in)-1].Last = 1
	times, err := b.straight(in)
	assert.NilError(t, err, "seed %d", seed)
	if n := uint64(len(in)); times.LastIn-times.FirstIn != n-1 {
		t.Errorf("%d beats come in in the cycles %d to %d", n, times.FirstIn, times.LastIn)
	}
}

// The references are those of the emulator, too.
func TestTheEmulatorConvertsAlike(t *testing.T) {
	narrow, _ := lanes.Convert("float32", "float16")
	widen, _ := lanes.Convert("float16", "float32")
	single, half := make([]byte, 4), make([]byte, 2)
	for _, v := range singles(rand.New(rand.NewPCG(0, 0)))[:200_000] {
		le.PutUint32(single, v)
		if narrow(half, single); le.Uint16(half) != toFloat16(v) {
			t.Fatalf("float32 %x is float16 %x, and the emulator has %x", v, toFloat16(v), le.Uint16(half))
		}
	}
	for h := range 1 << 16 {
		le.PutUint16(half, uint16(h))
		if widen(single, half); le.Uint32(single) != toFloat32(uint16(h)) {
			t.Fatalf("float16 %x is float32 %x, and the emulator has %x", h, toFloat32(uint16(h)), le.Uint32(single))
		}
	}
}

// stream is beats of streams of any conversion, of any length and TKEEP, most
// of which end with TLAST.
func (b *conversionBench) stream(r *rand.Rand, n int) (in []streams.Beat) {
	for len(in) < n {
		tdest := uint8(r.IntN(16))
		if r.IntN(4) != 0 {
			tdest = []uint8{b.narrow, b.widen}[r.IntN(2)]
		}
		odd, ends := r.IntN(3) == 0, r.IntN(4) != 0 // any TKEEP, TLAST
		for left := r.IntN(6); left >= 0; left-- {
			x := streams.Beat{Keep: streams.Full, TDEST: tdest}
			for at := 0; at < 64; at += 8 {
				le.PutUint64(x.Data[at:], r.Uint64())
			}
			if odd && r.IntN(2) == 0 {
				x.Keep = r.Uint64() & r.Uint64()
			}
			if left == 0 {
				if r.IntN(2) == 0 {
					x.Keep >>= r.IntN(65)
				}
				if ends {
					x.Last = 1
				}
			}
			in = append(in, x)
		}
	}
	return in
}

func TestStreamsWithPausesLoseNothing(t *testing.T) {
	b := newConversion(t)
	first := block.ExtraSeed()
	for run := range uint64(200) {
		seed := run // 0 among them
		if run >= 100 {
			seed += first
		}
		r := rand.New(rand.NewPCG(seed, 1))
		in := b.stream(r, 1+r.IntN(1000))
		want := b.wanted(in)
		pauses := func() int { return []int{0, 0, 30, 128, 220}[r.IntN(5)] }
		o := streams.Run{Seed: seed, In0: in, In1: in, Idle0: pauses(), Stall: pauses(), MaxOut: 2 * len(in),
			MaxCycles: 400*len(in) + 20_000}
		out, _, err := b.Run(o)
		if err == nil {
			err = compareBeats(out, want)
		}
		assert.NilError(t, err, "seed %d, pauses %d and %d", seed, o.Idle0, o.Stall)
	}
}

func TestAResetForgetsConversionsUnderWay(t *testing.T) {
	b := newConversion(t)
	r := rand.New(rand.NewPCG(0, 2))
	for cut := range 24 {
		in := b.stream(r, 100)
		if _, _, err := b.Run(streams.Run{In0: in, In1: in, Stall: 128, MaxOut: 200, MaxCycles: 1 + cut}); !errors.Is(err,
			streams.ErrCycles) {
			t.Fatalf("the run that is cut off ends with %v", err)
		}
		if _, err := b.straight(b.stream(r, 20)); err != nil {
			t.Fatalf("after a reset at cycle %d: %v", cut, err)
		}
	}
}
