package moves

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var accounts = block.NewSet(block.Module{Name: "kernel_account"})

func TestKernelAccount(t *testing.T) { accounts.Check(t, "kernel_account", kernelAccount) }

// patience is after how many cycles without a beat there may be no more.
const patience = 16

// stream is a kernel stream as its slices see it, in beats.
type stream struct {
	owner int // or none
	beats int // that have come, or for which there is room, and no slice has
	part  int // bytes of a beat that slices have
	quiet int
}

const nobody = -1

// accountant knows what a kernel_account does.
type accountant struct {
	in, out stream
	last    int // queue that was granted something
}

func newAccountant(beats int) accountant {
	return accountant{in: stream{owner: nobody}, out: stream{owner: nobody, beats: beats}, last: queues - 1}
}

// readable is how many bytes of the stream slices can take.
func (a *accountant) readable() int { return a.in.beats*beatBytes - a.in.part }

// writable is for how many bytes there is room, with the rest of a beat.
func (a *accountant) writable() int {
	if a.out.part == 0 {
		return a.out.beats * beatBytes
	}
	return a.out.beats*beatBytes + beatBytes - a.out.part
}

// grants makes owners of those that want something, at the end of a cycle. One
// gets all that it wants, when nobody has any of it.
func (a *accountant) grants(in, out uint64) {
	free := func(q int) bool {
		return (in|out)>>q&1 != 0 && (in>>q&1 == 0 || a.in.owner == nobody) && (out>>q&1 == 0 || a.out.owner == nobody)
	}
	next := nobody
	for i := 1; i <= queues && next == nobody; i++ {
		if q := (a.last + i) % queues; free(q) {
			next = q
		}
	}
	for _, s := range []struct {
		*stream
		want uint64
	}{{&a.in, in}, {&a.out, out}} {
		if s.owner != nobody && s.want>>s.owner&1 == 0 {
			s.owner = nobody
		}
		if next != nobody && s.want>>next&1 != 0 {
			s.owner = next
		}
	}
	if next != nobody {
		a.last = next
	}
}

// granted are the queues that have all they want.
func (a *accountant) granted(in, out uint64) (g uint64) {
	for q := range queues {
		wants := in>>q&1 != 0 || out>>q&1 != 0
		if wants && (in>>q&1 == 0 || a.in.owner == q) && (out>>q&1 == 0 || a.out.owner == q) {
			g |= 1 << q
		}
	}
	return g
}

// read takes a slice from the stream; the last one of a move leaves no rest.
func (s *stream) read(bytes int, last bool) {
	s.part += bytes
	s.beats -= s.part / beatBytes
	s.part %= beatBytes
	if last && s.part > 0 {
		s.beats, s.part = s.beats-1, 0
	}
}

// write puts a slice on the stream.
func (s *stream) write(bytes int, last bool) {
	if s.part > 0 {
		s.beats++
	}
	s.part += bytes
	s.beats -= (s.part + beatBytes - 1) / beatBytes
	s.part %= beatBytes
	if last {
		s.part = 0
	}
}

func (s *stream) wait(moved bool) {
	s.quiet = min(s.quiet+1, patience)
	if moved {
		s.quiet = 0
	}
}

// kernelAccount has moves that want the kernel streams, and slices of them.
func kernelAccount(b *block.Bench, r *rand.Rand) error {
	beats := int(b.Const("engine_pkg::KERNEL_BEATS"))
	memory, kernel := b.Const("engine_pkg::FROM_MEMORY"), b.Const("engine_pkg::FROM_KERNEL")
	a := newAccountant(beats)
	var in, out, drop, asked uint64
	slices, moves, dropped, parts := 0, 0, 0, [2]int{}
	pushes, pops, cuts := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	for range 12000 {
		granted := a.granted(in, out)
		for q := range queues {
			switch bit := uint64(1) << q; {
			case drop&bit != 0:
				if in, out = in&^bit, out&^bit; r.IntN(3) == 0 {
					drop &^= bit
				}
			case (in|out)&bit == 0 && r.IntN(20) == 0:
				what := 1 + r.IntN(3)
				in |= uint64(what&1) << q
				out |= uint64(what>>1) << q
			case (in|out)&bit != 0 && r.IntN(150) == 0:
				drop |= bit // also of one that waits
				if granted&bit != 0 {
					dropped++
				}
			}
		}
		b.Scramble(r, "slice")
		b.Put("dispatched", false)
		q := r.IntN(queues)
		bit := uint64(1) << q
		bytes, last := 0, r.IntN(5) == 0
		if granted&^drop&bit != 0 && cuts.Next() {
			bytes = block.RandomLength(r, beatBytes, mostBytes)
			if in&bit != 0 {
				bytes = min(bytes, a.readable())
			}
			if out&bit != 0 {
				bytes = min(bytes, a.writable())
			}
		}
		reads, writes := bytes > 0 && in&bit != 0, bytes > 0 && out&bit != 0
		if bytes > 0 || r.IntN(3) == 0 { // or a slice that has nothing to do with them
			b.Put("dispatched", true)
			b.Put("slice.last", last)
			b.Set("slice.op0.from", memory)
			b.Set("slice.op1.from", memory)
			if reads {
				op := []string{"slice.op0", "slice.op1"}[r.IntN(2)]
				b.Set(op+".from", kernel)
				b.Set(op+".bytes", uint64(bytes))
			}
			b.Put("slice.to_kernel", writes)
			if writes {
				b.Set("slice.result_bytes", uint64(bytes))
			}
		}
		if bytes > 0 && last {
			in, out = in&^bit, out&^bit
			moves++
		}
		pushed := a.in.beats < beats && pushes.Next()
		popped := a.out.beats < beats-1 && pops.Next()
		flushing := r.IntN(700) == 0
		b.Set("in_wanted", in)
		b.Set("out_wanted", out)
		b.Set("drop", drop)
		b.Put("in_pushed", pushed)
		b.Put("out_popped", popped)
		b.Put("flushing", flushing)
		b.InReset = r.IntN(1500) == 0
		b.Settle()
		inDrop := a.in.owner != nobody && drop>>a.in.owner&1 != 0 && a.in.part > 0
		outDrop := a.out.owner != nobody && drop>>a.out.owner&1 != 0 && a.out.part > 0
		for _, x := range []struct {
			name string
			want uint64
		}{
			{"granted", a.granted(in, out)}, {"in_bytes", uint64(a.readable())}, {"out_bytes", uint64(a.writable())},
			{"in_settled", block.Bit(a.in.quiet == patience)}, {"out_settled", block.Bit(a.out.quiet == patience)},
			{"in_drop", block.Bit(inDrop)}, {"out_drop", block.Bit(outDrop)},
		} {
			if got := b.Get(x.name); got != x.want {
				return block.Differs(x.name, got, fmt.Sprintf("%d (in %+v, out %+v)", x.want, a.in, a.out))
			}
		}
		b.Step()
		a.grants(in, out)
		if asked |= a.granted(in, out); reads {
			a.in.read(bytes, last)
		}
		if writes {
			a.out.write(bytes, last)
		}
		if inDrop {
			a.in.beats, a.in.part = a.in.beats-1, 0
			parts[0]++
		}
		if outDrop {
			a.out.beats, a.out.part = a.out.beats+1, 0
			parts[1]++
		}
		a.in.beats += int(block.Bit(pushed))
		a.out.beats += int(block.Bit(popped))
		a.in.wait(pushed)
		a.out.wait(popped)
		if flushing || b.InReset {
			a.in = stream{owner: a.in.owner}
			a.out = stream{owner: a.out.owner, beats: beats}
		}
		if b.InReset {
			a = newAccountant(beats)
			b.InReset = false
		}
		slices += int(block.Bit(bytes > 0))
	}
	if slices < 300 || moves < 30 || dropped < 5 || asked != 1<<queues-1 || parts[0] == 0 || parts[1] == 0 {
		return fmt.Errorf("only %d slices of %d moves were counted, %d moves were given up, with parts of %v beats", slices,
			moves, dropped, parts)
	}
	return nil
}
