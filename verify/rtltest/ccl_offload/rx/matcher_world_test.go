package rx

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// key is that of a message in the table.
type key struct{ session, src, seq uint64 }

// note is a message that nobody has taken.
type note struct {
	key
	context, tag, bytes, number uint64
	of                          block.Collective
	complete                    bool
}

type sender struct{ session, src, context uint64 }

type wanted struct {
	record, session, rank, context, tag uint64
	of                                  block.Collective // of a request: not of what is noted as wanted
}

// fits tells whether a message could answer a request, by its context.
func (w wanted) fits(n note) bool {
	return n.context == w.context || n.context == 0 && w.context%2 == 0
}

type buffer struct{ number, address, bytes, record uint64 }

// memoryOf is what decisions look at. The module changes one through its ports,
// the model another; both must stay alike.
type memoryOf struct {
	notes   []note // oldest first
	senders map[sender][]uint64
	wants   []wanted
	counts  map[uint64]uint64 // by record
	free    []buffer
}

func newMemory() *memoryOf {
	return &memoryOf{senders: map[sender][]uint64{}, counts: map[uint64]uint64{}}
}

func (m *memoryOf) find(k key) (found []note) { // newest first
	for _, n := range slices.Backward(m.notes) {
		if n.key == k {
			found = append(found, n)
		}
	}
	return found
}

// look is what a request finds among the messages that are complete: one that answers it
// or, if it is of a collective, one of another collective that is not older. Before it,
// messages of older collectives are dropped.
func (m *memoryOf) look(w wanted) (hit, other *note, old []note) {
	for _, n := range m.find(key{w.session, w.rank, m.counts[w.record]}) {
		switch {
		case !n.complete || !w.fits(n):
		case w.context%2 == 1 && n.of.Before(w.of):
			old = append(old, n)
		case w.context%2 == 1 && n.of != w.of:
			return nil, &n, old
		case meet(n.tag, w.tag):
			return &n, nil, old
		}
	}
	return nil, nil, old
}

func (m *memoryOf) remove(n note) {
	m.notes = slices.DeleteFunc(m.notes, func(o note) bool { return o.number == n.number })
}

func (m *memoryOf) know(s sender, record uint64) {
	if !slices.Contains(m.senders[s], record) {
		m.senders[s] = append(m.senders[s], record)
	}
}

func (m *memoryOf) want(w wanted) (fresh bool) {
	w.of = block.Collective{}
	if slices.Contains(m.wants, w) {
		return false
	}
	m.wants = append(m.wants, w)
	return true
}

func meet(a, b uint64) bool { return a == b || a == anyTag || b == anyTag }

func (m *memoryOf) answer(record, tag uint64) {
	m.wants = slices.DeleteFunc(m.wants, func(w wanted) bool { return w.record == record && meet(w.tag, tag) })
}

func (m *memoryOf) answers(session, src, context, tag uint64) (records []uint64) {
	for _, w := range m.wants {
		if w.session == session && w.rank == src && (w.context == context || context == 0) && meet(w.tag, tag) {
			records = append(records, w.record)
		}
	}
	return records
}

// differs compares what the module has left with what it should have.
func (m *memoryOf) differs(o *memoryOf) error {
	if !slices.Equal(m.notes, o.notes) {
		return fmt.Errorf("messages %+v, not %+v", m.notes, o.notes)
	}
	if !slices.Equal(m.wants, o.wants) {
		return fmt.Errorf("wants %+v, not %+v", m.wants, o.wants)
	}
	if !slices.Equal(m.free, o.free) {
		return fmt.Errorf("buffers that wait: %+v, not %+v", m.free, o.free)
	}
	for record, n := range o.counts {
		if m.counts[record] != n {
			return fmt.Errorf("record 0x%X counts %d, not %d", record, m.counts[record], n)
		}
	}
	for s, records := range o.senders {
		if !slices.Equal(m.senders[s], records) {
			return fmt.Errorf("records of %+v: %X, not %X", s, m.senders[s], records)
		}
	}
	for s := range m.senders {
		if o.senders[s] == nil && len(m.senders[s]) > 0 {
			return fmt.Errorf("records of %+v: %X, not none", s, m.senders[s])
		}
	}
	return nil
}

// pending is an answer of a table that is on its way.
type pending struct {
	left  int    // cycles
	early func() // what is there a cycle before
	apply func()
	done  string
}

// tables play what is around the matcher.
type tables struct {
	b                *block.Bench
	r                *rand.Rand
	m                *memoryOf
	waits            map[string]*pending
	found            []note
	records, answers []uint64
	at, rec, ans     int
	delay            int // of an access to the exchange memory
	settle           int
	lent             map[uint64]bool
	given            map[uint64]bool // buffers that were given back
	inbound          uint64          // offset of the number of the next message in a record
	buffers          map[uint64]buffer
	looked           uint64
	changed, welcome bool
	arrived          int
}

func (t *tables) later(what, done string, early, apply func()) error {
	if t.waits[what] != nil {
		return fmt.Errorf("%s is asked twice", what)
	}
	p := &pending{t.r.IntN(4 + 30*(t.r.IntN(8)/7)), early, apply, done}
	if early != nil {
		p.left++
	}
	t.waits[what] = p
	return nil
}

// number shows which message will be the one that is found, and of which collective it is.
func (t *tables) number(found []note, at int) {
	t.b.Scramble(t.r, "table_number", "table_collective")
	if at < len(found) {
		t.b.Set("table_number", found[at].number)
		t.b.SetCollective("table_collective", found[at].of)
	}
}

func (t *tables) showNote() {
	b := t.b
	b.Put("table_found", t.at < len(t.found))
	if t.at >= len(t.found) {
		b.Scramble(t.r, "table_number", "table_collective", "table_context", "table_tag", "table_bytes", "table_complete")
		return
	}
	n := t.found[t.at]
	b.Set("table_number", n.number)
	b.Set("table_context", n.context)
	b.Set("table_tag", n.tag)
	b.Set("table_bytes", n.bytes)
	b.Put("table_complete", n.complete)
}

func (t *tables) showRecord(prefix string, records []uint64, at int) {
	t.b.Put(prefix+"_found", at < len(records))
	t.b.Scramble(t.r, prefix+"_record")
	if at < len(records) {
		t.b.Set(prefix+"_record", records[at])
	}
}

// look says what is known of the buffer that was looked at a cycle ago.
func (t *tables) look() {
	v := t.buffers[t.looked&0xFF]
	t.b.Set("look_record", v.record)
	t.b.Set("look_address", v.address)
}

// step runs a cycle of the module and of all around it.
func (t *tables) step() error {
	b := t.b
	for _, done := range []string{"table_done", "senders_done", "wants_done", "exchange_response.done", "release_ready"} {
		b.Set(done, 0)
	}
	for what, p := range t.waits {
		if p == nil {
			continue
		}
		if p.left--; p.left < 0 {
			p.apply()
			b.Set(p.done, 1)
			t.waits[what] = nil
		} else if p.left == 0 && p.early != nil {
			p.early()
		}
	}
	b.Set("free_count", uint64(len(t.m.free)))
	b.Scramble(t.r, "head_number", "head_address", "head_bytes")
	if t.settle > 0 {
		t.settle--
	}
	b.Put("head_settled", t.settle == 0)
	if len(t.m.free) > 0 {
		h := t.m.free[0]
		b.Set("head_number", h.number)
		if t.settle == 0 {
			b.Set("head_address", h.address)
			b.Set("head_bytes", h.bytes)
		}
	}
	t.look()
	b.Settle()
	if b.Is("exchange_request.valid") {
		if t.delay--; t.delay < 0 {
			address := b.Get("exchange_request.address") - t.inbound
			b.Set("exchange_response.done", 1)
			b.Set("exchange_response.rdata", t.m.counts[address])
			b.Set("exchange_response.ok", 1)
			if b.Get("exchange_request.operation") == b.Const("engine_pkg::EXCHANGE_ADD") {
				t.m.counts[address] = (t.m.counts[address] + b.Get("exchange_request.wdata")) & 0xFFFFFFFF
			} else if b.Get("exchange_request.operation") != b.Const("engine_pkg::EXCHANGE_READ") {
				return fmt.Errorf("it writes to 0x%X", address)
			}
			t.delay = t.r.IntN(4)
		}
	}
	if b.Is("release_valid") && t.r.IntN(2) == 0 {
		b.Set("release_ready", 1)
		n := b.Get("number") & 0xFF
		if t.given[n] || !t.lent[n] && b.Get("number") > 0xFF {
			return fmt.Errorf("buffer %d is given back twice", n)
		}
		t.given[n] = true
	}
	b.Step()
	t.looked = b.Get("number")
	t.changed = t.changed || b.Is("changed")
	t.welcome = t.welcome || b.Is("welcome")
	if b.Is("arrived") {
		t.arrived++
	}
	return t.requests()
}

// requests does what the module asks for in this cycle.
func (t *tables) requests() error {
	b, m := t.b, t.m
	session, src, context, tag, record := b.Get("session"), b.Get("src"), b.Get("context_"), b.Get("tag"), b.Get("record")
	s := sender{session, src, context}
	for _, x := range []struct {
		port, what, done string
		early, apply     func()
	}{
		{"table_start", "table", "table_done", func() { t.number(m.find(key{session, src, b.Get("seq")}), 0) },
			func() { t.found, t.at = m.find(key{session, src, b.Get("seq")}), 0; t.showNote() }},
		{"table_step", "table", "table_done", func() { t.number(t.found, t.at+1) }, func() { t.at++; t.showNote() }},
		{"senders_start", "senders", "senders_done", nil,
			func() { t.records, t.rec = slices.Clone(m.senders[s]), 0; t.showRecord("senders", t.records, 0) }},
		{"senders_step", "senders", "senders_done", nil, func() { t.rec++; t.showRecord("senders", t.records, t.rec) }},
		{"senders_know", "senders", "senders_done", nil, func() { m.know(s, record); t.showRecord("senders", nil, 0) }},
		{"wants_add", "wants", "wants_done", nil, func() {
			fresh := m.want(wanted{record, session, src, context, tag, block.Collective{}})
			t.showRecord("wants", nil, 0)
			b.Put("wants_found", fresh)
		}},
		{"wants_answer", "wants", "wants_done", nil, func() { m.answer(record, tag); t.showRecord("wants", nil, 0) }},
		{"wants_start", "wants", "wants_done", nil, func() {
			t.answers, t.ans = m.answers(session, src, context, tag), 0
			t.showRecord("wants", t.answers, 0)
		}},
		{"wants_step", "wants", "wants_done", nil, func() { t.ans++; t.showRecord("wants", t.answers, t.ans) }},
	} {
		if b.Is(x.port) {
			if err := t.later(x.what, x.done, x.early, x.apply); err != nil {
				return err
			}
		}
	}
	if b.Is("table_remove") {
		if t.at >= len(t.found) {
			return fmt.Errorf("a message is removed that was not found")
		}
		m.remove(t.found[t.at])
	}
	if b.Is("table_insert") {
		m.notes = append(m.notes, note{key{session, src, b.Get("seq")}, context, tag, b.Get("count"), b.Get("number"),
			b.Collective("collective"), b.Get("number") > 0xFF})
	}
	if b.Is("take") {
		if len(m.free) == 0 {
			return fmt.Errorf("a buffer is taken, and none waits")
		}
		m.free = m.free[1:]
		t.settle = t.r.IntN(4)
	}
	if b.Is("lend") {
		t.lent[b.Get("number")] = true
	}
	return nil
}
