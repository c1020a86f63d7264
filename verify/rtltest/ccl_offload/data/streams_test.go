package datapath_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const beatBytes = 64

// beat is one of a stream.
type beat struct {
	data [beatBytes]byte
	keep uint64
	last bool
	dest uint32
}

// wires are the pins of a stream; what a stream does not have is nil.
type wires struct {
	name                   string
	valid, ready           []uint32
	data, keep, last, dest []uint32

	waiting bool // what an output showed and nobody took
	shown   beat
}

// newWires are those of a stream; its pins begin with a prefix, and most of them go on with a stem.
func newWires(b *block.Bench, prefix, stem string) wires {
	w := wires{name: prefix}
	for name, at := range map[string]*[]uint32{
		stem + "valid": &w.valid, stem + "ready": &w.ready, stem + "data": &w.data, stem + "keep": &w.keep,
		stem + "last": &w.last, "tdest": &w.dest,
	} {
		if b.Has(prefix + name) {
			*at = b.Words(prefix + name)
		}
	}
	return w
}

func (w *wires) put(b beat) {
	for i := range beatBytes / 4 {
		w.data[i] = binary.LittleEndian.Uint32(b.data[4*i:])
	}
	if w.last != nil {
		w.last[0] = flag(b.last)
	}
}

func (w *wires) get() (b beat) {
	for i := range w.data {
		binary.LittleEndian.PutUint32(b.data[4*i:], w.data[i])
	}
	if w.keep != nil {
		b.keep = uint64(w.keep[0]) | uint64(w.keep[1])<<32
	}
	if w.last != nil {
		b.last = w.last[0]&1 != 0
	}
	if w.dest != nil {
		b.dest = w.dest[0]
	}
	return b
}

func flag(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// chance is true in so many of 100 cases.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// keepOf is the TKEEP of a beat with n bytes.
func keepOf(n int) uint64 {
	if n >= beatBytes {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// sink takes beats of an output, which must keep what it shows until it is taken.
type sink struct {
	wires
	taken bool
	beat  beat
}

func (s *sink) observe(w *world, loose bool) {
	valid := s.valid[0]&1 != 0
	now := s.get()
	if s.waiting && !loose && (!valid || now != s.shown) {
		w.t.Fatalf("cycle %d: %s did not hold what it showed", w.b.Cycle, s.name)
	}
	s.taken = valid && s.ready[0]&1 != 0
	s.waiting = valid && !s.taken
	s.shown, s.beat = now, now
}

// source gives beats to an input.
type source struct {
	wires
	queue []beat
	given bool // a beat was taken in the last cycle
}

// drive shows the next beat; a beat that is shown stays until it is taken.
func (s *source) drive(r *rand.Rand, busy int) {
	if len(s.queue) == 0 {
		s.valid[0] = 0
		return
	}
	if s.valid[0] == 0 || s.given {
		s.valid[0] = flag(chance(r, busy))
		s.put(s.queue[0])
	}
}

func (s *source) observe() {
	s.given = s.valid[0]&1 != 0 && s.ready[0]&1 != 0
	if s.given {
		s.queue = s.queue[1:]
	}
}

// plugin is an arithmetic unit or a converter: beats of one or two packets go
// in, those of one come out.
type plugin struct {
	in      []*sink
	out     *source
	compute func(tdest uint32, operands [][]byte) []byte
	waiting [][]beat
	packet  [][]byte // what has come of the present packet
	given   int      // bytes of its result that were given
	hung    bool
	pace    *int
}

func (p *plugin) drive(r *rand.Rand) {
	for i, s := range p.in {
		s.ready[0] = flag(!p.hung && len(p.waiting[i]) < 4 && chance(r, *p.pace))
	}
	if p.hung {
		if p.out.valid[0] == 0 || p.out.given {
			p.out.valid[0] = 0
		}
		return
	}
	p.out.drive(r, *p.pace)
}

func (p *plugin) observe(w *world) {
	p.out.observe()
	for i, s := range p.in {
		s.observe(w, false)
		if s.taken {
			p.waiting[i] = append(p.waiting[i], s.beat)
		}
	}
	for !slices.ContainsFunc(p.waiting, func(b []beat) bool { return len(b) == 0 }) && len(p.out.queue) < 4 {
		first := p.waiting[0][0]
		for i := range p.waiting {
			b := p.waiting[i][0]
			p.waiting[i] = p.waiting[i][1:]
			if b.keep != first.keep || b.last != first.last || b.dest != first.dest {
				w.t.Fatalf("cycle %d: operands of %s do not go together: %s", w.b.Cycle, p.out.name,
					fmt.Sprintf("keep %x and %x, last %v and %v", first.keep, b.keep, first.last, b.last))
			}
			n := bits.OnesCount64(b.keep)
			if b.keep != keepOf(n) || n == 0 || (!b.last && n != beatBytes) {
				w.t.Fatalf("cycle %d: %s: keep %x, last %v", w.b.Cycle, s(p, i), b.keep, b.last)
			}
			p.packet[i] = append(p.packet[i], b.data[:n]...)
		}
		result := p.compute(first.dest, p.packet)
		for len(result)-p.given >= beatBytes || first.last && len(result) > p.given {
			var b beat
			n := copy(b.data[:], result[p.given:])
			for i := n; i < beatBytes; i++ {
				b.data[i] = byte(w.r.Uint32()) // nobody may look at them
			}
			p.given += n
			p.out.queue = append(p.out.queue, b)
		}
		if first.last {
			p.given = 0
			for i := range p.packet {
				p.packet[i] = nil
			}
		}
	}
}

func s(p *plugin, i int) string { return p.in[i].name }

// add is what the reduction does: all bytes of both operands, and its TDEST.
func add(tdest uint32, operands [][]byte) []byte {
	result := slices.Clone(operands[0])
	for i := range result {
		result[i] += operands[1][i] + byte(tdest)
	}
	return result
}

// The conversions: the low half of 4 bytes, or 2 bytes as 4.
const (
	narrow = 0
	widen  = 1
)

func convert(tdest uint32, in []byte) []byte {
	var out []byte
	if tdest == narrow {
		for i := 0; i+4 <= len(in); i += 4 {
			out = append(out, in[i], in[i+1])
		}
		return out
	}
	for i := 0; i+2 <= len(in); i += 2 {
		out = append(out, in[i], in[i+1], 0, 0)
	}
	return out
}
