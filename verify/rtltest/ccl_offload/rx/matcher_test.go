package rx

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

func TestMessageMatcher(t *testing.T) { messageSet.Check(t, "message_matcher", messageMatcher) }
func TestMessageMatcherLossy(t *testing.T) {
	messageSet.Check(t, "message_matcher_udp", messageMatcher)
}

// matcher is the module, what is around it, and its model.
type matcher struct {
	*tables
	model      *memoryOf
	lossy      bool
	sought     *note // by the model
	soughtBy   uint64
	seekers    [4]*wanted // what the queues ask for
	alone      int        // messages without payload
	waits      [4]bool    // queues that were told of none and have not gone
	parked     *parked
	pushed     int
	due        map[uint64]bool // buffers that the matcher gives back itself
	other      other           // by the model
	old, apart int             // messages of older collectives, and of others, that requests have met
}

// other is the message that ended a move last.
type other struct {
	source uint64
	of     block.Collective
}

// parked is a message that is not complete, for a queue that waits for it.
type parked struct {
	queue  int
	want   wanted
	number uint64
}

// park says which message a queue will get that was told of none, if nothing else
// happens.
func (x *matcher) park(q int, w wanted) {
	x.parked = nil
	for _, n := range x.model.find(key{w.session, w.rank, x.model.counts[w.record]}) {
		if !n.complete && w.fits(n) && meet(n.tag, w.tag) && (w.context%2 == 0 || n.of == w.of) {
			x.parked = &parked{q, w, n.number}
			return
		}
	}
}

// stay says who waits.
func (x *matcher) stay() {
	mask := uint64(0)
	for q, waits := range x.waits {
		if waits {
			mask |= 1 << q
		}
	}
	x.b.Set("match_waits", mask)
}

// accept is what becomes of a message that wants to come in.
func (x *matcher) accept(n note) (verdict uint64) {
	const stored, taken, stale, tooLarge, noBuffer = 0, 1, 2, 3, 4
	m := x.model
	for _, o := range m.find(n.key) {
		if o.context == n.context && o.of.Number == n.of.Number {
			return stale
		}
	}
	records := m.senders[sender{n.session, n.src, n.context}]
	if len(records) > 0 &&
		!slices.ContainsFunc(records, func(r uint64) bool { return int32(uint32(n.seq)-uint32(m.counts[r])) >= 0 }) {
		return stale
	}
	switch {
	case n.bytes == 0 && x.alone == 64:
		return noBuffer
	case n.bytes == 0:
		return taken
	case len(m.free) == 0:
		return noBuffer
	case n.bytes > m.free[0].bytes:
		return tooLarge
	case len(m.free) == 1 && !x.lossy: // the last one is for somebody who waits for this message
		for _, r := range m.answers(n.session, n.src, n.context, n.tag) {
			if m.counts[r] == n.seq {
				return stored
			}
		}
		return noBuffer
	}
	return stored
}

// drop forgets a message of an older collective, which is not counted.
func (x *matcher) drop(n note) {
	x.model.notes = slices.DeleteFunc(x.model.notes, func(o note) bool { return o == n })
	if n.number > 0xFF {
		x.alone--
	}
	if x.sought != nil && *x.sought == n {
		x.sought = nil
	}
}

// next is what a request finds, after those of older collectives are dropped.
func (x *matcher) next(w wanted) (hit, other *note, err error) {
	hit, other, old := x.model.look(w)
	for _, n := range old {
		x.drop(n)
		x.old++
		x.due[n.number] = true
		if in := n.number <= 0xFF; in && (!x.given[n.number] || !x.lent[n.number]) {
			return nil, nil, fmt.Errorf("buffer %d of an older collective was lent: %t, and given back: %t", n.number,
				x.lent[n.number], x.given[n.number])
		}
	}
	return hit, other, nil
}

// answers tells whether a request would get an answer other than that there is none.
func (x *matcher) answers(w wanted) bool {
	hit, other, _ := x.model.look(w)
	return hit != nil || other != nil
}

// took counts a message.
func (x *matcher) took(n note, record uint64) {
	m := x.model
	m.remove(n)
	m.counts[record] = (m.counts[record] + 1) & 0xFFFFFFFF
	m.know(sender{n.session, n.src, n.context}, record)
	if !x.lossy {
		m.answer(record, n.tag)
	}
	if n.number > 0xFF {
		x.alone--
	}
	if x.sought != nil && x.sought.number == n.number {
		x.sought = nil
	}
}

// hold raises an input until its output answers.
func (x *matcher) hold(valid, done string) error {
	x.b.Set(valid, 1)
	for range 4000 {
		if err := x.step(); err != nil {
			return err
		}
		if x.b.Is(done) {
			x.b.Set(valid, 0)
			return nil
		}
	}
	return fmt.Errorf("%s does not come", done)
}

// soon steps until it was said that others may be found, or come in.
func (x *matcher) soon(changed, welcome bool) error {
	for range 200 {
		if (x.changed || !changed) && (x.welcome || !welcome) {
			return nil
		}
		if err := x.step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("nobody is told that others may be found (%t), or come in (%t)", changed, welcome)
}

func messageMatcher(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	record := d.ABI().Memory("exchange").Table("communicators").Record
	x := &matcher{lossy: b.Const("engine_pkg::LOSSY") != 0}
	restart := func() {
		x.tables = &tables{b: b, r: r, m: newMemory(), waits: map[string]*pending{}, lent: map[uint64]bool{},
			given: map[uint64]bool{}, buffers: map[uint64]buffer{}}
		for i, f := range record {
			if f.Name == "inbound_seq" {
				x.inbound = uint64(4 * i)
			}
		}
		x.model, x.sought, x.seekers, x.alone = newMemory(), nil, [4]*wanted{}, 0
		x.waits, x.parked, x.due = [4]bool{}, nil, map[uint64]bool{}
		x.stay()
		for n := range 12 {
			v := buffer{uint64(n * 21), r.Uint64(), []uint64{100, 1000}[r.IntN(2)], uint64(0x300 + 4*n)}
			x.buffers[v.number] = v
			x.m.free, x.model.free = append(x.m.free, v), append(x.model.free, v)
		}
		for n := range 4 {
			c := []uint64{0, 5, 0xFFFFFFFE, 0x7FFFFFFF}[r.IntN(4)]
			x.m.counts[uint64(0x1000+64*n)], x.model.counts[uint64(0x1000+64*n)] = c, c
		}
	}
	restart()
	coming := []uint64{} // buffers whose messages are not complete
	stored, hits := 0, 0
	for i := range 2400 {
		if r.IntN(400) == 0 {
			if r.IntN(2) == 0 {
				b.Reset()
				x.other = other{}
			} else {
				b.Set("clear", 1)
				b.Step()
				b.Set("clear", 0)
			}
			b.Settle() // outputs are those of the cycle before
			restart()
			coming = nil
		}
		x.changed, x.welcome, x.arrived = false, false, 0
		w := wanted{0x1000 + 64*r.Uint64N(4), r.Uint64N(2), r.Uint64N(2), r.Uint64N(3), []uint64{7, 8, anyTag}[r.IntN(3)],
			block.RandomCollective(r)}
		if r.IntN(4) > 0 { // a record counts the messages of a sender
			w.session, w.rank = w.record>>6&1, w.record>>7&1
		}
		if err := x.once(i, w, &coming, &stored, &hits); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		for range r.IntN(5) {
			if err := x.step(); err != nil {
				return err
			}
		}
		if x.lossy {
			x.m.wants = nil // nobody asks
		}
		if !b.Is("idle") {
			continue
		}
		if err := x.m.differs(x.model); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		if r.IntN(20) == 0 { // when nothing happens, nothing is told
			for range 4 {
				x.changed, x.welcome = false, false
				if err := x.step(); err != nil {
					return err
				}
			}
			if x.changed || x.welcome {
				return fmt.Errorf("operation %d: changed %t, welcome %t for nothing", i, x.changed, x.welcome)
			}
		}
		if got := (other{b.Get("other_source"), b.Collective("other_collective")}); got != x.other {
			return fmt.Errorf("operation %d: the last one of another collective is %+v, not %+v", i, got, x.other)
		}
		if b.Is("sought") != (x.sought != nil) {
			return fmt.Errorf("operation %d: something is sought: %t", i, b.Is("sought"))
		}
	}
	if stored < 30 || hits < 20 || x.pushed < 3 || x.old < 3 || x.apart < 3 {
		return fmt.Errorf(
			"only %d messages came in, %d were taken, %d of them with their completion, %d were of older collectives, %d of "+
				"others", stored, hits, x.pushed, x.old, x.apart)
	}
	return nil
}

// once has one thing happen.
func (x *matcher) once(i int, w wanted, coming *[]uint64, stored, hits *int) error {
	b, r, m := x.b, x.r, x.model
	held := x.parked
	k := r.IntN(16)
	switch {
	case held != nil && r.IntN(3) > 0: // its completion comes next
		k = 15
	case len(x.model.free) < 12 && r.IntN(4) == 0: // somebody wants what is on its way
		for _, n := range m.notes {
			if !n.complete {
				k, w = 7, wanted{w.record, n.session, n.src, n.context, n.tag, n.of}
				for _, record := range slices.Sorted(maps.Keys(m.counts)) {
					if m.counts[record] == n.seq {
						w.record = record
					}
				}
			}
		}
	}
	if k < 14 {
		x.parked = nil
	}
	switch {
	case k < 7: // a message wants to come in
		n := note{key: key{w.session, w.rank, (m.counts[w.record] + uint64(r.IntN(4)) - uint64(r.IntN(2))) & 0xFFFFFFFF},
			context: r.Uint64N(3), tag: w.tag, bytes: 1 + r.Uint64N(150), of: block.RandomCollective(r)}
		switch r.IntN(4) {
		case 0:
			n.bytes = 0
		case 1:
			n.bytes = []uint64{100, 101, 1000, 1001}[r.IntN(4)]
		}
		want := x.accept(n)
		b.Scramble(r, "accept_session", "accept_header")
		b.Set("accept_session", n.session)
		for name, v := range map[string]uint64{"src": n.src, "seq": n.seq, "context_": n.context, "tag": n.tag,
			"count": n.bytes} {
			b.Set("accept_header."+name, v)
		}
		b.SetCollective("accept_header.collective", n.of)
		if err := x.hold("accept_valid", "accept_done"); err != nil {
			return err
		}
		if got := b.Get("accept_verdict"); got != want {
			return fmt.Errorf("%+v gets verdict %d, not %d; records %X, counts %v, wants %+v, %d buffers", n, got, want,
				m.senders[sender{n.session, n.src, n.context}], m.counts, m.wants, len(m.free))
		}
		switch want {
		case 0:
			n.number = m.free[0].number
			if b.Get("accept_buffer") != n.number || b.Get("accept_address") != m.free[0].address {
				return fmt.Errorf("it goes to buffer %d at 0x%X, not %+v", b.Get("accept_buffer"), b.Get("accept_address"),
					m.free[0])
			}
			m.free = m.free[1:]
			m.notes = append(m.notes, n)
			*coming = append(*coming, n.number)
			*stored++
			if err := x.soon(true, false); err != nil {
				return err
			}
		case 1:
			x.alone++
			n.complete = true
			n.number = x.m.notes[len(x.m.notes)-1].number // any that is not in use
			if n.number <= 0xFF || slices.ContainsFunc(m.notes, func(o note) bool { return o.number == n.number }) {
				return fmt.Errorf("a message without payload has number %d", n.number)
			}
			m.notes = append(m.notes, n)
			if err := x.soon(true, false); err != nil {
				return err
			}
			if x.arrived != 1 {
				return errors.New("nobody is told that one has come")
			}
		}
	case k < 11: // queues want messages
		return x.match(w, hits)
	case k == 11: // firmware looks for one
		olds := x.old
		b.Set("seek_request.valid", 1)
		if r.IntN(8) == 0 {
			b.Set("seek_request.valid", 0)
		}
		x.ask("seek_request", w)
		valid := b.Is("seek_request.valid")
		if err := x.hold("seek_valid", "seek_done"); err != nil {
			return err
		}
		x.sought = nil
		if valid {
			m.know(sender{w.session, w.rank, w.context}, w.record)
			var apart *note
			var err error
			if x.sought, apart, err = x.next(w); err != nil {
				return err
			}
			x.soughtBy = w.record
			if x.old > olds {
				if err := x.soon(true, true); err != nil {
					return err
				}
			}
			if x.sought == nil && apart == nil && !x.lossy && m.want(w) {
				if err := x.soon(false, true); err != nil {
					return err
				}
			}
		}
		if b.Is("sought") != (x.sought != nil) {
			return fmt.Errorf("%+v is found: %t, not %t", w, b.Is("sought"), x.sought != nil)
		}
		if s := x.sought; s != nil {
			want := uint64(0)
			if s.number <= 0xFF {
				want = x.buffers[s.number].record
			}
			if b.Get("sought_bytes") != s.bytes || b.Get("sought_record") != want {
				return fmt.Errorf("%d bytes in 0x%X are found, not %d in 0x%X", b.Get("sought_bytes"), b.Get("sought_record"),
					s.bytes, want)
			}
		}
	case k == 12: // and drops it
		s := x.sought
		if err := x.hold("discard_valid", "discard_done"); err != nil {
			return err
		}
		if s == nil {
			break
		}
		x.took(*s, x.soughtBy)
		if s.number <= 0xFF {
			x.due[s.number] = true
			if !x.given[s.number] || !x.lent[s.number] {
				return fmt.Errorf("buffer %d was lent: %t, and given back: %t", s.number, x.lent[s.number], x.given[s.number])
			}
		}
		return x.soon(true, true)
	case k == 13: // what was accepted will not be complete
		if len(*coming) == 0 || r.IntN(6) == 0 {
			return x.removeNone(w)
		}
		x.parked = held
		n := (*coming)[0]
		*coming = (*coming)[1:]
		at := slices.IndexFunc(m.notes, func(o note) bool { return o.number == n })
		if at < 0 {
			break
		}
		o := m.notes[at]
		x.parked = nil
		b.Set("remove_number", n)
		b.Set("remove_session", o.session)
		b.Set("remove_src", o.src)
		b.Set("remove_seq", o.seq)
		if r.IntN(4) == 0 { // also while nothing else begins
			b.Set("stop", 1)
			b.Set([]string{"accept_valid", "seek_valid", "discard_valid"}[r.IntN(3)], 1)
		}
		err := x.hold("remove_valid", "remove_done")
		for range 20 {
			if !b.Is("stop") || err != nil {
				break
			}
			if err = x.step(); err == nil && (b.Is("accept_done") || b.Is("seek_done") || b.Is("discard_done")) {
				err = errors.New("something begins while it is stopped")
			}
		}
		for _, name := range []string{"stop", "accept_valid", "seek_valid", "discard_valid"} {
			b.Set(name, 0)
		}
		if err != nil {
			return err
		}
		m.remove(o)
		x.back(n)
		return x.soon(true, false)
	default: // payload has come; buffers wait again
		if len(*coming) > 0 {
			at := r.IntN(len(*coming))
			if i := slices.IndexFunc(*coming, func(n uint64) bool { return held != nil && n == held.number }); i >= 0 &&
				r.IntN(4) > 0 {
				at = i
			}
			n := (*coming)[at]
			*coming = slices.Delete(*coming, at, at+1)
			for _, y := range []*memoryOf{m, x.m} {
				for j := range y.notes {
					if y.notes[j].number == n {
						y.notes[j].complete = true
					}
				}
			}
			b.Set("completed", 1)
			b.Set("remove_number", n)
			x.look()
			b.Settle()
			pushes := b.Is("idle") && held != nil && n == held.number && x.waits[held.queue]
			if b.Is("idle") && b.Is("match_response.done") != pushes {
				return fmt.Errorf("buffer %d is complete, and %+v gets it: %t", n, held, !pushes)
			}
			x.parked = nil // others may answer the request, too
			if b.Is("given") != pushes {
				return fmt.Errorf("a queue is given a message: %t", b.Is("given"))
			}
			if pushes {
				hit, _, _ := m.look(held.want)
				if hit == nil || hit.number != n {
					return fmt.Errorf("%+v waits for %+v, which is not what it should get", held, hit)
				}
				if err := x.gets(held.queue, *hit); err != nil {
					return err
				}
				x.took(*hit, held.want.record)
				x.waits[held.queue] = false
				x.pushed++
			}
			err := x.step()
			x.stay()
			b.Set("completed", 0)
			b.Scramble(r, "remove_number")
			if err != nil {
				return err
			}
			x.changed = false
			return x.soon(true, pushes)
		}
		for n := range x.lent {
			if n > 0xFF {
				return fmt.Errorf("number %d is lent", n)
			}
		}
		for _, n := range []uint64{0, 21, 42, 63, 84, 105, 126, 147, 168, 189, 210, 231} {
			if x.lent[n] && r.IntN(2) == 0 {
				if x.given[n] != x.due[n] {
					return fmt.Errorf("the matcher gives buffer %d back: %t", n, x.given[n])
				}
				delete(x.due, n)
				delete(x.lent, n)
				delete(x.given, n)
				x.back(n)
				b.Set("returned", 1)
				err := x.step()
				b.Set("returned", 0)
				if err != nil {
					return err
				}
				x.welcome = false
				return x.soon(false, true)
			}
		}
	}
	_ = i
	return nil
}

// back has a buffer wait for a message again.
func (x *matcher) back(n uint64) {
	x.m.free, x.model.free = append(x.m.free, x.buffers[n]), append(x.model.free, x.buffers[n])
	x.settle = x.r.IntN(4)
}

func (x *matcher) ask(port string, w wanted) {
	x.b.Set(port+".record", w.record)
	x.b.Set(port+".session", w.session)
	x.b.Set(port+".rank", w.rank)
	x.b.Set(port+".context_", w.context)
	x.b.Set(port+".tag", w.tag)
	x.b.SetCollective(port+".collective", w.of)
}

// gets is the answer to a queue: a message.
func (x *matcher) gets(q int, n note) error {
	b, in := x.b, n.number <= 0xFF
	if b.Get("match_owner") != 1<<q || !b.Is("match_response.found") {
		return fmt.Errorf("queues %04b get a message (%t), not %d", b.Get("match_owner"), b.Is("match_response.found"), q)
	}
	if b.Get("match_response.bytes") != n.bytes || b.Is("match_response.stored") != in || in &&
		(b.Get("match_response.buffer_") != n.number || b.Get("match_response.address") != x.buffers[n.number].address) {
		return fmt.Errorf("%d bytes in %d at 0x%X (%t) are found, not %+v", b.Get("match_response.bytes"),
			b.Get("match_response.buffer_"), b.Get("match_response.address"), b.Is("match_response.stored"), n)
	}
	return nil
}

// match has some queues ask for messages; they get turns.
func (x *matcher) match(w wanted, hits *int) error {
	b, r, m := x.b, x.r, x.model
	valid := uint64(0)
	for q := range 4 {
		if q == 0 || r.IntN(3) == 0 {
			o := w
			if q > 0 {
				o.record = 0x1000 + 64*r.Uint64N(4)
			}
			at := (q + r.IntN(4)) % 4
			x.seekers[at] = &o
			x.waits[at] = false
			valid |= 1 << at
		}
	}
	x.stay()
	olds := x.old
	for n := 0; valid != 0; n++ {
		if n > 4000 {
			return fmt.Errorf("queues %04b get no answer", valid)
		}
		b.Set("match_valid", valid)
		b.Settle()
		grant := b.Get("match_grant")
		b.Scramble(r, "match_request")
		for q := range 4 {
			if grant == 1<<q && x.seekers[q] != nil {
				b.Set("match_request.valid", 1)
				x.ask("match_request", *x.seekers[q])
			}
		}
		if err := x.step(); err != nil {
			return err
		}
		if !b.Is("match_response.done") {
			continue
		}
		owner := b.Get("match_owner")
		if owner == 0 || owner&(owner-1) != 0 || owner&valid == 0 {
			return fmt.Errorf("queues %04b are answered, %04b ask", owner, valid)
		}
		q := 0
		for owner>>q != 1 {
			q++
		}
		valid &^= owner
		b.Set("match_valid", valid)
		w := *x.seekers[q]
		found, mismatch := b.Is("match_response.found"), b.Is("match_response.mismatch")
		hit, apart, err := x.next(w)
		if err != nil {
			return err
		}
		x.parked = nil
		if mismatch != (apart != nil) {
			return fmt.Errorf("%+v finds one of another collective: %t; counts %v, messages %+v", w, mismatch, m.counts, m.notes)
		}
		if apart != nil {
			x.other = other{apart.src, apart.of}
			x.apart++
			if found {
				return fmt.Errorf("%+v is found, with %+v", w, *apart)
			}
			continue
		}
		if hit == nil {
			x.waits[q] = r.IntN(4) > 0
			x.park(q, w)
			x.stay()
		}
		if found != (hit != nil) {
			return fmt.Errorf("%+v is found: %t; counts %v, messages %+v", w, found, m.counts, m.notes)
		}
		if hit == nil {
			if !x.lossy && x.parked == nil {
				m.want(w)
			}
			continue
		}
		*hits++
		if err := x.gets(q, *hit); err != nil {
			return err
		}
		x.took(*hit, w.record)
		if hit.number <= 0xFF && !x.lent[hit.number] {
			return fmt.Errorf("buffer %d was not lent", hit.number)
		}
		x.changed, x.welcome = x.changed && b.Is("changed"), x.welcome && b.Is("welcome")
		if valid == 0 {
			if err := x.soon(true, true); err != nil {
				return err
			}
		}
	}
	if x.old > olds {
		return x.soon(true, true)
	}
	return nil
}
