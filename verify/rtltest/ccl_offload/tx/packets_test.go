package transmit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestPackets(t *testing.T) {
	sent := []string{"send_valid", "send_ready", "send_data", "send_keep", "send_last", "send_session", "send_headed"}
	set.Check(t, "tx_packets", packets(direct, sent, "refused", "closed amid a message", "filler"))
}

const (
	sessions = 5
	itself   = sessions // the engine
	header   = 64
)

// packet is one in a slot.
type packet struct {
	slot, session          int
	headed, written, eager bool
	mark, doomed, closed   bool
	bytes, count           int
	vaddr, host            uint64
	asked                  bool
	plan                   plan // since it was asked for
}

// plan is what becomes of a packet.
type plan struct {
	drop, row, fill bool
	bytes           int
	pad             int // bytes behind the header of a filler
	state           state
}

// state is what a session owes, and where in a beat its stream ends.
type state struct{ owed, level int }

// behind is the state when so many bytes have gone.
func (s state) behind(bytes, owed int) state { return state{owed, (s.level + bytes) % beatBytes} }

// planned is by the session's state, and whether it leads to an engine of this make.
func (p *packet) planned(s state, own bool, largest int) plan {
	owed := s.owed
	whole := p.headed && (!p.written || p.session == itself)
	rest := 0
	if p.eager && p.count > p.bytes {
		rest = p.count - p.bytes
	}
	switch {
	case owed > 0 && (p.headed || p.mark): // the rest of the message before comes first
		n := min(owed, largest)
		return plan{fill: true, row: p.headed && !whole, bytes: n, state: s.behind(n, owed-n)}
	case own && s.level > 0 && p.session != itself && whole && p.bytes > 0 && p.count >= 1024:
		pad := beatBytes - s.level
		return plan{fill: true, bytes: header + pad, pad: pad, state: s.behind(pad, 0)}
	case p.mark, p.bytes == 0 && !whole, !p.headed && owed < p.bytes:
		return plan{drop: true}
	case whole:
		return plan{bytes: p.bytes + header, state: s.behind(p.bytes, rest)}
	case p.headed:
		return plan{row: true, bytes: p.bytes, state: s.behind(p.bytes, rest)}
	}
	return plan{bytes: p.bytes, state: s.behind(p.bytes, owed-p.bytes)}
}

// filled is a packet with what is in it.
type filled struct {
	packet
	header                       map[string]uint64
	payload                      []byte
	counted, numbered, committed bool
	record                       uint64
	rows                         int // that were written
}

// fields are those of the header, as the module's port and as the wire calls them.
var fields = map[string]string{"count": "count", "tag": "tag", "src": "src", "seq": "seq", "strm": "strm", "dst": "dst",
	"kind": "msg_type", "host": "host", "vaddr": "vaddr", "context_": "comm_context", "filler": "filler"}

// wire is the header as it is sent.
func (p *filled) wire() []byte {
	row := make([]byte, beatBytes)
	for _, f := range definitions().Layout(abi.MessageHeader).Fields {
		for port, name := range fields {
			for i := 0; name == f.Name && i < f.Bits(); i++ {
				row[(f.Low+i)/8] |= byte(p.header[port]>>i&1) << ((f.Low + i) % 8)
			}
		}
	}
	return row
}

// sender is what surrounds tx_packets.
type sender struct {
	b        *block.Bench
	r        *rand.Rand
	numbers  [itself + 1]uint64 // of the sessions
	orders   [itself + 1][]*filled
	states   [itself + 1]state
	owns     [itself + 1]bool
	fillers  bool // it knows them
	opening  *filled
	building []*filled // opened, not completed
	offered  *filled   // to be completed
	last     *filled   // that was completed last: it may get a number
	abandons int       // session whose message is given up; -1: none
	asked    []*filled
	want     [2][]word // that are to go: to the stack, by the loop
	streams  [2]*block.Drain
	out      outlet
	hides    bool      // what was asked for is seen later
	queued   func(ask) // what is to be requested of a packet that goes
	unseen   bool      // or not before it goes
	padded   bool      // only whole beats go
	resets   int       // cycles of a reset
	mute     int       // of them without answers
	closes   int       // session that is being closed, -1: none
	closing  int       // for so many cycles
	amid     bool      // although the back end knows of a packet of it
	enabled  bool
	before   int    // packets in building, a cycle ago
	swept    uint64 // from this cycle on it knows what sessions owe
	counts   map[string]int
	paces    map[string]func() bool
}

// outOf is a packet's plan at the head of its session; what is to be dropped is
// passed over.
func (x *sender) outOf(session int) (*filled, plan) {
	for {
		if len(x.orders[session]) == 0 {
			return nil, plan{}
		}
		p := x.orders[session][0]
		want := p.planned(x.states[session], x.owns[session], 4096)
		if !want.drop || p.asked {
			return p, want
		}
		x.orders[session] = x.orders[session][1:]
		x.counts["drop"]++
	}
}

// goes makes beats of a packet that goes.
func (x *sender) goes(p *filled, want plan) {
	data := make([]byte, 0, 4096)
	switch {
	case want.fill:
		data = bytes.Repeat([]byte{0xFF}, want.bytes) // no header of anything
		x.counts["fill"]++
		if want.pad > 0 {
			filler := filled{header: map[string]uint64{"count": uint64(want.pad), "filler": 1}}
			copy(data, filler.wire())
			x.counts["filler"]++
		}
	case p.headed && !want.row:
		data = append(append(data, p.wire()...), p.payload...)
		x.counts["whole"]++
	default:
		data = p.payload
		x.counts["rest"]++
	}
	if !p.closed {
		x.states[p.session] = want.state
	}
	if !want.fill || p.doomed {
		x.orders[p.session] = slices.DeleteFunc(x.orders[p.session], func(q *filled) bool { return q == p })
	}
	to := 0
	if p.session == itself {
		to = 1
	}
	for at := 0; at < len(data); at += beatBytes {
		n := min(beatBytes, len(data)-at)
		w := word{data[at : at+n], ^uint64(0) >> (beatBytes - n), x.numbers[p.session], at+n == len(data),
			want.pad > 0 || !want.fill && p.headed && !want.row}
		if to == 0 && x.padded {
			w.keep = ^uint64(0)
		}
		x.want[to] = append(x.want[to], w)
	}
	if to == 0 && x.queued != nil {
		x.queued(ask{session: x.numbers[p.session], bytes: uint64(want.bytes), vaddr: p.vaddr, host: p.host,
			written: want.row && !want.fill})
	}
}

// next is a packet of a session: it begins a message, or goes on with one.
func (x *sender) next() *filled {
	r := x.r
	p := &filled{packet: packet{session: r.IntN(sessions + 1)}, header: map[string]uint64{}, record: uint64(r.Uint32())}
	for name := range fields {
		if name == "filler" {
			continue
		}
		p.header[name] = r.Uint64() & (1<<x.b.Width("packet_open.header."+name) - 1)
	}
	p.bytes = 1 + r.IntN(300)
	if r.IntN(10) == 0 {
		p.bytes = r.IntN(4096 - header + 1)
	}
	if p.headed = r.IntN(3) > 0; p.headed {
		p.eager, p.written = r.IntN(2) == 0, r.IntN(4) == 0
		p.counted, p.numbered = r.IntN(3) == 0, r.IntN(3) == 0
	} else if r.IntN(4) > 0 {
		p.bytes = min(p.bytes, max(1, x.states[p.session].owed))
	}
	if p.count = p.bytes + r.IntN(3)*r.IntN(6000); r.IntN(6) == 0 {
		p.bytes = 0
	}
	kind := x.b.Const("engine_pkg::TYPE_EAGER")
	if !p.eager {
		kind ^= 1 << r.IntN(8)
	}
	p.header["count"], p.header["kind"] = uint64(p.count), kind
	p.vaddr, p.host = p.header["vaddr"], p.header["host"]
	p.payload = block.RandomBytes(r, p.bytes)
	return p
}

// open opens packets, writes their rows and completes them.
func (x *sender) open(ends bool) {
	b, r := x.b, x.r
	if x.opening == nil && !ends && x.resets == 0 && len(x.building) < 4 && x.paces["open"]() {
		p := x.next()
		for p.session == x.closes {
			p = x.next()
		}
		x.opening = p
		for name, v := range p.header {
			b.Set("packet_open.header."+name, v)
		}
		b.Set("packet_open.session", x.numbers[p.session])
		b.Set("packet_open.record", p.record)
		b.Set("packet_open.bytes", uint64(p.bytes))
		for name, v := range map[string]bool{"self": p.session == itself, "headed": p.headed, "counted": p.counted,
			"numbered": p.numbered, "written": p.written} {
			b.Put("packet_open."+name, v)
		}
	}
	b.Put("packet_open_valid", x.opening != nil)
	b.Set("slot_write_valid", 0)
	b.Scramble(r, "slot_write_slot", "slot_write_row", "slot_write_data", "slot_write_strobe")
	if len(x.building) > 0 && (ends || x.paces["write"]()) {
		p := x.building[r.IntN(len(x.building))]
		if at := p.rows * beatBytes; at < len(p.payload) {
			row := make([]byte, beatBytes)
			n := copy(row, p.payload[at:])
			first := 0
			if p.headed {
				first = 1
			}
			b.Set("slot_write_valid", 1)
			b.Set("slot_write_slot", uint64(p.slot))
			b.Set("slot_write_row", uint64(first+p.rows))
			b.SetBytes("slot_write_data", row)
			b.Set("slot_write_strobe", ^uint64(0)>>(beatBytes-n))
			p.rows++
		} else if x.offered == nil && x.resets == 0 {
			x.offered = p
			b.Set("packet_commit_slot", uint64(p.slot))
			b.Put("packet_commit_good", r.IntN(10) > 0)
		}
	}
	b.Put("packet_commit_valid", x.offered != nil)
	if s := []int{0, 1, 2, itself}[r.IntN(4)]; x.abandons < 0 && !ends && x.resets == 0 && s != x.closes &&
		r.IntN(60) == 0 && !slices.ContainsFunc(x.building, func(p *filled) bool { return p.session == s }) &&
		(x.opening == nil || x.opening.session != s) {
		x.abandons = s
		b.Set("packet_abandon_session", x.numbers[s])
		b.Put("packet_abandon_self", s == itself)
	}
	b.Put("packet_abandon_valid", x.abandons >= 0)
}

// opened is what came of that.
func (x *sender) opened() error {
	b := x.b
	if b.Is("packet_open_ready") && (x.resets > 0 || !x.enabled) {
		return errors.New("a packet is opened while none may go")
	}
	if x.opening != nil && b.Is("packet_open_ready") {
		p := x.opening
		p.slot = int(b.Get("packet_open_slot"))
		for session := range itself {
			x.outOf(session)
		}
		known := [][]*filled{x.building}
		if !x.unseen {
			known = append(known, x.orders[:itself]...)
		}
		for i, o := range known {
			for _, q := range o {
				if q.slot == p.slot && !q.mark && (i != x.closes+1 || i == 0 || x.closing < 200) {
					return fmt.Errorf("slot %d is given twice", p.slot)
				}
			}
		}
		x.opening, x.building = nil, append(x.building, p)
	}
	if x.abandons >= 0 && b.Is("packet_abandon_ready") {
		x.orders[x.abandons] = append(x.orders[x.abandons],
			&filled{packet: packet{session: x.abandons, mark: true, slot: -1}})
		x.abandons = -1
	}
	if p := x.offered; p != nil && b.Is("packet_commit_ready") {
		x.building = slices.DeleteFunc(x.building, func(q *filled) bool { return q == p })
		x.offered, x.last = nil, nil
		if b.Is("packet_commit_good") {
			x.last, p.committed = p, !p.counted && !p.numbered
			x.orders[p.session] = append(x.orders[p.session], p)
		}
	}
	// Numbers.
	p := x.last
	if b.Is("exchange_request.valid") {
		if p == nil || !p.counted {
			return errors.New("a packet is counted that should not be")
		}
		if b.Is("exchange_response.done") {
			p.header["seq"], p.committed = b.Get("exchange_response.rdata"), true
		}
	}
	if b.Is("number_valid") {
		if p == nil || !p.numbered || p.counted || b.Get("number_session") != x.numbers[p.session] ||
			b.Get("number_vaddr") != p.vaddr || b.Get("number_host") != p.host {
			return errors.New("a packet is numbered that should not be, or as another one")
		}
		if b.Is("number_done") {
			p.header["seq"], p.committed = b.Get("number_value"), true
		}
	}
	return nil
}
