package regs

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// page is one of the engine's register pages, and all that it asks for. A word is
// known by its register's name, the high one of two with _high behind it.
type page struct {
	b       *block.Bench
	r       *rand.Rand
	words   map[uint64]string // by offset
	offsets []uint64
	reads   map[string]bool // may be read
	writes  map[string]bool
	kept    map[string]uint64 // what was written
	asks    map[string]string // what it asks for by the names of its ports: until when
	answers []string          // inputs that say something only at that moment
	stalls  func() bool
	seen    map[string]int // accesses
}

// question is something that the page asks for in an access.
type question struct {
	valid  string
	shows  map[string]uint64 // what stands there until it is answered
	answer func()
}

func newPage(b *block.Bench, r *rand.Rand, name string, asks map[string]string, answers ...string) (*page, error) {
	g, err := generation("u55c_tcp")
	if err != nil {
		return nil, err
	}
	p := &page{b: b, r: r, words: map[uint64]string{}, reads: map[string]bool{}, writes: map[string]bool{},
		kept: map[string]uint64{},
		asks: asks, answers: answers, stalls: block.NewRhythm(r).Next, seen: map[string]int{}}
	for _, x := range g.RegisterMap(name).Registers {
		for i, name := range []string{x.Name, x.Name + "_high"}[:x.Width/32] {
			at := uint64(x.At) + 4*uint64(i)
			p.words[at], p.offsets = name, append(p.offsets, at)
			p.reads[name], p.writes[name] = x.Access != "wo", x.Access != "ro"
		}
	}
	return p, nil
}

// offset is that of a word, nearly always.
func (p *page) offset() uint64 {
	if p.r.IntN(20) == 0 {
		return p.r.Uint64N(256)
	}
	return p.offsets[p.r.IntN(len(p.offsets))]
}

// cycle is one in which the page may ask only for what is due.
func (p *page) cycle(due *question) (asked bool, err error) {
	b := p.b
	b.Scramble(p.r, p.answers...)
	for _, done := range p.asks {
		b.Set(done, 0)
	}
	b.Settle()
	for valid := range p.asks {
		if b.Is(valid) && (due == nil || due.valid != valid) {
			return false, fmt.Errorf("%s is raised for nothing", valid)
		}
	}
	if due != nil && b.Is(due.valid) {
		for name, want := range due.shows {
			if got := b.Get(name); got != want {
				return false, fmt.Errorf("%s is %X with %s, not %X", name, got, due.valid, want)
			}
		}
		if asked = true; !p.stalls() {
			due.answer()
			b.Set(p.asks[due.valid], 1)
		}
	}
	b.Step()
	return asked, nil
}

var errCut = errors.New("a reset ended the access")

// access makes an access, in which the page asks for things in their order.
func (p *page) access(a access, questions ...question) (data uint64, fails bool, err error) {
	b := p.b
	b.Set("reg_request.valid", 1)
	b.Put("reg_request.write", a.write)
	b.Set("reg_request.address", a.address)
	b.Set("reg_request.wdata", a.data)
	waits, asking := 0, false
	for {
		if p.r.IntN(300) == 0 {
			b.InReset = true
			b.Set("reg_request.valid", 0)
			b.Step()
			b.InReset = false
			clear(p.kept)
			return 0, false, errCut
		}
		var due *question
		if len(questions) > 0 {
			due = &questions[0]
		}
		asked, err := p.cycle(due)
		switch {
		case err != nil:
			return 0, false, err
		case asked && b.Is(p.asks[due.valid]):
			questions, waits, asked = questions[1:], 0, false
		case asking && !asked:
			return 0, false, fmt.Errorf("%s falls before it is answered", due.valid)
		case asked:
			waits = 0
		}
		asking = asked
		if b.Is("reg_response.ready") {
			b.Set("reg_request.valid", 0)
			if len(questions) > 0 {
				return 0, false, fmt.Errorf("an access ends without %s", questions[0].valid)
			}
			return b.Get("reg_response.rdata"), b.Is("reg_response.error"), nil
		}
		if waits++; waits > 4 {
			return 0, false, errors.New("an access does not end")
		}
	}
}

// rest is without an access.
func (p *page) rest() error {
	for range p.r.IntN(3) {
		p.b.Scramble(p.r, "reg_request")
		p.b.Set("reg_request.valid", 0)
		if _, err := p.cycle(nil); err != nil {
			return err
		}
		if p.b.Is("reg_response.ready") {
			return errors.New("an access ends that nobody makes")
		}
	}
	return nil
}

// once makes an access and compares what it says: what was written, or want; nil
// is anything.
func (p *page) once(a access, fails bool, want *uint64, questions ...question) error {
	name := p.words[a.address]
	if fails = fails || name == "" || a.write && !p.writes[name] || !a.write && !p.reads[name]; fails {
		questions = nil
	}
	got, failed, err := p.access(a, questions...)
	if errors.Is(err, errCut) {
		return p.rest()
	}
	if err != nil {
		return fmt.Errorf("%+v (%s): %w", a, name, err)
	}
	if failed != fails {
		return fmt.Errorf("%+v (%s) fails: %t", a, name, failed)
	}
	p.seen[name]++
	both := p.reads[name] && p.writes[name]
	if both && a.write {
		p.kept[name] = a.data
	}
	if v, ok := p.kept[name]; ok && both {
		want = &v
	}
	if want != nil && !fails && !a.write && got != *want {
		return fmt.Errorf("%s is %X, not %X", name, got, *want)
	}
	return p.rest()
}

// all tells which words were not accessed.
func (p *page) all() error {
	for _, name := range p.words {
		if p.seen[name] < 20 {
			return fmt.Errorf("only %d accesses to %s", p.seen[name], name)
		}
	}
	return nil
}

// lookUp is the question for a rank; answer goes behind its answer.
func (p *page) lookUp(comm, rank uint64, answer func()) question {
	return question{"peer_request.valid", map[string]uint64{"peer_request.comm": comm, "peer_request.rank": rank}, func() {
		p.b.Put("peer_response.ok", p.r.IntN(4) > 0)
		answer()
	}}
}

// buffer notes what stands at ports of a name for the buffer that was written.
func (p *page) buffer(port string, shows map[string]uint64) {
	if v, ok := p.kept["bytes"]; ok {
		shows[port+"_bytes"] = v
	}
	low, ok := p.kept["address"]
	if high, too := p.kept["address_high"]; ok && too {
		shows[port+"_address"] = low | high<<32
	}
}
