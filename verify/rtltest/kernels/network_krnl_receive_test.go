package kernels

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// read asks for a packet or a part of one.
type networkRead struct {
	engine int
	data   []byte
	last   bool // of the packet
}

// given is a beat of the network.
type packetGiven struct {
	beat
	engine int
	packet *packet // that ends with it
	credit int     // it carries none
}

// receive is what surrounds the receiving half.
type axisReceive struct {
	b                  *block.Bench
	r                  *rand.Rand
	at                 func(string) string
	alone              bool
	net                *block.Feed[packetGiven]
	reads              *block.Feed[networkRead]
	notes, metas, data *block.Drain
	under              [peers]int // packets that have no room any more
	waiting            []*packet  // whole, not told of
	there              [peers][]*packet
	taken              [peers]int // bytes of the first one that were asked for
	metaWant           []uint64
	dataWant           []packetGiven
	credit             *packetGiven // told in the next cycle
	ends               [peers]int   // packets of which the end was asked for, less those whose room was told of
	packets, parts     int
	over               bool
	credits            func(engine, count int)      // a beat that carries some was taken
	freed              func(engine int)             // the last part was asked for
	mayCredit          func(engine int) (count int) // how many there are to be given back
}

func newAxisReceive(b *block.Bench, r *rand.Rand, alone bool, at func(string) string) *axisReceive {
	x := &axisReceive{b: b, r: r, alone: alone, at: at}
	net, ask, note, meta, data := at("net_rx"), at("read_pkg"), at("notification"), at("rx_meta"), at("rx_data")
	x.net = &block.Feed[packetGiven]{Input: block.NewInput(b, net+"_tvalid", net+"_tready", net+"_tdata", net+"_tkeep",
		net+"_tlast", net+"_tdest"), Put: func(g packetGiven) {
		b.SetBytes(net+"_tdata", g.data)
		b.Set(net+"_tkeep", g.keep)
		b.Put(net+"_tlast", g.last)
		dest := uint64(g.engine)
		if g.credit > 0 {
			dest |= 0x80
		}
		b.Set(net+"_tdest", dest|r.Uint64N(256)<<8)
	}}
	reads := block.NewInput(b, ask+"_tvalid", ask+"_tready", ask+"_tdata")
	x.reads = &block.Feed[networkRead]{Input: reads, Put: func(q networkRead) {
		b.Set(ask+"_tdata", uint64(len(q.data))<<16|uint64(q.engine))
	}}
	x.notes = &block.Drain{Output: block.NewOutput(b, note+"_tvalid", note+"_tready", note+"_tdata")}
	x.metas = &block.Drain{Output: block.NewOutput(b, meta+"_tvalid", meta+"_tready", meta+"_tdata")}
	x.data = &block.Drain{Output: block.NewOutput(b, data+"_tvalid", data+"_tready", data+"_tdata", data+"_tkeep",
		data+"_tlast", data+"_tdest")}
	return x
}

func (x *axisReceive) begin() {
	old := *x
	*x = *newAxisReceive(x.b, x.r, x.alone, x.at)
	x.credits, x.freed, x.mayCredit = old.credits, old.freed, old.mayCredit
	x.net.Pace, x.reads.Pace, x.notes.Pace, x.metas.Pace, x.data.Pace = block.NewRhythm(x.r).Next, block.NewRhythm(
		x.r).Next, block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next
	x.notes.Late, x.metas.Late, x.data.Late = x.r.IntN(4) == 0, x.r.IntN(4) == 0, x.r.IntN(4) == 0
}

func (x *axisReceive) finish() {
	x.over = true
	x.net.Pace, x.reads.Pace, x.notes.Pace, x.metas.Pace, x.data.Pace = nil, nil, nil, nil, nil
}

func (x *axisReceive) drive() {
	r := x.r
	if len(x.net.Queue) == 0 && !x.over {
		e := r.IntN(peers)
		if r.IntN(3) == 0 {
			e = r.IntN(2)
		}
		count := 1 + r.IntN(room)
		if x.mayCredit != nil {
			count = x.mayCredit(e)
		}
		switch {
		case r.IntN(4) == 0 && count > 0:
			g := packetGiven{beat: beat{block.RandomBytes(r, beatBytes), 1, true}, engine: e, credit: count}
			g.data[0] = byte(count)
			x.net.Queue = append(x.net.Queue, g)
		case x.under[e] < room:
			x.under[e]++
			p := &packet{e, block.RandomBytes(r, packetLength(r))}
			for _, s := range beats(r, p.data) {
				x.net.Queue = append(x.net.Queue, packetGiven{beat: s, engine: e})
			}
			x.net.Queue[len(x.net.Queue)-1].packet = p
		}
	}
	if len(x.reads.Queue) == 0 && !x.over {
		if e := r.IntN(peers); len(x.there[e]) > 0 && r.IntN(2) == 0 {
			p := x.there[e][0]
			left := len(p.data) - x.taken[e]
			q := networkRead{e, p.data[x.taken[e]:], true}
			if rows := (left - 1) / beatBytes; rows > 0 && r.IntN(2) == 0 {
				q.data, q.last = q.data[:beatBytes*(1+r.IntN(rows))], false
				x.parts++
			}
			x.reads.Queue = append(x.reads.Queue, q)
		} else if r.IntN(40) == 0 {
			x.reads.Queue = append(x.reads.Queue, networkRead{engine: e}) // of nothing
		}
	}
	x.net.Drive(r)
	x.reads.Drive(r)
	x.notes.Drive()
	x.metas.Drive()
	x.data.Drive()
}

func (x *axisReceive) check() error {
	b := x.b
	if x.alone {
		if b.Is("there_valid") != (x.credit != nil) || x.credit != nil &&
			(int(b.Get("there_engine")) != x.credit.engine || int(b.Get("there_count")) != x.credit.credit) {
			return fmt.Errorf("room for %d packets at engine %d is told of: %t; not %+v", b.Get("there_count"),
				b.Get("there_engine"), b.Is("there_valid"), x.credit)
		}
		if b.Is("here_valid") {
			e := b.Get("here_engine")
			if x.ends[e]--; x.ends[e] < 0 {
				return fmt.Errorf("engine %d has room for a packet that nobody has read", e)
			}
			x.under[e]--
		}
	}
	if !b.Is(x.net.Ready) {
		return errors.New("the network has to wait")
	}
	if ok, err := x.notes.Taken(); err != nil {
		return err
	} else if ok {
		if len(x.waiting) == 0 {
			return errors.New("a packet is told of that is not there")
		}
		p := x.waiting[0]
		want := make([]byte, 16)
		want[0], want[2], want[3] = byte(p.engine), byte(len(p.data)), byte(len(p.data)>>8)
		if got := b.Bytes(x.notes.Fields[0]); !bytes.Equal(got, want) {
			return fmt.Errorf("%X is told, not %X", got, want)
		}
		x.waiting = x.waiting[1:]
		x.there[p.engine] = append(x.there[p.engine], p)
	}
	x.credit = nil
	if g, ok := x.net.Gone(); ok {
		if g.credit > 0 {
			x.credit = &g
			if x.credits != nil {
				x.credits(g.engine, g.credit)
			}
		}
		if g.packet != nil {
			x.waiting = append(x.waiting, g.packet)
		}
	}
	if ok, err := x.metas.Taken(); err != nil {
		return err
	} else if ok {
		if len(x.metaWant) == 0 || b.Get(x.metas.Fields[0]) != x.metaWant[0] {
			return fmt.Errorf("data of session %d are announced, of %v", b.Get(x.metas.Fields[0]), x.metaWant)
		}
		x.metaWant = x.metaWant[1:]
	}
	if ok, err := x.data.Taken(); err != nil {
		return err
	} else if ok {
		if err := x.compare(); err != nil {
			return err
		}
	}
	if q, ok := x.reads.Gone(); ok && len(q.data) > 0 {
		x.metaWant = append(x.metaWant, uint64(q.engine))
		for _, s := range beats(nil, q.data) {
			x.dataWant = append(x.dataWant, packetGiven{beat: s, engine: q.engine})
		}
		if x.taken[q.engine] += len(q.data); q.last {
			x.taken[q.engine], x.there[q.engine] = 0, x.there[q.engine][1:]
			x.ends[q.engine]++
			x.packets++
			if x.freed != nil {
				x.freed(q.engine)
			}
		}
	}
	return nil
}

// compare compares a beat of what was asked for.
func (x *axisReceive) compare() error {
	if len(x.dataWant) == 0 {
		return errors.New("a beat that nobody has asked for")
	}
	w, data := x.dataWant[0], x.at("rx_data")
	x.dataWant = x.dataWant[1:]
	n := 0
	for w.keep>>n&1 != 0 && n < beatBytes {
		n++
	}
	got := x.b.Bytes(data + "_tdata")
	if x.b.Get(data+"_tkeep") != w.keep || x.b.Is(data+"_tlast") != w.last || int(x.b.Get(data+"_tdest")) != w.engine ||
		!bytes.Equal(got[:n], w.data[:n]) {
		return fmt.Errorf("of engine %d comes %X, keep %X, last %t; not %+v", x.b.Get(data+"_tdest"), got,
			x.b.Get(data+"_tkeep"), x.b.Is(data+"_tlast"), w)
	}
	return nil
}

// left tells whether something is to come.
func (x *axisReceive) left() bool {
	left := len(x.net.Queue)+len(x.reads.Queue)+len(x.waiting)+len(x.metaWant)+len(x.dataWant) > 0
	for e := range peers {
		left = left || x.alone && x.ends[e] > 0
	}
	return left
}
