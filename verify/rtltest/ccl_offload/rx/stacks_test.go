package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// stack is one in front of the engine: its data, in their order, and what it does
// besides.
type stack struct {
	b      *block.Bench
	r      *rand.Rand
	x      *taker
	in     *block.Input
	gives  *block.Rhythm
	stalls int       // until this cycle no data come
	queue  []*packet // whose data are to come
	drive  func(more bool)
	took   func() error
	knows  func() bool // the engine knows of something that has not come
	doom   func()      // what the engine knows of is dropped
	ended  func() error
	silent []string // outputs that stay 0
}

const whole4K = 4096

func newStack(b *block.Bench, r *rand.Rand, x *taker) *stack {
	s := &stack{b: b, r: r, x: x, gives: block.NewRhythm(r)}
	s.in = block.NewInput(b, "eth_rx_data_tvalid", "eth_rx_data_tready")
	s.ended = func() error { return nil }
	return s
}

// data are the beats of what is in the queue.
func (s *stack) data(cycle int) {
	b, r := s.b, s.r
	b.Put("eth_rx_meta_tvalid", r.IntN(2) == 0)
	b.Scramble(r, "eth_rx_meta_tdata")
	if s.in.Offered() {
		return
	}
	b.Scramble(r, "eth_rx_data_tdata", "eth_rx_data_tkeep", "eth_rx_data_tlast", "eth_rx_data_tdest")
	if len(s.queue) > 0 && cycle >= s.stalls && s.gives.Next() {
		p := s.queue[0]
		b.Put("eth_rx_data_tlast", p.beats(b, r, "eth_rx_data_tdata", "eth_rx_data_tkeep"))
		b.Set("eth_rx_data_tdest", s.x.numbers[p.session])
		s.in.Offer()
	}
}

// step goes after a step.
func (s *stack) step(resetting bool) error {
	if !s.b.Is("eth_rx_meta_tready") {
		return errors.New("the stack has to wait before data")
	}
	for _, name := range s.silent {
		if s.b.Is(name) {
			return fmt.Errorf("%s is raised for this stack", name)
		}
	}
	if resetting {
		s.doom()
	}
	if s.in.Taken() && s.x.beat(s.queue[0]) {
		s.queue = s.queue[1:]
	}
	return s.took()
}

// udpStack gives packets as they come, some of which are too large.
func udpStack(b *block.Bench, r *rand.Rand, x *taker) *stack {
	s := newStack(b, r, x)
	s.silent = []string{"eth_read_pkg_tvalid", "session_closed_valid"}
	large, said := 0, 0
	s.drive = func(more bool) {
		b.Put("eth_notification_tvalid", r.IntN(2) == 0)
		b.Scramble(r, "eth_notification_tdata")
		if len(s.queue) == 0 && more && r.IntN(3) > 0 {
			p := &packet{session: r.IntN(own), data: small(r), good: true}
			if r.IntN(10) == 0 {
				p.data = random(r, whole4K+1+r.IntN(200)*r.IntN(20))
				p.good = false
				large++
			}
			s.queue = append(s.queue, p)
		}
	}
	s.took = func() error {
		if !b.Is("eth_notification_tready") {
			return errors.New("the stack has to wait")
		}
		if b.Is("bad_packet") {
			if said++; said > large {
				return errors.New("a packet is too large, it says, that was not")
			}
		}
		return nil
	}
	s.knows = func() bool { return len(s.queue) > 0 && (s.queue[0].at > 0 || s.in.Offered()) }
	s.doom = func() {
		if s.knows() {
			s.queue[0].good = false
		}
	}
	s.ended = func() error {
		if said != large || large == 0 {
			return fmt.Errorf("%d packets were too large, it says; not %d", said, large)
		}
		return nil
	}
	return s
}

// told is what a stack has told of.
type told struct {
	session, bytes int
	closed, good   bool
}

// telling are the notifications of a stack.
func (s *stack) telling(layout string, new func() told, taken func(told)) {
	in := block.NewInput(s.b, "eth_notification_tvalid", "eth_notification_tready")
	gives := block.NewRhythm(s.r)
	var now told
	data, doom, knows := s.took, s.doom, s.knows
	s.drive = func(more bool) {
		if in.Offered() {
			return
		}
		s.b.Scramble(s.r, "eth_notification_tdata")
		if !more || !gives.Next() {
			return
		}
		now = new()
		closed := uint64(0)
		if now.closed {
			closed = 1
		}
		values := map[string]uint64{"session": s.x.numbers[now.session], "length": uint64(now.bytes), "closed": closed}
		for name := range values {
			if _, there := layouts()[layout][name]; !there {
				delete(values, name)
			}
		}
		fill(s.b, s.r, "eth_notification_tdata", layout, values)
		in.Offer()
	}
	s.took = func() error {
		if in.Taken() && (now.closed || now.bytes > 0) {
			taken(now)
		}
		return data()
	}
	s.knows = func() bool { return in.Offered() || len(s.queue) > 0 || knows() }
	s.doom = func() {
		now.good = false
		for _, p := range s.queue {
			p.good = false
		}
		doom()
	}
}

// fill sets a notification; what else stands in it is random.
func fill(b *block.Bench, r *rand.Rand, port, name string, values map[string]uint64) {
	data := random(r, b.Width(port)/8)
	for field, v := range values {
		f := layouts()[name][field]
		for i := range f.Bits() {
			at := f.Low + i
			data[at/8] = data[at/8]&^(1<<(at%8)) | byte(v>>i&1)<<(at%8)
		}
	}
	b.SetBytes(port, data)
}

// layouts are those of the interface: fields by layout and name.
var layouts = sync.OnceValue(func() map[string]map[string]abi.Field {
	d, err := block.Design("u55c_tcp")
	if err != nil {
		panic(err)
	}
	all := map[string]map[string]abi.Field{}
	for _, name := range []string{"tcp_notification", "rdma_notification"} {
		all[name] = map[string]abi.Field{}
		for _, f := range d.ABI().Layout(name).Fields {
			all[name][f.Name] = f
		}
	}
	return all
})

// rdmaStack tells of messages in the order of their data.
func rdmaStack(b *block.Bench, r *rand.Rand, x *taker) *stack {
	s := newStack(b, r, x)
	s.silent = []string{"eth_read_pkg_tvalid", "session_closed_valid", "bad_packet"}
	s.took = func() error { return nil }
	s.knows = func() bool { return false }
	s.doom = func() {}
	s.telling("rdma_notification", func() told { return told{session: r.IntN(own), bytes: some(r), good: true} },
		func(t told) {
			for left := t.bytes; left > 0; left -= whole4K {
				s.queue = append(s.queue, &packet{session: t.session, data: random(r, min(left, whole4K)), good: t.good})
			}
		})
	return s
}

// some are the bytes of a notification, in rare cases none.
func some(r *rand.Rand) int {
	if r.IntN(10) == 0 {
		return 0
	}
	if r.IntN(4) == 0 {
		return length(r, 3*whole4K)
	}
	return len(small(r))
}

// tcpStack tells of what has come, and gives what is asked for.
func tcpStack(b *block.Bench, r *rand.Rand, x *taker) *stack {
	s := newStack(b, r, x)
	s.silent = []string{"bad_packet"}
	read := &block.Drain{Output: block.NewOutput(b, "eth_read_pkg_tvalid", "eth_read_pkg_tready", "eth_read_pkg_tdata"),
		Pace: block.NewRhythm(r).Next}
	var notes [own][]told // that were not read
	closes := 0
	var late wait
	s.knows = func() bool { return slices.ContainsFunc(notes[:], func(n []told) bool { return len(n) > 0 }) }
	s.took = func() error {
		if err := late.check(s.in.Offered() && !b.Is("eth_rx_data_tready"), 4, "what was asked for"); err != nil {
			return err
		}
		if b.Is("session_closed_valid") {
			c := slices.Index(x.numbers[:own], b.Get("session_closed"))
			if c < 0 || len(notes[c]) == 0 || !notes[c][0].closed || len(x.orders[c]) > 0 ||
				slices.ContainsFunc(s.queue, func(p *packet) bool { return p.session == c }) {
				return fmt.Errorf("session %d is closed, it says", b.Get("session_closed"))
			}
			notes[c] = notes[c][1:]
			closes++
		}
		ok, err := read.Taken()
		if err != nil || !ok {
			return err
		}
		v := b.Get("eth_read_pkg_tdata")
		at := slices.Index(x.numbers[:own], v&0xFFFF)
		if at < 0 || len(notes[at]) == 0 || notes[at][0].closed || int(v>>16) != min(whole4K, notes[at][0].bytes) {
			return fmt.Errorf("%d bytes of session %d are read", v>>16, v&0xFFFF)
		}
		t := &notes[at][0]
		s.queue = append(s.queue, &packet{session: at, data: random(r, int(v>>16)), good: t.good})
		if t.bytes -= int(v >> 16); t.bytes == 0 {
			notes[at] = notes[at][1:]
		}
		return nil
	}
	s.doom = func() {
		for _, n := range notes {
			for i := range n {
				n[i].good = false
			}
		}
	}
	s.telling("tcp_notification", func() told {
		if r.IntN(12) == 0 {
			return told{session: r.IntN(own), bytes: r.IntN(2) * r.IntN(100), closed: true}
		}
		return told{session: r.IntN(own), bytes: some(r), good: true}
	}, func(t told) { notes[t.session] = append(notes[t.session], t) })
	drive := s.drive
	s.drive = func(more bool) {
		drive(more)
		read.Drive()
	}
	s.ended = func() error {
		if closes < 5 {
			return fmt.Errorf("only %d sessions were closed", closes)
		}
		return nil
	}
	return s
}
