package datapath

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestBytePacker(t *testing.T)   { set.Check(t, "byte_packer", bytePacker) }
func TestStreamCutter(t *testing.T) { set.Check(t, "stream_cutter", streamCutter) }
func TestStreamFork(t *testing.T)   { set.Check(t, "stream_fork", streamFork) }

// row is what stands in a row of a packer.
type row struct {
	data [beatBytes]byte
	kept uint64
	last bool
}

// bytePacker writes the bytes of slices into rows where they belong, each once.
func bytePacker(b *block.Bench, r *rand.Rand) error {
	in := block.NewInput(b, "in_valid", "in_ready")
	out := block.NewOutput(b, "out_valid", "out_ready", "out_data", "out_strobe", "out_last")
	gives, takes := block.Stretches{Random: r}, block.Stretches{Random: r}
	var want []row
	var now row
	level, slices, idle := 0, 0, 0
	type beat struct {
		data                    []byte
		first, last, goes, ends bool
		offset                  int
	}
	var beats []beat
	for slices < 400 || len(beats) > 0 || len(want) > 0 {
		if len(beats) == 0 && slices < 400 {
			slices++
			data := block.RandomBytes(r, block.RandomLength(r, beatBytes, mostBytes))
			s := beat{goes: r.IntN(2) == 0, ends: r.IntN(3) == 0, offset: r.IntN(beatBytes)}
			if r.IntN(4) == 0 {
				s.offset = 0
			}
			if !s.goes {
				level, now = s.offset, row{}
			}
			for at, x := range data {
				now.data[level], now.kept = x, now.kept|1<<level
				if level++; level == beatBytes || s.ends && at == len(data)-1 {
					now.last = s.ends && at == len(data)-1
					want = append(want, now)
					level, now = 0, row{}
				}
			}
			for at := 0; at < len(data); at += beatBytes {
				s.data, s.first, s.last = data[at:min(at+beatBytes, len(data))], at == 0, at+beatBytes >= len(data)
				beats = append(beats, s)
			}
		}
		if !in.Offered() {
			b.Scramble(r, "in_data", "in_bytes", "in_first", "in_last", "in_continues", "in_offset", "in_flush")
			if len(beats) > 0 && gives.Next() {
				x := beats[0]
				b.SetBytes("in_data", append(bytes.Clone(x.data), block.RandomBytes(r, beatBytes-len(x.data))...))
				b.Set("in_bytes", uint64(len(x.data)))
				b.Put("in_first", x.first)
				b.Put("in_last", x.last)
				b.Put("in_continues", x.goes)
				b.Put("in_flush", x.ends)
				b.Set("in_offset", uint64(x.offset))
				in.Offer()
			}
		}
		b.Put("out_ready", takes.Next())
		b.Step()
		if in.Taken() {
			beats, idle = beats[1:], 0
		}
		taken, err := out.Taken()
		if err != nil {
			return err
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles: %d rows and %d beats are left", idle, len(want), len(beats))
		}
		if !taken {
			continue
		}
		idle = 0
		if len(want) == 0 {
			return fmt.Errorf("a row too many")
		}
		w := want[0]
		want = want[1:]
		got := b.Bytes("out_data")
		for i := range got {
			if w.kept>>i&1 != 0 && got[i] != w.data[i] {
				return fmt.Errorf("byte %d of a row is %02X, not %02X", i, got[i], w.data[i])
			}
		}
		if b.Get("out_strobe") != w.kept || b.Is("out_last") != w.last {
			return fmt.Errorf("a row has strobes %X, last %t, not %X, %t", b.Get("out_strobe"), b.Is("out_last"), w.kept, w.last)
		}
	}
	// What is forgotten does not come with what follows.
	b.Set("in_first", 0)
	for _, forgets := range []bool{true, false} {
		in.Withdraw()
		b.Reset()
		b.Set("out_ready", 1)
		put := func(n int, ends bool) {
			b.Set("in_valid", 1)
			b.Set("in_bytes", uint64(n))
			b.Put("in_first", true)
			b.Put("in_last", true)
			b.Put("in_continues", true)
			b.Put("in_flush", ends)
			b.Step()
			b.Set("in_valid", 0)
		}
		put(5, false)
		b.Put("forget", forgets)
		b.Step()
		b.Set("forget", 0)
		put(3, true)
		b.Step()
		want := keepOf(8)
		if forgets {
			want = keepOf(3)
		}
		if !b.Is("out_valid") || b.Get("out_strobe") != want {
			return fmt.Errorf("forgotten: %t, then the row has strobes %X, not %X", forgets, b.Get("out_strobe"), want)
		}
	}
	return nil
}

// streamCutter cuts whole beats into slices of any number of bytes.
func streamCutter(b *block.Bench, r *rand.Rand) error {
	in := block.NewInput(b, "in_valid", "in_ready", "in_data")
	gives, takes, cuts := block.Stretches{Random: r}, block.Stretches{Random: r}, block.Stretches{Random: r}
	var stream []byte // what has been taken, or stands there
	at, length, left, slices, idle := 0, 0, 0, 0, 0
	finishes, offered := false, false
	whole := func() { at = (at + beatBytes - 1) / beatBytes * beatBytes }
	for slices < 400 {
		if !in.Offered() {
			b.Scramble(r, "in_data")
			if gives.Next() {
				data := block.RandomBytes(r, beatBytes)
				stream = append(stream, data...)
				b.SetBytes("in_data", data)
				in.Offer()
			}
		}
		drop := false
		if !offered {
			b.Scramble(r, "slice_bytes", "slice_finishes")
			b.Set("slice_valid", 0)
			if cuts.Next() {
				offered, length, finishes = true, block.RandomLength(r, beatBytes, mostBytes), r.IntN(4) == 0
				left = length
				b.Set("slice_valid", 1)
				b.Set("slice_bytes", uint64(length))
				b.Put("slice_finishes", finishes)
			} else {
				drop = r.IntN(4) == 0
			}
		}
		b.Put("drop", drop)
		b.Put("out_ready", takes.Next())
		b.Step()
		in.Taken()
		if idle++; idle > 4000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
		if drop {
			whole()
		}
		if b.Is("out_valid") && !offered {
			return fmt.Errorf("something comes out without a slice")
		}
		moved := b.Is("out_valid") && b.Is("out_ready")
		here := min(left, beatBytes)
		if b.Is("slice_ready") != (moved && here == left) {
			return fmt.Errorf("the slice is taken with %d bytes left: %t", left, b.Is("slice_ready"))
		}
		if !b.Is("out_valid") {
			continue
		}
		if at+here > len(stream) {
			return fmt.Errorf("bytes come out that have not come in")
		}
		if got := b.Bytes("out_data")[:here]; !bytes.Equal(got, stream[at:at+here]) {
			return fmt.Errorf("at %d of the stream the bytes are %X, not %X", at, got, stream[at:at+here])
		}
		if b.Is("out_last") != (here == left) {
			return fmt.Errorf("with %d bytes left it says last: %t", left, b.Is("out_last"))
		}
		if !moved {
			continue
		}
		idle = 0
		at, left = at+here, left-here
		if left == 0 {
			if finishes {
				whole()
			}
			offered = false
			slices++
		}
	}
	return nil
}

// streamFork gives each beat of a slice to each of its takers once.
func streamFork(b *block.Bench, r *rand.Rand) error {
	const takers, depth = 3, 4
	type beat struct {
		data         []byte
		takers       uint64
		served       uint64
		last, nobody bool
	}
	in := block.NewInput(b, "in_valid", "in_ready", "in_data")
	gives, slices := block.Stretches{Random: r}, block.Stretches{Random: r}
	var takes [takers]block.Stretches
	for i := range takes {
		takes[i] = block.Stretches{Random: r}
	}
	var beats []beat
	open, all, idle, dropped := 0, 0, 0, 0
	for all < 400 || len(beats) > 0 {
		b.Scramble(r, "slice_takers", "slice_bytes")
		b.Set("slice_valid", 0)
		if all < 400 && open < depth && slices.Next() {
			to, length := uint64(r.IntN(1<<takers)), block.RandomLength(r, beatBytes, mostBytes)
			b.Set("slice_valid", 1)
			b.Set("slice_takers", to)
			b.Set("slice_bytes", uint64(length))
			for at := 0; at < length; at += beatBytes {
				beats = append(beats, beat{block.RandomBytes(r, beatBytes), to, 0, at+beatBytes >= length, to == 0})
			}
			open++
			all++
		}
		if !in.Offered() {
			b.Scramble(r, "in_data")
			if len(beats) > 0 && gives.Next() {
				b.SetBytes("in_data", beats[0].data)
				in.Offer()
			}
		}
		ready := uint64(0)
		for i := range takes {
			if takes[i].Next() {
				ready |= 1 << i
			}
		}
		b.Set("out_ready", ready)
		b.Step()
		valid := b.Get("out_valid")
		if valid != 0 {
			x := &beats[0]
			if valid&^x.takers != 0 || valid&x.served != 0 {
				return fmt.Errorf("a beat of the takers %03b, of which %03b have it, is offered to %03b", x.takers, x.served, valid)
			}
			if got := b.Bytes("out_data"); !bytes.Equal(got, x.data) {
				return fmt.Errorf("the takers get %X, not %X", got, x.data)
			}
			x.served |= valid & ready
			idle = 0
		}
		taken := in.Taken()
		if gone := b.Is("dropped"); gone != (taken && beats[0].last && beats[0].nobody) {
			return fmt.Errorf("a slice is dropped: %t", gone)
		} else if gone {
			dropped++
		}
		if taken {
			x := beats[0]
			if x.served != x.takers {
				return fmt.Errorf("a beat goes that only %03b of %03b have", x.served, x.takers)
			}
			beats, idle = beats[1:], 0
			if x.last {
				open--
			}
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	if dropped < 20 {
		return fmt.Errorf("only %d slices were dropped", dropped)
	}
	return nil
}
