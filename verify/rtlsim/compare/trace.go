package compare

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// tale is what has happened at a rank since its trace was compared last: what the trace tells, or what was noted.
type tale struct {
	moves, packets []string // packets that go, and those that come
	slices         []string // what those of a move have done together
	failed         bool     // moves have, of which not all slices need have begun
}

func (t tale) equal(u tale) bool {
	slices.Sort(t.packets) // they are noted by their two ranks
	slices.Sort(u.packets)
	slices.Sort(t.slices) // moves of several queues go on together
	slices.Sort(u.slices)
	return slices.Equal(t.moves, u.moves) && slices.Equal(t.packets, u.packets) &&
		(t.failed || slices.Equal(t.slices, u.slices))
}

// teller reads the trace of an engine.
type teller struct {
	read, lost uint32 // events so far
	told       tale
	noted      tale
	begun      map[uint32]work // by queue, of the move that is not at its last slice
}

// work is what a move does in the data path.
type work struct {
	bytes uint32 // of operand 0
	uses  string // fields of the event slice_begun
}

// String is "" for what has no slices, and for what may come without: receives whose messages go to their
// buffers as they come, which look like copies.
func (w work) String() string {
	if w.uses == "" || w.uses == " op0 result" {
		return ""
	}
	return fmt.Sprintf("%d bytes:%s", w.bytes, w.uses)
}

// used lists fields of the event slice_begun.
func used(is func(field string) bool) (list string) {
	for _, field := range []string{"op0", "op1", "result", "from_kernel", "to_kernel", "to_network", "arithmetic",
		"lane_0", "lane_1", "lane_2"} {
		if is(field) {
			list += " " + field
		}
	}
	return list
}

// work is what a move has to do.
func (f moveFields) work(m *Move) (w work) {
	of := func(field string) uint32 { return f.of(m.Control, field) }
	form := func(field string) uint32 {
		if of(field) != 0 {
			return m.CompressedBytes
		}
		return m.Bytes
	}
	memory := func(op string) bool { return isOne(f.operands, of(op), "memory", "message", "window") }
	kernel := func(op string) bool { return isOne(f.operands, of(op), "kernel_stream") }
	op0, op1 := memory("op0") || kernel("op0"), memory("op1") || kernel("op1")
	apart, beside := isOne(f.results, of("result"), "apart"), isOne(f.results, of("result"), "beside")
	network := isOne(f.results, of("result"), toNetwork...)
	to := isOne(f.results, of("result"), toMemory...)
	stream := isOne(f.results, of("result"), toKernel...)
	converts := func(form string) bool { return of(form) != of("inner_compressed") }
	if !(op0 && form("op0_compressed") > 0 || op1 && form("op1_compressed") > 0 ||
		network && form("network_compressed") > 0 || (to || stream) && form("result_compressed") > 0) {
		return work{0, used(func(field string) bool { return field == "to_network" && network })}
	}
	uses := map[string]bool{
		"op0": memory("op0"), "op1": memory("op1"), "result": to, "from_kernel": kernel("op0") || kernel("op1"),
		"to_kernel": stream, "to_network": network, "arithmetic": op1 && !apart,
		"lane_0": op0 && converts("op0_compressed"),
		"lane_1": op1 && converts("op1_compressed") || beside && of("inner_compressed") != 0,
		"lane_2": (to || stream) && converts("result_compressed") || network && converts("network_compressed"),
	}
	return work{form("op0_compressed"), used(func(field string) bool { return uses[field] })}
}

// slice adds a slice to what its move has done, which is told with the last one.
func (t *teller) slice(a map[string]uint32) {
	w := work{a["bytes"], used(func(field string) bool { return a[field] != 0 })}
	if before := t.begun[a["queue"]]; before.uses == w.uses {
		w.bytes += before.bytes
	} // else a receive, the rest of which has gone to its buffer as it came
	if a["last"] == 0 {
		t.begun[a["queue"]] = w
		return
	}
	delete(t.begun, a["queue"])
	t.told.works(w)
}

// all is everything that is told.
func (t tale) all() []string { return slices.Concat(t.moves, t.packets, t.slices) }

func (t *tale) works(w work) {
	if text := w.String(); text != "" {
		t.slices = append(t.slices, text)
	}
}

// issued, sent and arrived describe events.
func issued(op0, op1, result, queue, source, destination uint32) string {
	return fmt.Sprintf("a move of operands %d and %d to %d in queue %d, from rank %d to rank %d", op0, op1, result, queue,
		source, destination)
}

func sent(to uint32, header string) string { return fmt.Sprintf("a packet to rank %d: %s", to, header) }

func arrived(from uint32, header string) string {
	return fmt.Sprintf("a packet from rank %d: %s", from, header)
}

func headed(kind string, sequence uint32) string {
	return fmt.Sprintf("%s, sequence number %d", kind, sequence)
}

// headless are packets without a header: of the trace alone, messages all have one.
const headless = "headless"

var unheaded = headed(headless, 0)

// headed is what the trace has to tell of a message. What RDMA writes has no header on the network.
func (p *Pair) headed(m *Message) string {
	n, kind := p.names, "eager"
	if n.typeAt >= 0 {
		kind = n.types[uint32(m.Header[n.typeAt])]
	}
	switch {
	case m.Header[n.noticeAt] != 0:
		kind = "notice"
	case m.Header[n.fillerAt] != 0:
		kind = "filler"
	case kind == "rendezvous_data" && slices.Contains(p.Traced.Networks, "rdma"):
		return unheaded
	}
	return headed(kind, binary.LittleEndian.Uint32(m.Header[n.sequenceAt:])&n.sequence)
}

// note notes what both worlds have done in a step.
func (p *Pair) note(side int, moves [][]seen, messages map[[2]int][]Message) {
	for rank := range moves {
		noted, f := &p.tellers[side][rank].noted, p.names.moves
		for _, m := range moves[rank] {
			noted.moves = append(noted.moves, issued(f.of(m.Control, "op0"), f.of(m.Control, "op1"),
				f.of(m.Control, "result"), f.of(m.Control, "queue"), m.Source&p.names.rankBits, m.Destination&p.names.rankBits))
			noted.works(f.work(&m.Move))
		}
		for other := range moves {
			to := &p.tellers[side][other].noted
			for _, m := range messages[[2]int{rank, other}] {
				header := p.headed(&m)
				noted.packets = append(noted.packets, sent(uint32(other), header))
				if header != unheaded { // which comes by none of the engine's streams
					to.packets = append(to.packets, arrived(uint32(rank), header))
				}
			}
		}
	}
}

// sameTraces compares the traces of all engines with what was noted of them. Events that a ring no longer has are
// not compared.
func (p *Pair) sameTraces(ctx context.Context) error {
	for side, tellers := range p.tellers {
		for rank := range tellers {
			t := &tellers[rank]
			h := [2]*Log{p.Emulated, p.Hardware}[side].hosts[rank].device
			whole := false
			for try := 0; ; try++ {
				var err error
				if whole, err = t.listen(ctx, p.Traced, h); err != nil {
					return fmt.Errorf("trace of rank %d: %w", rank, err)
				}
				if !whole || t.told.equal(t.noted) {
					break
				}
				if try == countTries {
					return fmt.Errorf("%w: the trace of rank %d tells of\n%q, and there were\n%q", ErrDifferent, rank,
						t.told.all(), t.noted.all())
				}
				time.Sleep(time.Millisecond)
			}
			if whole {
				p.seen.Events += len(t.told.all())
			}
			t.told, t.noted = tale{}, tale{}
		}
	}
	return nil
}

// listen reads the events since the last time. It tells whether the ring has had them all.
func (t *teller) listen(ctx context.Context, p *accl.Platform, r accl.Registers) (whole bool, err error) {
	last, err := p.Trace(ctx, r, 1)
	if err != nil {
		return false, err
	}
	n := last.Written - t.read
	whole = n <= last.Capacity && last.Lost == t.lost
	t.read, t.lost = last.Written, last.Lost
	if n == 0 || !whole {
		return whole, nil
	}
	trace, err := p.Trace(ctx, r, int(n))
	if err != nil {
		return false, err
	}
	n += trace.Written - t.read
	t.read, t.lost = trace.Written, trace.Lost
	for _, e := range trace.Events {
		switch a := e.Argument; e.Name {
		case "move_issued":
			t.told.moves = append(t.told.moves, issued(a["op0"], a["op1"], a["result"], a["queue"], a["source"],
				a["destination"]))
		case "slice_begun":
			t.slice(a)
		case "moves_failed":
			t.told.failed = true
			clear(t.begun)
		case "packet_sent":
			t.told.packets = append(t.told.packets, sent(a["session"], headed(e.Names["kind"], a["seq"])))
		case "packet_arrived":
			if a["own"] != 0 || e.Names["kind"] == headless && slices.Contains(p.Networks, "tcp") {
				break // it was on no network, or a stream was cut there
			}
			t.told.packets = append(t.told.packets, arrived(a["session"], headed(e.Names["kind"], a["seq"])))
		}
	}
	return int(n) == len(trace.Events), nil
}
