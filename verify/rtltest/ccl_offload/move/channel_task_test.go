package moves

import (
	"errors"
	"fmt"
	"slices"
)

// task is a move that goes through the channel.
type task struct {
	how    checking
	code   uint64 // that it must fail with at once
	v      map[string]uint64
	parcel parcel
	fence  bool
	must   bool // it cannot complete

	units                       uint64 // in slices
	cut, retired, aborted, done bool
	under                       int
	since                       int // cycle in which it was aborted
	packets                     int // opened
	received                    uint64
	letters                     int
	held                        *letter
	arrived, known, end         [2]uint64 // of windows, from the beginning
	asked, hosts                [2]bool
	withheld                    string // what never comes
}

// letter is a message of an operand.
type letter struct {
	address, left uint64
	stored        bool
	buffer        uint64
}

func (t *task) String() string {
	if t == nil {
		return "no move"
	}
	return fmt.Sprintf(
		"operands %d to %d, network %t (%s), %v bytes, %d of %d units, forms %v, sizes %v, %d bytes in %d messages, %d of "+
			"%d packets, code 0x%X, without %q",
		t.how.op, t.how.local, t.how.network, t.how.kind, t.how.bytes, t.units, t.how.units, t.how.forms, t.how.size,
		t.received, t.letters, t.packets, len(t.parcel.packets), t.code, t.withheld)
}

// newTask makes a move: most are good, but in odd times.
func (c *carrier) newTask() *task {
	b, r, d := c.b, c.r, c.d
	t := &task{v: map[string]uint64{}}
	large := c.odd && r.IntN(12) == 0
	for tries := 0; ; tries++ {
		t.how = checking{d: d, code: c.code, b: b, r: r, port: "queue_move", most: 12000}
		if large {
			t.how.most = 1 << 24
		}
		if t.code = t.how.random(); t.code != 0 && !(c.odd && r.IntN(20) == 0) {
			continue
		}
		if t.code == 0 && t.how.empty() && r.IntN(3) > 0 {
			continue
		}
		if wire := t.wire(); !large || t.code != 0 || t.how.network && t.how.kind == "eager" && wire > 1<<23 {
			break
		}
	}
	put := func(name string, v uint64) { b.Set("queue_move."+name, v) }
	log2 := 0
	if t.code == 0 && !t.how.empty() {
		log2 = t.how.unit("network")
	}
	for _, name := range []string{"issue.chunk_bytes", "issue.segment_bytes"} {
		v := uint64(1+r.IntN(9000)) << log2
		if r.IntN(2) == 0 || large {
			v = 0
		} else if c.odd && r.IntN(4) == 0 {
			v += uint64(r.IntN(8))
		}
		put(name, v)
	}
	if r.IntN(2) == 0 {
		put("issue.strm", 0)
	}
	for _, name := range []string{"issue.op0_address", "issue.op2_address", "issue.kept_address"} {
		if r.IntN(3) == 0 {
			put(name, 1<<32-uint64(r.IntN(9000))) // and beyond
		}
	}
	for _, name := range []string{
		"issue.op0_address", "issue.op1_address", "issue.op2_address", "issue.kept_address", "issue.result_address",
		"issue.source", "issue.context_", "issue.tag",
		"issue.collective_number", "issue.collective_count", "issue.collective_shape", "issue.strm", "issue.chunk_bytes",
		"issue.segment_bytes",
		"issue.remote_address", "issue.packet_index", "issue.header_count", "issue.window", "ranks.source_record",
		"ranks.source_session", "ranks.destination_self",
		"ranks.destination_record", "ranks.destination_session", "ranks.local_rank", "issue.tdest",
	} {
		t.v[name] = b.Get("queue_move." + name)
	}
	t.fence = t.how.get("fence") != 0 && r.IntN(2) == 0
	if !t.fence {
		t.how.put("fence", 0)
		put("issue.control", t.how.control)
	}
	t.parcel = parcel{
		bytes: t.wire(), chunk: t.v["issue.chunk_bytes"], segment: t.v["issue.segment_bytes"],
		index: t.v["issue.packet_index"], vaddr: t.v["issue.remote_address"],
		kind: uint64(d.ABI().Enum("message_type").Value(t.how.kind).Value), host: t.how.get("remote_host"),
		eager: t.how.kind == "eager",
		data:  t.how.kind == "rendezvous_data", announces: t.how.kind == "rendezvous_announcement", notice: t.how.notice,
	}
	t.sources(c)
	return t
}

// sources says how much of it windows have, and what never comes.
func (t *task) sources(c *carrier) {
	for i := range t.end {
		t.end[i], t.hosts[i] = t.size(i), c.r.IntN(2) == 0
		if c.bad && c.r.IntN(4) == 0 && t.end[i] > 0 {
			t.end[i] = c.r.Uint64N(t.end[i])
		}
	}
	if !c.silent && (!c.aborts || c.bad) || c.r.IntN(3) > 0 {
		return
	}
	var waits []string
	for what, is := range map[string]bool{"message": t.operand(message) >= 0, "window": t.operand(window) >= 0,
		"kernel": t.kernels() != [2]bool{} && c.silent, "packet": t.how.network} {
		if is {
			waits = append(waits, what)
		}
	}
	if slices.Sort(waits); len(waits) > 0 {
		t.withheld = waits[c.r.IntN(len(waits))]
	}
}

// begin is when it is taken.
func (t *task) begin(c *carrier) {
	if t.code == 0 && t.how.network {
		shrinks := uint64(1)
		if t.how.kind == "eager" && t.how.unit("network") < t.how.largest() {
			shrinks = 2
		}
		t.parcel.cut(c.payload/shrinks, c.slot/shrinks)
		if t.parcel.packets[0].message >= 1<<23 {
			c.allow(c.code["DMA_SIZE"])
			t.must = true
		}
	}
}

// wire is how many bytes go to the network.
func (t *task) wire() uint64 {
	if t.how.network {
		return t.how.bytes[t.how.forms["network"]]
	}
	return 0
}

// size is how many bytes an operand has.
func (t *task) size(i int) uint64 { return t.how.bytes[t.how.forms[fmt.Sprintf("op%d", i)]] }

// unit is log2 of the bytes of a unit of an operand.
func (t *task) unit(i int) int { return t.how.unit(fmt.Sprintf("op%d", i)) }

// at is how many bytes of an operand are in slices.
func (t *task) at(i int) uint64 { return t.units << t.unit(i) }

// operand is the one that is of a kind, or -1.
func (t *task) operand(kind int) int {
	for i, k := range t.how.op {
		if k == kind {
			return i
		}
	}
	return -1
}

// kernels tells which kernel streams it needs.
func (t *task) kernels() [2]bool {
	if t.code != 0 || t.how.empty() {
		return [2]bool{}
	}
	return [2]bool{t.operand(kernelStream) >= 0, t.how.local == kernelStream}
}

// over is not nil if it is not done to its end.
func (t *task) over() error {
	switch {
	case t.code != 0:
		return errors.New("it cannot be done")
	case !t.how.empty() || t.how.network:
		if !t.cut {
			return errors.New("it is not cut")
		}
	case t.operand(message) >= 0 && t.letters == 0:
		return errors.New("it has no message")
	}
	if t.held != nil && t.held.stored {
		return errors.New("it holds a message")
	}
	return nil
}
