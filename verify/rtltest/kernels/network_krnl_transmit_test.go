package kernels

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// request asks whether a packet may be sent.
type readRequest struct{ session, length int }

// transmit is what surrounds the sending half.
type axisTransmit struct {
	b             *block.Bench
	r             *rand.Rand
	at            func(string) string // names of the ports of the stack
	id            int
	alone         bool // rooms are told by the bench, and not by the other half
	requests      *block.Feed[readRequest]
	data          *block.Feed[beat]
	status, net   *block.Drain
	room          [peers]int // that there is for more packets at another engine
	freed         [peers]int // packets sent there, and not told to be taken
	told          [peers]int // in the cycle before: room that comes now
	owed          [peers]int // room here that the other engine does not know of
	waits         [peers]int // how often others were told of theirs meanwhile
	burst         int        // cycles in which two engines want to be told of room all the time
	busy          [2]int     // these
	contended     int        // engines that were told behind others
	answers       []uint64
	packets       []packet // that may go
	gone          int      // bytes of the first one that have gone
	going         bool     // data: within a packet
	hereBefore    bool     // room here in the cycle before
	refused, sent int
	over          bool                    // nothing new is asked for
	returned      func(engine, count int) // room here was told of
}

type packet struct {
	engine int
	data   []byte
}

type beat struct {
	data []byte
	keep uint64
	last bool
}

func newAxisTransmit(b *block.Bench, r *rand.Rand, id int, alone bool, at func(string) string) *axisTransmit {
	x := &axisTransmit{b: b, r: r, id: id, alone: alone, at: at}
	meta, data, status := at("tx_meta"), at("tx_data"), at("tx_status")
	x.requests = &block.Feed[readRequest]{Input: block.NewInput(b, meta+"_tvalid", meta+"_tready", meta+"_tdata"),
		Put: func(q readRequest) {
			b.Set(meta+"_tdata", uint64(q.length)<<16|uint64(q.session))
		}}
	x.data = &block.Feed[beat]{Input: block.NewInput(b, data+"_tvalid", data+"_tready", data+"_tdata", data+"_tkeep",
		data+"_tlast"), Put: func(s beat) {
		b.SetBytes(data+"_tdata", s.data)
		b.Set(data+"_tkeep", s.keep)
		b.Put(data+"_tlast", s.last)
	}}
	x.status = &block.Drain{Output: block.NewOutput(b, status+"_tvalid", status+"_tready", status+"_tdata")}
	net := at("net_tx")
	x.net = &block.Drain{Output: block.NewOutput(b, net+"_tvalid", net+"_tready", net+"_tdata", net+"_tkeep",
		net+"_tlast", net+"_tdest")}
	return x
}

func (x *axisTransmit) begin() {
	returned := x.returned
	*x = *newAxisTransmit(x.b, x.r, x.id, x.alone, x.at)
	x.returned = returned
	for i := range x.room {
		x.room[i] = room
	}
	x.requests.Pace, x.data.Pace, x.status.Pace, x.net.Pace = block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next,
		block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next
	x.status.Late, x.net.Late = x.r.IntN(4) == 0, x.r.IntN(4) == 0
}

func (x *axisTransmit) finish() {
	x.over = true
	x.requests.Pace, x.data.Pace, x.status.Pace, x.net.Pace = nil, nil, nil, nil
}

func (x *axisTransmit) drive() {
	r := x.r
	if len(x.requests.Queue) == 0 && !x.over {
		q := readRequest{r.IntN(peers), packetLength(r)}
		switch r.IntN(12) {
		case 0:
			q.session = peers << r.IntN(13)
		case 1:
			q.length = []int{0, largest + 1, largest + 1<<r.IntN(4)<<12 - 1}[r.IntN(3)]
		case 2:
			q.session |= 1 << (3 + r.IntN(13))
		}
		x.requests.Queue = []readRequest{q}
	}
	x.requests.Drive(r)
	x.data.Drive(r)
	x.status.Drive()
	x.net.Drive()
	if !x.alone {
		return
	}
	b := x.b
	b.Scramble(r, "there_engine", "there_count", "here_engine")
	b.Set("there_valid", 0)
	b.Set("here_valid", 0)
	if e := r.IntN(peers); x.freed[e] > 0 && r.IntN(3) == 0 {
		x.free(e, 1+r.IntN(x.freed[e]))
		b.Set("there_valid", 1)
		b.Set("there_engine", uint64(e))
		b.Set("there_count", uint64(x.told[e]))
	}
	e, seldom := r.IntN(peers), 6
	switch {
	case x.burst > 0:
		x.burst--
		seldom = 1
		if r.IntN(8) > 0 {
			e = x.busy[x.burst%2]
		}
	case r.IntN(400) == 0:
		x.burst, x.busy = 150, [2]int{r.IntN(peers), r.IntN(peers)}
	}
	if x.owed[e] < room && r.IntN(seldom) == 0 && !x.over {
		b.Set("here_valid", 1)
		b.Set("here_engine", uint64(e))
	}
}

// free tells of room that another engine has again.
func (x *axisTransmit) free(engine, packets int) {
	x.freed[engine] -= packets
	x.told[engine] += packets
}

func (x *axisTransmit) check() error {
	b := x.b
	if q, ok := x.requests.Gone(); ok {
		x.request(q)
	}
	for e, n := range x.told {
		x.room[e] += n
	}
	x.told = [peers]int{}
	if ok, err := x.status.Taken(); err != nil {
		return err
	} else if ok {
		if len(x.answers) == 0 {
			return errors.New("an answer to nothing")
		}
		if got := b.Get(x.status.Fields[0]); got != x.answers[0] &&
			(x.answers[0]>>62 != closed || (got^x.answers[0])&^(1<<62-1<<32) != 0) {
			return fmt.Errorf("a request is answered with %X, not %X", got, x.answers[0])
		}
		x.answers = x.answers[1:]
	}
	if s, ok := x.data.Gone(); ok {
		if x.alone && x.hereBefore && !x.going {
			return errors.New("a packet begins before room goes back")
		}
		x.going = !s.last
	}
	if x.alone {
		if x.hereBefore = b.Is("here_valid"); x.hereBefore {
			x.owed[b.Get("here_engine")]++
		}
	}
	ok, err := x.net.Taken()
	if !ok {
		return err
	}
	return x.leaves()
}

const (
	closed = 1
	noRoom = 2
)

// request is one that was taken.
func (x *axisTransmit) request(q readRequest) {
	to := q.session % peers
	code := uint64(0)
	switch {
	case q.session >= peers || q.length == 0 || q.length > largest:
		code = closed
	case x.room[to] == 0:
		code = noRoom
		x.refused++
	}
	x.answers = append(x.answers, uint64(q.session)|uint64(q.length)<<16|uint64(x.room[to]*largest)<<32|code<<62)
	if code != 0 {
		return
	}
	x.room[to]--
	p := packet{to, block.RandomBytes(x.r, q.length)}
	x.packets = append(x.packets, p)
	x.data.Queue = append(x.data.Queue, beats(x.r, p.data)...)
}

// leaves is a beat on the network.
func (x *axisTransmit) leaves() error {
	b, net := x.b, x.at("net_tx")
	dest, keep, last, data := b.Get(net+"_tdest"), b.Get(net+"_tkeep"), b.Is(net+"_tlast"), b.Bytes(net+"_tdata")
	engine := int(dest >> 8)
	if int(dest&0x7F) != x.id || engine >= peers {
		return fmt.Errorf("a beat has TDEST %X", dest)
	}
	if dest&0x80 != 0 {
		n := int(data[0])
		if x.gone > 0 || n == 0 || n > x.owed[engine] || keep == 0 || !last {
			return fmt.Errorf(
				"room for %d packets of engine %d goes back (keep %X, last %t), in a packet: %t; there is room for %d", n, engine,
				keep, last, x.gone > 0, x.owed[engine])
		}
		if x.owed[engine] -= n; x.returned != nil {
			x.returned(engine, n)
		}
		return x.turn(engine)
	}
	if len(x.packets) == 0 {
		return errors.New("a beat of nothing")
	}
	p := x.packets[0]
	n := min(beatBytes, len(p.data)-x.gone)
	ends := x.gone+n == len(p.data)
	if engine != p.engine || keep != keepOf(n) || last != ends || !bytes.Equal(data[:n], p.data[x.gone:x.gone+n]) {
		return fmt.Errorf("to engine %d goes %X, keep %X, last %t; not %X to %d", engine, data, keep, last,
			p.data[x.gone:x.gone+n], p.engine)
	}
	if x.gone += n; ends {
		x.gone, x.packets = 0, x.packets[1:]
		x.freed[engine]++
		x.sent++
	}
	return nil
}

// turn checks whose turn it was: nobody is told twice before all who waited meanwhile.
// Three may be on their way when somebody begins to wait.
func (x *axisTransmit) turn(engine int) error {
	if x.waits[engine] > 1 {
		x.contended++
	}
	for e, n := range x.owed {
		if n == 0 || e == engine {
			x.waits[e] = 0
		} else if x.waits[e]++; x.alone && x.waits[e] > peers-1+3 {
			return fmt.Errorf("engine %d has room again, and others were told %d times before it", e, x.waits[e])
		}
	}
	return nil
}

// left tells whether something is to go.
func (x *axisTransmit) left() bool {
	left := len(x.packets)+len(x.answers)+len(x.requests.Queue) > 0
	for _, n := range x.owed {
		left = left || n > 0
	}
	return left
}
