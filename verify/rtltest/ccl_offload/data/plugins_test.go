package datapath

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestKernelWriter(t *testing.T) { set.Check(t, "kernel_writer", kernelWriter) }
func TestPluginFeed(t *testing.T)   { set.Check(t, "plugin_feed", pluginFeed) }

// packet is a beat of a packet on its way out.
type packet struct {
	data []byte // of the bytes that are kept
	dest uint64
	last bool
}

// compare checks a beat: its bytes, and zeros where it keeps none.
func (p packet) compare(b *block.Bench) error {
	want := append(bytes.Clone(p.data), make([]byte, beatBytes-len(p.data))...)
	got := b.Bytes("out_tdata")
	for i := range got {
		if b.Get("out_tkeep")>>i&1 == 0 {
			got[i] = 0
		}
	}
	if !bytes.Equal(got, want) || b.Get("out_tkeep") != keepOf(len(p.data)) {
		return fmt.Errorf("a beat is %X, keep %X, not %X", got, b.Get("out_tkeep"), want)
	}
	if b.Is("out_tlast") != p.last || b.Get("out_tdest") != p.dest {
		return fmt.Errorf("a beat is the last: %t, with TDEST %d, not %t, %d", b.Is("out_tlast"), b.Get("out_tdest"),
			p.last, p.dest)
	}
	return nil
}

// kernelWriter packs the slices of a move into whole beats.
func kernelWriter(b *block.Bench, r *rand.Rand) error {
	const depth = 4
	in := block.NewInput(b, "in_valid", "in_ready", "in_data")
	out := block.NewOutput(b, "out_tvalid", "out_tready", "out_tdata", "out_tkeep", "out_tlast", "out_tdest")
	gives, takes, slices := block.Stretches{Random: r}, block.Stretches{Random: r}, block.Stretches{Random: r}
	type beat struct {
		data []byte
		last bool
	}
	var beats []beat
	var want []packet
	var rest []byte // of the move, in no beat yet
	all, open, idle, forgotten := 0, 0, 0, 0
	dest, midway, quiet := uint64(0), false, 0 // cycles before the next slice
	for all < 300 || len(beats) > 0 || len(want) > 0 {
		b.Scramble(r, "slice_bytes", "slice_tdest", "slice_finishes")
		b.Set("slice_valid", 0)
		b.Set("forget", 0)
		switch {
		case all < 300 && open < depth && slices.Next() && !(quiet > 0 && midway):
			data := block.RandomBytes(r, block.RandomLength(r, beatBytes, mostBytes))
			ends := r.IntN(3) == 0
			if !midway {
				dest = uint64(r.IntN(256))
			}
			midway = !ends
			b.Set("slice_valid", 1)
			b.Set("slice_bytes", uint64(len(data)))
			b.Set("slice_tdest", dest)
			b.Put("slice_finishes", ends)
			for at := 0; at < len(data); at += beatBytes {
				beats = append(beats, beat{data[at:min(at+beatBytes, len(data))], at+beatBytes >= len(data)})
			}
			rest = append(rest, data...)
			for len(rest) >= beatBytes || ends && len(rest) > 0 {
				n := min(beatBytes, len(rest))
				want = append(want, packet{rest[:n], dest, ends && n == len(rest)})
				rest = rest[n:]
			}
			rest = bytes.Clone(rest)
			all++
			open++
		case midway && open == 0 && len(want) == 0 && quiet > 0 && r.IntN(3) == 0:
			b.Set("forget", 1) // the move is given up
			rest, midway = nil, false
			forgotten++
		}
		if !in.Offered() {
			b.Scramble(r, "in_data")
			if len(beats) > 0 && gives.Next() {
				x := beats[0].data
				b.SetBytes("in_data", append(bytes.Clone(x), block.RandomBytes(r, beatBytes-len(x))...))
				in.Offer()
			}
		}
		if quiet > 0 {
			quiet--
		} else if r.IntN(200) == 0 {
			quiet = 300
		}
		b.Put("out_tready", takes.Next())
		b.Step()
		taken := in.Taken()
		if b.Is("done") != (taken && beats[0].last) {
			return fmt.Errorf("a slice is said to be done: %t", b.Is("done"))
		}
		if taken {
			if beats[0].last {
				open--
			}
			beats, idle = beats[1:], 0
		}
		left, err := out.Taken()
		if err != nil {
			return err
		}
		if b.Is("popped") != left {
			return fmt.Errorf("a beat has left: %t", b.Is("popped"))
		}
		if left {
			if len(want) == 0 {
				return fmt.Errorf("a beat too many")
			}
			if err := want[0].compare(b); err != nil {
				return err
			}
			want, idle = want[1:], 0
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	if forgotten < 3 {
		return fmt.Errorf("only %d moves were given up", forgotten)
	}
	return nil
}

// pluginFeed makes a packet of each slice. While it drains, zeros take the place
// of what has not come.
func pluginFeed(b *block.Bench, r *rand.Rand) error {
	const depth = 4
	in := block.NewInput(b, "in_valid", "in_ready", "in_data")
	out := block.NewOutput(b, "out_tvalid", "out_tready", "out_tdata", "out_tkeep", "out_tlast", "out_tdest")
	gives, takes, slices := block.Stretches{Random: r}, block.Stretches{Random: r}, block.Stretches{Random: r}
	type slice struct {
		left int
		dest uint64
	}
	var open []slice
	var want []packet
	var word []byte
	all, idle, drained := 0, 0, 0
	drain := 0
	for cycle := 0; all < 400 || len(open) > 0 || len(want) > 0; cycle++ {
		if drain == 0 && r.IntN(150) == 0 && !in.Offered() {
			drain = 1 + r.IntN(40)
		}
		drains := drain > 0
		b.Put("drain", drains)
		b.Scramble(r, "packet_tdest", "packet_bytes")
		b.Set("packet_valid", 0)
		var added []slice
		if all < 400 && len(open) < depth && slices.Next() {
			s := slice{block.RandomLength(r, beatBytes, mostBytes), uint64(r.IntN(16))}
			b.Set("packet_valid", 1)
			b.Set("packet_tdest", s.dest)
			b.Set("packet_bytes", uint64(s.left))
			added = append(added, s)
			all++
		}
		if !in.Offered() && !drains {
			b.Scramble(r, "in_data")
			if len(open) > 0 && gives.Next() {
				word = block.RandomBytes(r, beatBytes)
				b.SetBytes("in_data", word)
				in.Offer()
			}
		}
		b.Put("out_tready", takes.Next())
		owes, room := len(open) > 0 || len(want) > 0, len(want) < 2 // as much as the register holds
		b.Step()
		if b.Is("owes") != owes {
			return fmt.Errorf("with %d packets and %d beats on their way it owes: %t", len(open), len(want), b.Is("owes"))
		}
		left, err := out.Taken()
		if err != nil {
			return err
		}
		if left {
			if len(want) == 0 {
				return fmt.Errorf("a beat too many")
			}
			if err := want[0].compare(b); err != nil {
				return err
			}
			want, idle = want[1:], 0
		}
		offered := in.Offered()
		taken := in.Taken()
		if taken && drains {
			return fmt.Errorf("a beat is taken while it drains")
		}
		if offered && len(open) > 0 && !drains {
			if b.Is("in_last") != (open[0].left <= beatBytes) {
				return fmt.Errorf("with %d bytes left it says last: %t", open[0].left, b.Is("in_last"))
			}
		}
		// While it drains a beat goes whenever the register has room.
		moves := taken
		if drains && len(open) > 0 {
			moves = room
		}
		if moves {
			s := &open[0]
			n := min(s.left, beatBytes)
			data := make([]byte, n)
			if taken {
				copy(data, word)
			} else {
				drained++
			}
			s.left -= n
			want, idle = append(want, packet{data, s.dest, s.left == 0}), 0
			if s.left == 0 {
				open = open[1:]
			}
		}
		open = append(open, added...)
		if drains {
			drain--
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	if drained < 20 {
		return fmt.Errorf("only %d beats were filled", drained)
	}
	return nil
}
