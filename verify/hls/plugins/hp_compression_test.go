package plugins_test

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// compressor is what the plugin does by TDEST.
type compressor struct {
	narrow, widen     uint32
	narrower, widener lanes.Converter
}

func newCompressor(t *testing.T, d *design.Design) compressor {
	t.Helper()
	var c compressor
	var found int
	for _, of := range d.Platform.Compression.Conversions {
		convert, ok := lanes.Convert(of.From, of.To)
		switch {
		case !ok:
			t.Fatalf("%s to %s is not known here", of.From, of.To)
		case of.From == "float32":
			c.narrow, c.narrower = uint32(of.TDEST), convert
		default:
			c.widen, c.widener = uint32(of.TDEST), convert
		}
		found++
	}
	assert.Assert(t, found == 2 && c.narrow != c.widen,
		"the platform has %d conversions, not one and its inverse", found)
	return c
}

// converted is what the plugin makes of packets: two beats become one, with every
// second bit of TKEEP, and the other way round. A half of which nothing is kept does
// not become a beat. What fills a beat by half waits for the rest, until TLAST or
// something else comes.
func (c compressor) converted(in []hls.Beat) (out []hls.Beat) {
	waits := false // the last beat of out has room for a half
	for _, x := range in {
		switch x.Dest {
		case c.narrow:
			at := 32
			if !waits {
				out, at = append(out, hls.Beat{}), 0
			}
			y := &out[len(out)-1]
			c.narrower(y.Data[at:at+32], x.Data[:])
			for i := range 32 {
				y.Keep |= x.Keep >> (2*i + 1) & 1 << (at + i)
			}
			y.Last = x.Last
			waits = !waits && x.Last == 0
		case c.widen:
			waits = false
			halves := 2
			if x.Keep>>32 == 0 {
				halves = 1
			}
			for half := range halves {
				y := hls.Beat{}
				c.widener(y.Data[:], x.Data[32*half:32*half+32])
				for i := range 64 {
					y.Keep |= x.Keep >> (32*half + i/2) & 1 << i
				}
				if half == halves-1 {
					y.Last = x.Last
				}
				out = append(out, y)
			}
		default:
			waits = false
			x.Dest = 0 // the output has none
			out = append(out, x)
		}
	}
	if waits {
		out = out[:len(out)-1] // for ever
	}
	return out
}

// singles are numbers around everything that rounding depends on.
func singles(r *rand.Rand, each int) (out []uint32) {
	for high := 0; high < 1<<16; high += each {
		for _, low := range []uint32{0, 0x1000, 0x3000, 0x7000, 0x8000, 0x9000, 0xF000, r.Uint32() & 0xFFFF} {
			v := uint32(high)<<16 | low
			out = append(out, v, v+1, v-1)
		}
	}
	return out
}

func TestEveryConversionGivesTheExactBits(t *testing.T) {
	newCompressor(t, load(t, "hls")).exact(t, open(t, library(t, "hp_compression"), 64))
}

// exact compares conversions of all that matters with the emulator's.
func (c compressor) exact(t *testing.T, k *hls.Component) {
	t.Helper()
	r := rand.New(rand.NewPCG(block.ExtraSeed(), 0))
	each := 3
	if testing.Short() {
		each = 31
	}
	var in []hls.Beat
	for i, v := range singles(r, each) {
		if i%16 == 0 {
			in = append(in, hls.Beat{Keep: streams.Full, Dest: c.narrow})
		}
		le.PutUint32(in[len(in)-1].Data[4*(i%16):], v)
	}
	in[len(in)-1].Last = 1
	for i := range 1 << 16 {
		if i%32 == 0 {
			in = append(in, hls.Beat{Keep: streams.Full, Dest: c.widen})
		}
		le.PutUint16(in[len(in)-1].Data[2*(i%32):], uint16(i))
	}
	in[len(in)-1].Last = 1
	out, err := through(k, r, in)
	if err == nil {
		err = same(out, c.converted(in), false)
	}
	assert.Check(t, err)
}

// packets are of any conversion, of any length and TKEEP. Some do not end before
// the next one comes.
func (c compressor) packets(r *rand.Rand, n int) (in []hls.Beat) {
	for len(in) < n {
		tdest, gaps := []uint32{c.narrow, c.widen, c.narrow, c.widen, r.Uint32N(16)}[r.IntN(5)], r.IntN(3) == 0
		for left := r.IntN(7); left >= 0; left-- {
			x := hls.Beat{Keep: streams.Full, Dest: tdest}
			for at := 0; at < 64; at += 8 {
				le.PutUint64(x.Data[at:], r.Uint64())
			}
			if gaps && r.IntN(2) == 0 {
				x.Keep = r.Uint64() & r.Uint64()
			}
			if left == 0 {
				x.Last = min(1, r.Uint32N(8))
				if r.IntN(2) == 0 {
					x.Keep >>= r.IntN(65)
				}
			}
			in = append(in, x)
		}
	}
	return in
}

func TestPacketsAreGatheredAndSplit(t *testing.T) {
	path, c := library(t, "hp_compression"), newCompressor(t, load(t, "hls"))
	for run := range uint64(60) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		in := c.packets(r, 1+r.IntN(1000))
		out, err := through(open(t, path, 1+r.IntN(20)), r, in)
		if err == nil {
			err = same(out, c.converted(in), false)
		}
		assert.NilError(t, err, "run %d", run)
	}
}

func TestConversionsInCAndInHardwareAreTheSameBits(t *testing.T) {
	path, c := library(t, "hp_compression"), newCompressor(t, load(t, "hls"))
	k := verilated(t, streams.Model{Kernel: "hp_compression", In0: "in_r", Out: "out_r"})
	for run := range uint64(20) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		in := c.packets(r, 1+r.IntN(2000))
		out, err := through(open(t, path, 16), r, in)
		assert.NilError(t, err, "run %d", run)
		want, _, err := k.Run(streams.Run{
			Seed: run, In0: wires(in), In1: wires(in), Idle0: r.IntN(100), Stall: r.IntN(100),
			MaxOut: 2 * len(in), MaxCycles: 20*len(in) + 10_000,
		})
		if err == nil {
			err = same(out, beats(want), true)
		}
		assert.NilError(t, err, "run %d", run)
	}
}
