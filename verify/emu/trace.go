package emu

import "time"

// traced is an event of the trace: its number, and the fields of its argument.
type traced struct {
	number uint32
	fields []field
}

// traceWords are the words behind the word detail that show the trace, and the events of it
// that the emulator has.
type traceWords struct {
	state, entries    uint32 // numbers of the first words
	words, of         []string
	number, afterLoss field
	kinds             packetKinds

	callTaken, callAnswered, moveIssued, movesCompleted, movesFailed, messageOpened, messageStored, windowOpened,
	announcementArrived, doneArrived, packetSent, packetArrived, packetHeld, packetDropped, rxBuffersFull, sessionClosed,
	processorHalted, processorRestarted, sliceBegun traced
}

func (r *resolver) trace() traceWords {
	names := func(record string) (names []string) {
		if found := r.g.Record(record); found != nil {
			for _, w := range found.Words {
				names = append(names, w.Name)
			}
			return names
		}
		r.lack("the record %s", record)
		return nil
	}
	events := names("trace_events")
	event := func(name string, fields ...string) (t traced) {
		for i, known := range events {
			if known == name {
				t.number = uint32(i)
				for _, f := range fields {
					t.fields = append(t.fields, r.field("trace_"+name, f))
				}
				return t
			}
		}
		r.lack("the event %s", name)
		return t
	}
	return traceWords{
		state: uint32(r.constant("detail_trace")), entries: uint32(r.constant("detail_trace_events")),
		words: names("trace"), of: names("trace_entry"),
		number: r.field("trace_event", "number"), afterLoss: r.field("trace_event", "after_loss"),
		kinds: packetKinds{eager: r.code("packet_kind", "eager"), data: r.code("packet_kind", "rendezvous_data"),
			announcement: r.code("packet_kind", "rendezvous_announcement"), done: r.code("packet_kind", "rendezvous_done"),
			notice: r.code("packet_kind", "notice"), filler: r.code("packet_kind", "filler")},

		callTaken: event("call_taken", "operation"), callAnswered: event("call_answered", "return_code", "not_ready"),
		moveIssued:     event("move_issued", "op0", "op1", "result", "queue", "source", "destination"),
		movesCompleted: event("moves_completed", "queues", "rx_buffers"), movesFailed: event("moves_failed", "queues"),
		messageOpened: event("message_opened", "rank", "buffer"), windowOpened: event("window_opened", "window"),
		messageStored:       event("message_stored", "buffer", "rx_buffers"),
		announcementArrived: event("announcement_arrived", "rank"), doneArrived: event("done_arrived", "rank"),
		packetSent: event("packet_sent", "session", "kind", "seq"), packetHeld: event("packet_held", "session", "own"),
		packetArrived: event("packet_arrived", "session", "own", "kind", "seq"),
		packetDropped: event("packet_dropped", "reasons"), rxBuffersFull: event("rx_buffers_full"),
		sessionClosed: event("session_closed", "session"), processorHalted: event("processor_halted", "trap_cause", "pc"),
		processorRestarted: event("processor_restarted"),
		sliceBegun: event("slice_begun", "queue", "last", "to_network", "bytes", "op0", "op1", "result", "from_kernel",
			"to_kernel", "arithmetic", "lane_0", "lane_1", "lane_2"),
	}
}

// packetKinds are what packets begin with; 0 without a header.
type packetKinds struct{ eager, data, announcement, done, notice, filler uint32 }

// toldOf are kind and sequence number that the trace tells of a packet by its header.
func (e *Engine) toldOf(h *header, loop bool) (kind, sequence uint32) {
	f, message, kinds := &e.n.header, &e.n.message, &e.n.trace.kinds
	switch t := f.messageType.get32(h); {
	case f.notice.get(h) != 0:
		kind = kinds.notice
	case f.filler.get(h) != 0:
		kind = kinds.filler
	case t == message.eager:
		kind = kinds.eager
	case !e.n.rendezvous || e.writes(h, loop):
	case t == message.data:
		kind = kinds.data
	case t == message.announcement:
		kind = kinds.announcement
	case t == message.done:
		kind = kinds.done
	}
	if kind == 0 {
		return 0, 0
	}
	return kind, f.seq.get32(h)
}

// writes tells whether a packet is data that RDMA writes on cards: without a header, and unseen by the engine that it
// goes to.
func (e *Engine) writes(h *header, loop bool) bool {
	return e.rdma && !loop && e.n.header.messageType.get32(h) == e.n.message.data
}

// trace is the ring of an engine's last events. It is the goroutine's.
type trace struct {
	ring          []traceEntry
	written, lost uint32
	gap           bool // events were lost after the last one
}

type traceEntry struct{ cycles, argument, kind uint32 }

// Event is an event of the trace, as accl.Platform.Event decodes it, with the time that the engine knew then: of the
// turn, or of the begin or end of a move.
type Event struct {
	At             time.Time
	Argument, Kind uint32
}

// looksAtClock has the events to come have the present time, if somebody is told of them.
func (e *Engine) looksAtClock() {
	if e.o.OnEvent != nil {
		e.now = e.clock.now()
	}
}

// traces notes an event, with the values of its fields.
func (e *Engine) traces(event *traced, values ...uint32) {
	t, w := &e.trace, &e.n.trace
	if len(t.ring) == 0 && e.o.OnEvent == nil {
		return
	}
	entry := traceEntry{cycles: e.cyclesAt(e.now), kind: w.number.put(event.number)}
	for i, v := range values {
		entry.argument |= event.fields[i].put(v)
	}
	if e.o.OnEvent != nil {
		e.o.OnEvent(Event{e.clock.start.Add(time.Duration(e.now)), entry.argument, entry.kind})
	}
	switch {
	case len(t.ring) == 0:
		return
	case e.processor.detail >= w.state || e.processor.trap != nil && event != &w.processorHalted:
		t.lost++
		t.gap = true
		return
	}
	if t.gap {
		entry.kind |= w.afterLoss.put(1)
		t.gap = false
	}
	t.ring[t.written%uint32(len(t.ring))] = entry
	t.written++
}

// slice notes that n units of a move are about to go through the data path.
func (j *job) slice(n int) {
	m, f := &j.m, &j.forms
	is := func(b bool) uint32 { return uint32(flag(b)) }
	reads := func(i int) uint32 { return is(i < j.inputs && m.kind[i] != operandStream) }
	converts := func(i int) bool { return i < j.inputs && j.operands[i].convert != nil }
	j.e.traces(&j.e.n.trace.sliceBegun, uint32(m.queue), is(uint64(n) == j.units), is(m.toNetwork()),
		uint32(n*j.operands[0].unit), reads(0), reads(1), is(m.toMemory()), is(j.takes(operandStream)), is(m.toStream()),
		is(j.reduce != nil), is(converts(0)), is(converts(1) || converts(2)), is(f.result.fn != nil || f.wire.fn != nil))
}

// word is one that the word detail shows.
func (t *trace) word(w *traceWords, number uint32) uint32 {
	i := number - w.entries
	switch n := uint32(len(t.ring)); {
	case number >= w.entries && n > 0 && int(i%4) < len(w.of):
		entry := &t.ring[i/4%n]
		return map[string]uint32{"cycles": entry.cycles, "argument": entry.argument, "kind": entry.kind}[w.of[i%4]]
	case number < w.entries && int(number-w.state) < len(w.words):
		return map[string]uint32{"capacity": n, "written": t.written, "lost": t.lost}[w.words[number-w.state]]
	}
	return 0
}
