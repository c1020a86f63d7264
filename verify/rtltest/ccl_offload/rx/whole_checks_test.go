package rx

import (
	"errors"
	"fmt"
	"slices"
)

// recorded follows what the recorder begins, and what it has done.
func (x *joined) recorded() error {
	b, now := x.b, int(x.b.Cycle)
	if b.Is("complete_ready") { // nothing is under way
		x.settled(now)
		if err := x.completed(); err != nil {
			return err
		}
	}
	if v, ok := x.completes.Gone(); ok {
		n := v.buffer
		remove := func(m *memoryOf) { m.notes = slices.DeleteFunc(m.notes, func(o note) bool { return o.number == n }) }
		switch v.what {
		case good:
			x.event.complete, x.event.told = &n, false
			x.begin(now, func(m *memoryOf) {
				for i := range m.notes {
					if m.notes[i].number == n {
						m.notes[i].complete = true
					}
				}
			})
		case failed:
			x.begin(now, remove)
		default:
			x.begin(now, remove, x.expected(n))
		}
	}
	for _, f := range x.releases {
		if n, ok := f.Gone(); ok && x.resetting < 2 {
			x.seen["given back"]++
			x.begin(now, x.expected(n))
		}
	}
	return nil
}

// expected is that a buffer waits for a message, whose record will say so.
func (x *joined) expected(n uint64) func(*memoryOf) {
	x.again[n] = true
	return x.waitsAgain(n)
}

// waitsAgain is that a buffer waits for a message.
func (x *joined) waitsAgain(n uint64) func(*memoryOf) {
	v := x.given[n]
	return func(m *memoryOf) { m.free = append(m.free, v) }
}

// completed checks the record of a message, and whether somebody was told.
func (x *joined) completed() error {
	n := x.event.complete
	if n == nil {
		return nil
	}
	x.event.complete = nil
	at, c := x.given[*n].record, x.lastFields[*n]
	for offset, want := range map[uint64]uint64{x.words.tag: c.tag, x.words.bytes: c.bytes, x.words.src: c.src,
		x.words.seq: c.seq, x.words.status: x.words.reserved} {
		if got := x.memory[at+offset]; got != want {
			return fmt.Errorf("word 0x%X of the record of buffer %d is %X, not %X", offset, *n, got, want)
		}
	}
	if !x.event.told {
		return fmt.Errorf("nobody is told that buffer %d has a message", *n)
	}
	return nil
}

// accepted is what has become of a message that wants to come in.
func (x *joined) accepted() error {
	b := x.b
	if !b.Is("accept_done") {
		return nil
	}
	if x.offered == nil {
		return errors.New("an answer to nobody")
	}
	const stored, taken, noBuffer = 0, 1, 4
	n, verdict := *x.offered, b.Get("accept_verdict")
	x.offered, x.answered = nil, int(b.Cycle)
	b.Set("accept_valid", 0)
	if verdict == taken {
		x.alone++
		n.number, n.complete = 0x100+x.alone, true
		x.event.arrived = int(b.Cycle)
		x.seen["without payload"]++
	}
	if verdict == noBuffer && !x.lossy {
		x.held = append(x.held, n)
		x.welcome = false
	}
	if verdict == stored {
		n.number = b.Get("accept_buffer")
		if n.number >= uint64(len(x.given)) || b.Get("accept_address") != x.given[n.number].address {
			return fmt.Errorf("a message goes to buffer %d at %X", n.number, b.Get("accept_address"))
		}
		if got := x.memory[x.given[n.number].record+x.words.status]; got != x.words.enqueued {
			return fmt.Errorf("buffer %d waited with status %d", n.number, got)
		}
		x.coming = append(x.coming, n)
		x.lastFields[n.number] = n
		x.seen["stored"]++
	}
	return x.see(int(b.Cycle), false, fmt.Sprintf("%+v with verdict %d", n, verdict), func(w world) bool {
		if w.accept(n) != verdict || verdict == stored && w.model.free[0].number != n.number {
			return false
		}
		switch verdict {
		case stored:
			w.model.free = w.model.free[1:]
			w.model.notes = append(w.model.notes, n)
		case taken:
			w.matcher.alone++
			w.model.notes = append(w.model.notes, n)
		}
		return true
	})
}

// matched is what queues are told.
func (x *joined) matched() error {
	b := x.b
	for q := range x.takers {
		t := &x.takers[q]
		port := fmt.Sprintf("match_response_%d.", q)
		if !b.Is(port + "done") {
			continue
		}
		found, late := b.Is(port+"found"), t.waits
		if !t.asks && !(late && found) {
			return fmt.Errorf("queue %d is told of a message (%t) that it does not want", q, found)
		}
		w := t.wanted
		stored, buffer, mismatch := b.Is(port+"stored"), b.Get(port+"buffer_"), b.Is(port+"mismatch")
		t.asks, t.waits, t.changed, t.stuck = false, !found && !mismatch && x.r.IntN(8) > 0, false, 0
		if late {
			x.event.told = true
			x.seen["pushed"]++
		}
		if found {
			x.seen["found"]++
			x.taken = int(b.Cycle)
			if stored {
				f := x.releases[x.r.IntN(2)]
				f.Queue = append(f.Queue, buffer)
			}
		}
		err := x.see(int(b.Cycle), false, fmt.Sprintf("that %+v is found (%t: buffer %d; of another collective: %t)", w,
			found, buffer, mismatch), func(o world) bool {
			hit, apart, old := o.model.look(w)
			if len(old) > 0 || (hit != nil) != found || (apart != nil) != mismatch {
				return false
			}
			if apart != nil {
				o.parked, o.other = nil, other{apart.src, apart.of}
				return true
			}
			if found {
				in := hit.number <= 0xFF
				if b.Get(port+"bytes") != hit.bytes || in != stored || in &&
					(buffer != hit.number || b.Get(port+"address") != x.given[hit.number].address) {
					return false
				}
				o.took(*hit, w.record)
				return true
			}
			o.parked = nil
			o.park(q, w)
			if !x.lossy && o.parked == nil {
				o.model.want(w)
			}
			return true
		})
		if err != nil {
			return err
		}
		if mismatch {
			x.otherSince = int(b.Cycle)
			x.seen["apart"]++
		}
	}
	return nil
}

// told is who is told that something has changed; nobody may wait for ever.
func (x *joined) told() error {
	b, now := x.b, int(x.b.Cycle)
	for q := range x.takers {
		x.takers[q].changed = x.takers[q].changed || b.Is("messages_changed")
	}
	x.welcome = x.welcome || b.Is("messages_retry")
	recent := x.event.arrived > 0 && now-x.event.arrived <= 4
	if b.Is("event_message") {
		if x.event.complete == nil && !recent {
			return errors.New("an event without a message")
		}
		x.event.told, x.event.arrived = true, 0
	} else if x.event.arrived > 0 && !recent {
		return errors.New("nobody is told of a message without payload")
	}
	if now%16 != 0 {
		return nil
	}
	for q := range x.takers {
		t := &x.takers[q]
		if x.resetting > 0 || !t.waits || t.changed ||
			slices.ContainsFunc(x.all, func(w world) bool { return w.seen < len(x.effects) || !w.answers(t.wanted) }) {
			t.stuck = 0
		} else if t.stuck++; t.stuck > 40 {
			return fmt.Errorf("queue %d waits, and is not told that %+v is there", q, t.wanted)
		}
	}
	if x.resetting > 0 || x.welcome || len(x.held) == 0 || x.offered != nil || slices.ContainsFunc(x.all,
		func(w world) bool { return w.seen < len(x.effects) || w.clone().accept(x.held[0]) == 4 }) {
		x.shut = 0
	} else if x.shut++; x.shut > 40 {
		return fmt.Errorf("%+v could come in, and nobody is told", x.held[0])
	}
	return nil
}
