package emu

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/emu/rv32"
)

// maxHeaders bounds the messages without payload that wait: they need no
// buffer, and would otherwise fill the host's memory.
const maxHeaders = 4096

// buffer is an rx buffer that the engine was given.
type buffer struct {
	record uint32 // offset in the exchange memory
	addr   uint64 // in device memory
	bytes  uint32
	epoch  uint32 // of the receiver, when it was given
	number uint32 // among all, in the order in which they were given
}

// senderKey is who a message is from.
type senderKey struct{ session, src, context uint32 }

// messageKey finds a message but for its context.
type messageKey struct{ session, src, seq uint32 }

// message is an eager message that nobody has asked for yet, or that is being
// read.
type message struct {
	key     messageKey
	context uint32
	tag     uint32
	of      collective
	bytes   int
	buffer  *buffer  // nil without payload
	next    *message // with the same key
}

// stranger is a message of a collective that nobody has asked for.
type stranger struct {
	src uint32
	of  collective
}

// receiver keeps rx buffers and the messages in them.
type receiver struct {
	e       *Engine
	epoch   uint32
	given   uint32    // buffers
	opened  uint64    // messages, since power-up
	free    []*buffer // wait for a message, oldest first
	waiting map[messageKey]*message
	headers int // of these, without payload
	used    int // buffers with a message
	most    int // of these at a time
	// known are the offsets of the records, in communicators, by which a
	// sender's messages are counted.
	known  map[senderKey][]uint32
	sought *message // by the last seek
	other  stranger // that ended a move with a mismatch last
	from   peer     // of it
	wants  []want   // that next has not found

	address uint64
	size    uint32
}

func newReceiver(e *Engine) *receiver {
	r := &receiver{e: e}
	r.clear()
	b := e.bus
	b.variable64("rx", "address", &r.address)
	b.variable("rx", "bytes", &r.size)
	b.on("rx", "enqueue", nil, r.enqueue)
	b.on("rx", "free", func() uint32 { return uint32(len(r.free)) }, nil)
	b.on("rx", "seek", r.seek, nil)
	b.on("rx", "found", r.found, nil)
	b.on("rx", "discard", nil, r.discard)
	b.on("rx", "other_source", func() uint32 { return r.other.src }, nil)
	b.on("rx", "other_number", func() uint32 { return r.other.of.number }, nil)
	b.on("rx", "other_count", func() uint32 { return r.other.of.count }, nil)
	b.on("rx", "other_shape", func() uint32 { return r.other.of.shape }, nil)
	return r
}

// clear drops all messages and forgets all buffers.
func (r *receiver) clear() {
	r.epoch++
	r.free, r.waiting, r.known = nil, map[messageKey]*message{}, map[senderKey][]uint32{}
	r.sought, r.headers, r.used, r.given, r.wants = nil, 0, 0, 0, nil
}

// enqueue takes a buffer from the processor.
func (r *receiver) enqueue(record uint32) error {
	if !r.e.exchange.Has(record, r.e.n.rx.recordBytes) {
		return fmt.Errorf("%w: no record of an rx buffer at 0x%X of the exchange memory", rv32.ErrUnmapped, record)
	}
	r.post(&buffer{record, r.address, r.size, r.epoch, r.given})
	r.given++
	return nil
}

func (r *receiver) post(b *buffer) {
	r.free = append(r.free, b)
	r.e.exchange.Set(b.record+r.e.n.rx.status, r.e.n.rx.enqueued)
	r.e.inbound.retry = true
}

// take gives out the next buffer; nil if there is none.
func (r *receiver) take() *buffer {
	if len(r.free) == 0 {
		return nil
	}
	b := r.free[0]
	r.free = r.free[:copy(r.free, r.free[1:])]
	r.used++
	r.most = max(r.most, r.used)
	if len(r.free) == int(flag(!r.e.lossy)) {
		r.e.traces(&r.e.n.trace.rxBuffersFull)
	}
	return b
}

// record fills in a buffer's record.
func (r *receiver) record(m *message, status uint32) {
	x, w, at := r.e.exchange, &r.e.n.rx, m.buffer.record
	x.Set(at+w.tag, m.tag)
	x.Set(at+w.bytes, uint32(m.bytes))
	x.Set(at+w.src, m.key.src)
	x.Set(at+w.seq, m.key.seq)
	x.Set(at+w.status, status)
}

// open notes that a message has begun to come in.
func (r *receiver) open(m *message) {
	r.opened++
	number := uint32(0)
	if m.buffer != nil {
		number = m.buffer.number
	}
	r.e.traces(&r.e.n.trace.messageOpened, m.key.src, number)
}

// add makes a message one that can be matched.
func (r *receiver) add(m *message) {
	if m.buffer != nil {
		r.record(m, r.e.n.rx.reserved)
		r.e.traces(&r.e.n.trace.messageStored, m.buffer.number, uint32(r.used))
	} else {
		r.headers++
	}
	m.next = r.waiting[m.key]
	r.waiting[m.key] = m
	r.e.raise(r.e.n.wake.message)
	r.e.stats.MessagesIn++
}

// know notes by which record a sender's messages are counted.
func (r *receiver) know(from peer, context uint32) {
	key := senderKey{from.Session, from.Rank, context}
	for _, record := range r.known[key] {
		if record == from.Record {
			return
		}
	}
	r.known[key] = append(r.known[key], from.Record)
}

// stale tells whether a message has been consumed already or is there twice.
func (r *receiver) stale(n *message) bool {
	for m := r.waiting[n.key]; m != nil; m = m.next {
		if m.context == n.context && m.of.number == n.of.number {
			return true
		}
	}
	records := r.known[senderKey{n.key.session, n.key.src, n.context}]
	for _, record := range records {
		if int32(n.key.seq-r.e.exchange.Get(record+r.e.n.comm.inbound)) >= 0 {
			return false
		}
	}
	return len(records) > 0
}

// next finds the next message of a sender; nil if it has not come, or has
// another tag. Those from before an agreement are dropped on the way, uncounted.
// One of another collective is other.
func (r *receiver) next(from peer, q request) (next, other *message) {
	seq := r.e.exchange.Get(from.Record + r.e.n.comm.inbound)
	var following *message
	for m := r.waiting[messageKey{from.Session, from.Rank, seq}]; m != nil; m = following {
		following = m.next
		switch q.answer(r.e.n, m.context, m.tag, m.of) {
		case outdated:
			r.remove(m)
			r.giveBack(m)
		case mismatch:
			return nil, m
		case match:
			return m, nil
		}
	}
	r.want(from, q.context, q.tag)
	return nil, nil
}

// consume removes a message that next has found; its buffer stays.
func (r *receiver) consume(m *message, from peer) {
	r.know(from, m.context)
	r.e.exchange.Word(from.Record + r.e.n.comm.inbound).Add(1)
	r.wants = slices.DeleteFunc(r.wants, func(w want) bool {
		return w.from.Record == from.Record && r.e.n.tagsMeet(w.tag, m.tag)
	})
	r.remove(m)
}

// remove makes a message impossible to find; its buffer stays.
func (r *receiver) remove(m *message) {
	if m.buffer == nil {
		r.headers--
	}
	if r.sought == m {
		r.sought = nil
	}
	first := r.waiting[m.key]
	if first == m && m.next == nil {
		delete(r.waiting, m.key)
		return
	}
	if first == m {
		r.waiting[m.key] = m.next
		return
	}
	for ; first.next != m; first = first.next {
	}
	first.next = m.next
}

// giveBack enqueues the buffer of a message that was read.
func (r *receiver) giveBack(m *message) {
	if b := m.buffer; b != nil && b.epoch == r.epoch {
		r.used--
		r.post(b)
	}
	m.buffer = nil
}

// seek looks for the next message of the move registers' sender.
func (r *receiver) seek() uint32 {
	r.sought = nil
	regs := &r.e.mover.regs
	from, ok := r.e.peer(regs.comm, regs.source)
	if !ok {
		return 0
	}
	r.know(from, regs.context)
	r.from = from
	r.sought, _ = r.next(from, regs.request())
	if r.sought == nil {
		return 0
	}
	return uint32(r.sought.bytes) + 1
}

func (r *receiver) found() uint32 {
	if r.sought == nil || r.sought.buffer == nil {
		return 0
	}
	return r.sought.buffer.record
}

func (r *receiver) discard(uint32) error {
	if m := r.sought; m != nil {
		r.consume(m, r.from)
		r.giveBack(m)
	}
	return nil
}
