package kernels

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

var parts = block.NewSet(
	block.Module{Name: "vadd_put_adder", Folder: "vadd_put"},
	block.Module{Name: "vadd_put_call", Folder: "vadd_put"},
	block.Module{Name: "vadd_put_commands", Folder: "vadd_put"},
)

func TestAdder(t *testing.T)    { parts.Check(t, "vadd_put_adder", adder) }
func TestCall(t *testing.T)     { parts.Check(t, "vadd_put_call", placesCalls) }
func TestCommands(t *testing.T) { parts.Check(t, "vadd_put_commands", cuts) }

// sum is a beat whose elements have 1 more.
type sum struct {
	data []byte
	keep uint64
	last bool
}

// adder adds in six stages, which move together; what leaves them while it
// discards is gone.
func adder(b *block.Bench, r *rand.Rand) error {
	const stages = 6
	for range 8 {
		b.Reset()
		in := &block.Feed[[]byte]{Input: block.NewInput(b, "in_valid", "in_ready", "in_data", "in_keep", "in_last"),
			Pace: block.NewRhythm(r).Next}
		in.Put = func(v []byte) {
			b.SetBytes("in_data", v)
			b.Set("in_keep", r.Uint64())
			b.Put("in_last", r.IntN(3) == 0)
		}
		out := &block.Drain{Output: block.NewOutput(b, "out_valid", "out_ready", "out_data", "out_keep", "out_last"),
			Pace: block.NewRhythm(r).Next}
		var inside [stages]*sum
		var want []sum
		discards, left, passed := false, 0, 0
		out.Late = r.IntN(4) == 0
		still := r.IntN(3) == 0
		if still {
			in.Pace, out.Pace, out.Late = nil, nil, false
		}
		for range 600 {
			if len(in.Queue) == 0 {
				v := make([]byte, 64)
				for i := 0; i < 64; i += 4 {
					x := r.Uint32()
					if x%4 == 0 { // near 1, where sums round and cancel
						x = uint32(one)&^(r.Uint32()>>(r.IntN(24)+8))<<r.IntN(2) ^ x<<31
					}
					le.PutUint32(v[i:], x)
				}
				in.Queue = append(in.Queue, v)
			}
			if left--; left < 0 {
				discards, left = !discards && !still && r.IntN(3) == 0, r.IntN(60)
			}
			b.Put("discard", discards)
			in.Drive(r)
			out.Drive()
			keep, last := b.Get("in_keep"), b.Is("in_last")
			b.Step()
			ready := b.Is("in_ready")
			if !ready && (still || discards) {
				return errors.New("it has to wait for nobody")
			}
			if ok, err := out.Taken(); err != nil {
				return err
			} else if ok {
				if len(want) == 0 {
					return errors.New("a beat that should not leave")
				}
				w := want[0]
				if got := b.Bytes("out_data"); !bytes.Equal(got, w.data) || b.Get("out_keep") != w.keep ||
					b.Is("out_last") != w.last {
					return fmt.Errorf("%X leaves, keep %X, last %t; not %X, %X, %t", got, b.Get("out_keep"), b.Is("out_last"),
						w.data, w.keep, w.last)
				}
				want = want[1:]
				passed++
			}
			if len(want) > 2 {
				return errors.New("a beat does not leave")
			}
			v, ok := in.Gone()
			if !ready {
				continue
			}
			if s := inside[stages-1]; s != nil && !discards {
				want = append(want, *s)
			}
			copy(inside[1:], inside[:stages-1])
			if inside[0] = nil; ok {
				s := &sum{make([]byte, 64), keep, last}
				for i := 0; i < 64; i += 4 {
					le.PutUint32(s.data[i:], uint32(ieee.Float32.Sum(uint64(le.Uint32(v[i:])), one)))
				}
				inside[0] = s
			}
		}
		if still && passed < 500 {
			return fmt.Errorf("only %d beats passed", passed)
		}
	}
	return nil
}

// placesCalls starts calls, takes their words and answers them.
func placesCalls(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	k := &putBench{d: d}
	call := &block.Drain{Output: block.NewOutput(b, "call_valid", "call_ready", "call_data", "call_last"),
		Pace: block.NewRhythm(r).Next}
	answers := block.NewRhythm(r).Next
	var want []uint32 // words that are to come
	busy, failed, starts := false, false, 0
	for range 6000 {
		if r.IntN(400) == 0 {
			b.Reset()
			want, busy, failed = nil, false, false
			call.Forget()
			call.Pace, call.Late, answers = block.NewRhythm(r).Next, r.IntN(3) == 0, block.NewRhythm(r).Next
		}
		start := !busy && r.IntN(4) == 0
		if !busy {
			b.Scramble(r, "count", "destination", "comm_adr", "dpcfg_adr")
		}
		b.Put("start", start)
		answer, code := answers(), uint64(r.Uint32())
		if r.IntN(2) == 0 {
			code = 1 << r.IntN(32) & code
		}
		b.Put("answer_valid", answer)
		b.Set("answer_data", code)
		call.Drive()
		b.Step()
		if b.Is("busy") != busy || busy && b.Is("failed") || !busy && b.Is("failed") != failed {
			return fmt.Errorf("busy %t, failed %t; not %t, %t", b.Is("busy"), b.Is("failed"), busy, failed)
		}
		if b.Is("call_valid") != (len(want) > 0) || b.Is("answer_ready") != (busy && len(want) == 0) {
			return fmt.Errorf("a word %t, an answer %t; there are %d words, busy %t", b.Is("call_valid"), b.Is("answer_ready"),
				len(want), busy)
		}
		if busy && len(want) == 0 && answer {
			busy, failed = false, code != 0
		}
		if ok, err := call.Taken(); err != nil {
			return err
		} else if ok {
			if got := b.Get("call_data"); uint32(got) != want[0] || b.Is("call_last") != (len(want) == 1) {
				return fmt.Errorf("a word is %X, last %t; not %X of %d", got, b.Is("call_last"), want[0], len(want))
			}
			want = want[1:]
		}
		if start {
			busy = true
			starts++
			want = k.call(uint32(b.Get("count")), uint32(b.Get("destination")), uint32(b.Get("comm_adr")),
				uint32(b.Get("dpcfg_adr")))
		}
	}
	if starts < 40 {
		return fmt.Errorf("only %d calls", starts)
	}
	return nil
}

// cuts has transfers of any size cut into commands.
func cuts(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	at := map[string]abi.Field{}
	for _, f := range d.ABI().Layout("dma_command").Fields {
		at[f.Name] = f
	}
	const piece = 1 << 22
	commands := &block.Drain{Output: block.NewOutput(b, "command_valid", "command_ready", "command_data")}
	for transfer := range 40 {
		commands.Pace, commands.Late = block.NewRhythm(r).Next, r.IntN(3) == 0
		statuses := block.NewRhythm(r).Next
		address, bytes := r.Uint64()>>1, 1+r.Uint64N(1<<33-1)
		switch {
		case transfer == 20:
			bytes = 1<<33 - 4
		case r.IntN(2) == 0:
			bytes = 1 + r.Uint64N(8*piece)
		case r.IntN(2) == 0:
			bytes = piece*(1+r.Uint64N(8)) + r.Uint64N(3) - 1
		case r.IntN(2) == 0:
			bytes = 1 + r.Uint64N(1<<30)
		}
		if transfer%8 == 7 {
			b.Reset()
			commands.Forget()
		}
		b.Scramble(r, "address", "bytes")
		b.Set("start", 0)
		b.Set("status_valid", 0)
		b.Step()
		if b.Is("busy") {
			return errors.New("it is busy with nothing")
		}
		b.Set("address", address)
		b.Set("bytes", bytes)
		b.Set("start", 1)
		commands.Drive()
		b.Step()
		b.Set("start", 0)
		next, end, open := address, address+bytes, 0
		for idle := 0; next != end || open > 0; idle++ {
			if idle > 200 {
				return errors.New("no command comes")
			}
			if transfer%8 == 6 && r.IntN(6) == 0 {
				break // the reset comes
			}
			b.Scramble(r, "address", "bytes")
			commands.Drive()
			status := open > 0 && statuses() && (transfer != 20 || next == end)
			b.Put("status_valid", status)
			b.Step()
			if !b.Is("busy") {
				return fmt.Errorf("it is not busy with %d bytes and %d commands to come", end-next, open)
			}
			if status {
				open--
				idle = 0
			}
			ok, err := commands.Taken()
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			n := min(end-next, piece)
			for name, f := range at {
				want := map[string]uint64{"bytes": n, "incrementing": 1, "address": next}[name]
				if name == "eof" && next+n == end {
					want = 1
				}
				if got := bits(b.Bytes("command_data"), f); got != want {
					return fmt.Errorf("%s of a command is %X, not %X", name, got, want)
				}
			}
			next += n
			open++
			idle = 0
		}
	}
	return nil
}

// bits are those of a field.
func bits(word []byte, f abi.Field) (v uint64) {
	for i := range f.Bits() {
		at := f.Low + i
		v |= uint64(word[at/8]>>(at%8)&1) << i
	}
	return v
}
