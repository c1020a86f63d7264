package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// packet is one that comes; the last session is the engine itself.
type packet struct {
	session int
	data    []byte
	good    bool
	at      int // bytes that have come
}

// stretch is what inbound has taken.
type stretch struct {
	session int
	data    []byte
	before  int // bytes in front of the packet, which may be anything
}

const (
	sessions = 7
	own      = 6 // the engine itself
)

// taker is the inbound side: it holds packets up, drops some, and takes the others
// in part or as a whole.
type taker struct {
	b               *block.Bench
	r               *rand.Rand
	numbers         [sessions]uint64
	orders          [sessions][]*packet // that can be offered
	jobs            []stretch           // that are to come out
	out             *block.Output
	takes, verdicts *block.Rhythm
	stuck           int // session whose packets are held up
	patient         int // sessions from this one on may be held up
	enabled         bool
	seen            int
	offered         *packet
	cuts            bool // what is behind the end of a message is offered again
	told            bool // packets are offered as soon as they begin
	kind, bytes     int
	before, rest    int
	again           int // offers of what was left
	since           int // cycles for which a session that is not held up waits
}

func newTaker(b *block.Bench, r *rand.Rand) *taker {
	x := &taker{b: b, r: r, enabled: true, stuck: -1, cuts: b.Const("engine_pkg::STREAMS") != 0,
		told: b.Const("engine_pkg::STACK_UDP") == 0}
	for i := range own {
		x.numbers[i] = uint64(i*150 + 3)
	}
	x.out = block.NewOutput(b, "rx_data_valid", "rx_data_ready", "rx_data", "rx_data_keep", "rx_data_last")
	x.pace()
	return x
}

// pace changes how fast it takes, and who is held up.
func (x *taker) pace() {
	x.takes, x.verdicts = block.NewRhythm(x.r), block.NewRhythm(x.r)
	if x.stuck = x.r.IntN(2*sessions) - sessions; x.stuck < x.patient {
		x.stuck = -1
	}
}

// beat is one of a packet from the stack that was taken; last tells whether it was its last.
func (x *taker) beat(p *packet) (last bool) {
	first := p.at == 0
	last = p.gone()
	if x.told && first || !x.told && last {
		offered := *p // what is left of it is its own
		x.complete(&offered)
	}
	return last
}

// complete is a packet that can be offered.
func (x *taker) complete(p *packet) {
	if p.good {
		x.orders[p.session] = append(x.orders[p.session], p)
	}
}

// drive goes before a cycle has settled.
func (x *taker) drive(resetting bool) {
	b := x.b
	b.Put("rx_data_ready", x.takes.Next() || resetting)
	b.Put("rx_retry", x.r.IntN(40) == 0)
	b.Put("rx_verdict_valid", x.verdicts.Next())
	b.Scramble(x.r, "rx_verdict", "rx_take_bytes", "rx_before", "rx_rest")
	b.Put("network_enable", x.enabled)
}

const drop, hold, payload, whole = 0, 1, 2, 3

// look says what becomes of what is offered; it goes before a step.
func (x *taker) look() error {
	b, r := x.b, x.r
	if x.offered = nil; !b.Is("rx_valid") {
		return nil
	}
	s := slices.Index(x.numbers[:own], b.Get("rx_session"))
	if b.Is("rx_loop") && b.Get("rx_session") == 0 {
		s = own
	}
	if s < 0 || len(x.orders[s]) == 0 {
		return fmt.Errorf("a packet of session %d is offered", b.Get("rx_session"))
	}
	p := x.orders[s][0]
	first := make([]byte, beat)
	copy(first, p.data)
	if int(b.Get("rx_bytes")) != len(p.data) || !bytes.Equal(b.Bytes("rx_beat"), first) {
		return fmt.Errorf("%d bytes of session %d are offered: %X; not %d: %X", b.Get("rx_bytes"), b.Get("rx_session"),
			b.Bytes("rx_beat"), len(p.data), first)
	}
	if x.kind = r.IntN(4); s == x.stuck {
		x.kind = hold
	} else if x.kind == hold && s < x.patient {
		x.kind = drop
	}
	x.before, x.rest = 0, 0
	if x.cuts && r.IntN(3) == 0 {
		x.before, x.rest = r.IntN(2)*r.IntN(beat), min(len(p.data)-1, r.IntN(len(p.data)), r.IntN(5000))
	}
	n := len(p.data) - x.rest
	if x.kind == payload {
		n -= beat - x.before
	}
	if x.bytes = max(n, 0); r.IntN(4) == 0 {
		x.bytes = r.IntN(x.bytes + 1)
	}
	take := x.bytes
	if x.kind == whole && x.bytes > 0 {
		take += x.before
	}
	b.Set("rx_verdict", uint64(x.kind))
	b.Set("rx_take_bytes", uint64(take))
	b.Set("rx_before", uint64(x.before))
	b.Set("rx_rest", uint64(x.rest))
	x.offered = p
	return nil
}

// took goes after a step.
func (x *taker) took(resetting bool) error {
	b, p := x.b, x.offered
	verdict := p != nil && b.Is("rx_verdict_valid") && x.enabled && !resetting
	switch {
	case resetting: // what was offered or waits is gone
		x.orders = [sessions][]*packet{}
	case verdict && x.kind != hold:
		s := p.session
		if x.kind == payload && x.bytes > 0 {
			x.jobs = append(x.jobs, stretch{s, p.data[beat-x.before:][:x.bytes], 0})
		} else if x.kind == whole && x.bytes > 0 {
			x.jobs = append(x.jobs, stretch{s, append(make([]byte, x.before), p.data[:x.bytes]...), x.before})
		}
		if x.rest > 0 {
			p.data = p.data[len(p.data)-x.rest:]
			x.again++
		} else {
			x.orders[s] = x.orders[s][1:]
		}
		x.seen++
		x.since = 0
	}
	// A session that is not held up goes on.
	if len(x.orders[0]) == 0 || x.stuck == 0 || resetting || !x.enabled {
		x.since = 0
	} else if x.since++; x.since > 3000 {
		return errors.New("nothing is offered")
	}
	ok, err := x.out.Taken()
	if err != nil || !ok {
		return err
	}
	if len(x.jobs) == 0 {
		return errors.New("data come that nobody has taken")
	}
	j, before := x.jobs[0].data, x.jobs[0].before
	n := min(beat, len(j))
	x.jobs[0].before = 0
	if got := b.Bytes("rx_data"); !bytes.Equal(got[before:n], j[before:n]) ||
		b.Get("rx_data_keep") != ^uint64(0)>>(beat-n) || b.Is("rx_data_last") != (n == len(j)) {
		return fmt.Errorf("data are %X keep %X last %t, not %X of %d", got, b.Get("rx_data_keep"), b.Is("rx_data_last"),
			j[:n], len(j))
	}
	if x.jobs[0].data = j[n:]; n == len(j) {
		x.jobs = x.jobs[1:]
	}
	return nil
}

// left tells whether there is something that inbound has not got.
func (x *taker) left() bool {
	return len(x.jobs) > 0 || slices.ContainsFunc(x.orders[:], func(o []*packet) bool { return len(o) > 0 })
}

// beats gives the bytes of packets, with random ones behind their ends.
func (p *packet) beats(b *block.Bench, r *rand.Rand, data, keep string) (last bool) {
	n := min(beat, len(p.data)-p.at)
	x := random(r, beat)
	copy(x, p.data[p.at:p.at+n])
	b.SetBytes(data, x)
	b.Set(keep, ^uint64(0)>>(beat-n))
	return p.at+n == len(p.data)
}

// gone counts a beat that was taken.
func (p *packet) gone() (complete bool) {
	p.at += beat
	return p.at >= len(p.data)
}

// looper sends packets to the engine itself.
type looper struct {
	b      *block.Bench
	r      *rand.Rand
	in     *block.Input
	gives  *block.Rhythm
	now    *packet
	stalls int // until this cycle
}

func newLooper(b *block.Bench, r *rand.Rand) *looper {
	return &looper{b: b, r: r, in: block.NewInput(b, "loop_valid", "loop_ready"), gives: block.NewRhythm(r)}
}

func (l *looper) drive(cycle int, resetting bool) {
	b, r := l.b, l.r
	if l.in.Offered() {
		return
	}
	b.Scramble(r, "loop_data", "loop_keep", "loop_last")
	if l.now == nil && l.gives.Next() && b.Is("loop_room") && !resetting {
		l.now = &packet{session: own, data: small(r), good: true}
	}
	if l.now != nil && cycle >= l.stalls && (l.begun() || !resetting) && l.gives.Next() {
		b.Put("loop_last", l.now.beats(b, r, "loop_data", "loop_keep"))
		l.in.Offer()
	}
}

// begun tells whether the module knows of a packet that is not complete.
func (l *looper) begun() bool { return l.now != nil && (l.now.at > 0 || l.in.Offered()) }

// took goes after a step; it returns what is complete.
func (l *looper) took(resetting bool) (p *packet) {
	if l.begun() && resetting {
		l.now.good = false
	}
	if l.in.Taken() && l.now.gone() {
		p, l.now = l.now, nil
	}
	return p
}

// small are the bytes of a packet, often few.
func small(r *rand.Rand) []byte {
	if r.IntN(3) > 0 {
		return random(r, 1+r.IntN(300))
	}
	return random(r, length(r, 4096))
}

// length is one of a packet or slice: often short, or around the ends of beats
// or of a slot.
func length(r *rand.Rand, most int) int {
	switch r.IntN(4) {
	case 0:
		return 1 + r.IntN(min(200, most))
	case 1:
		return min(most, max(1, beat*(1+r.IntN(most/beat))+r.IntN(3)-1))
	case 2:
		return most - r.IntN(min(3, most))
	}
	return 1 + r.IntN(most)
}
