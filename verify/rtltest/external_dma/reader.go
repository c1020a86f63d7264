package external_dma

import (
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const nobody = -1

// line is one of memory on its way.
type line struct {
	data     []byte
	response uint64
	last     bool
	at       uint64 // cycle from which on it is there
}

// readPort is a memory at a port of a reader, or, if it is nobody's, all of them:
// ar_memory says which.
type readPort struct {
	memory  int
	at      ports
	never   bool // the reader lets no line wait
	asks    *block.Drain
	answers *block.Feed[line]
	want    []burst
	latency uint64
}

// reader is what surrounds a channel that reads.
type reader struct {
	delivery
	memory []*readPort
}

func newReader(b *block.Bench, r *rand.Rand, memories, lines int, at ports, of ...*readPort) *reader {
	x := &reader{delivery{channel: newChannel(b, r, memories, lines, at)}, of}
	x.open()
	for _, p := range of {
		asked := p.at.all("ar_address", "ar_length")
		if p.memory == nobody {
			asked = append(asked, p.at("ar_memory"))
		}
		p.asks = &block.Drain{Output: block.NewOutput(b, p.at("ar_valid"), p.at("ar_ready"), asked...)}
		p.answers = &block.Feed[line]{Input: block.NewInput(b, p.at("r_valid"), p.at("r_ready"),
			p.at.all("r_data", "r_response")...)}
		last := p.at("r_last")
		if b.Has(last) {
			p.answers.Fields = append(p.answers.Fields, last)
		}
		p.answers.Put = func(l line) {
			b.SetBytes(p.at("r_data"), l.data)
			b.Set(p.at("r_response"), l.response)
			if b.Has(last) {
				b.Put(last, l.last)
			}
		}
	}
	return x
}

func (x *reader) add(c command) {
	p := x.memory[min(c.memory, len(x.memory)-1)]
	p.want = append(p.want, x.delivery.add(c)...)
}

func (x *reader) begin() {
	x.delivery.begin()
	for _, p := range x.memory {
		gives := x.pace()
		p.latency = 0
		paces(x.r, x.still, p.asks)
		if gives != nil {
			p.latency = x.r.Uint64N(60)
		}
		p.answers.Pace = func() bool { return p.answers.Queue[0].at <= x.b.Cycle && (gives == nil || gives()) }
	}
	for range 15 + x.r.IntN(15) {
		x.add(next(x.r, x.memories))
	}
}

func (x *reader) drive() {
	x.delivery.drive()
	for _, p := range x.memory {
		p.asks.Drive()
		p.answers.Drive(x.r)
	}
}

func (x *reader) check() (bool, error) {
	moved, err := x.delivery.check()
	for _, p := range x.memory {
		if err != nil {
			return false, err
		}
		if p.never && p.answers.Offered() && !x.b.Is(p.answers.Ready) {
			return false, fmt.Errorf("a line has to wait")
		}
		_, gone := p.answers.Gone()
		moved = moved || gone
		var asked bool
		asked, err = x.ask(p)
		moved = moved || asked
	}
	return moved, err
}

// ask is what a memory is asked for.
func (x *reader) ask(p *readPort) (bool, error) {
	ok, err := p.asks.Taken()
	if !ok {
		return false, err
	}
	if len(p.want) == 0 {
		return false, fmt.Errorf("a burst of nothing")
	}
	w := p.want[0]
	p.want = p.want[1:]
	got := burst{w.memory, int(x.b.Get(p.at("ar_length"))) + 1, x.b.Get(p.at("ar_address"))}
	if p.memory == nobody && x.memories > 1 {
		got.memory = int(x.b.Get(p.at("ar_memory")))
	}
	if got != w {
		return false, fmt.Errorf("memory is asked for %+v, not for %+v", got, w)
	}
	for i := range w.beats {
		at := w.address/lineBytes + uint64(i)
		p.answers.Queue = append(p.answers.Queue, line{x.content.line(w.memory, at), x.content.response(w.memory, at),
			i == w.beats-1, x.b.Cycle + p.latency})
	}
	return true, nil
}

func (x *reader) left() bool {
	left := x.delivery.left()
	for _, p := range x.memory {
		left = left || len(p.want)+len(p.answers.Queue) > 0
	}
	return left
}

func (x *reader) forget() {
	x.delivery.forget()
	for _, p := range x.memory {
		p.asks.Forget()
		p.answers.Forget()
		p.want = nil
	}
}
