package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// message is one in the table.
type message struct {
	session, src, seq, context, tag, bytes, number uint64
	of                                             block.Collective
	complete                                       bool
}

// messageTable puts messages in, finds them, and takes them out.
func messageTable(b *block.Bench, r *rand.Rand) error {
	buffers := 1 << (b.Width("found_number") - 1)
	var in []*message // in the order in which they came
	var free []int
	last := map[int]*message{} // what is in the buffers
	refill := func() {
		in, free = nil, r.Perm(2*buffers)
		clear(last)
	}
	refill()
	full := false
	for range 2500 {
		if r.IntN(400) == 0 { // all is forgotten
			if err := interrupt(b, r); err != nil {
				return err
			}
			refill()
		}
		// Phases in which the table fills up and runs empty.
		if len(free) == 0 {
			full = true
		} else if len(in) == 0 {
			full = false
		}
		m := &message{session: few(r, 3), src: few(r, 3), seq: few(r, 6), context: r.Uint64() & 0xFFFFFFFF,
			tag: r.Uint64() & 0xFFFFFFFF, bytes: r.Uint64() & 0xFFFFFFFF}
		m.of = block.Collective{Number: r.Uint64() & 0xFFFFFFFF, Count: r.Uint64() & 0xFFFFFFFF,
			Shape: r.Uint64() & 0xFFFFFFFF}
		m.session &= 0xFFFF
		if len(in) > 0 && r.IntN(2) == 0 {
			other := in[r.IntN(len(in))]
			m.session, m.src, m.seq = other.session, other.src, other.seq
			switch r.IntN(6) { // nearly the same
			case 0:
				m.session ^= 1 << r.IntN(16)
			case 1:
				m.src ^= 1 << r.IntN(32)
			case 2:
				m.seq ^= 1 << r.IntN(32)
			}
		}
		var same []*message // newest first
		for _, o := range slices.Backward(in) {
			if o.session == m.session && o.src == m.src && o.seq == m.seq {
				same = append(same, o)
			}
		}
		if err := completeOne(b, r, in, buffers); err != nil {
			return err
		}
		b.Set("key_session", m.session)
		b.Set("key_src", m.src)
		b.Set("key_seq", m.seq)
		pulse(b, "start")
		b.Scramble(r, "key_session", "key_src", "key_seq")
		steps := r.IntN(len(same) + 2)
		for i := 0; ; i++ {
			number, of := uint64(0), block.Collective{} // a cycle before
			for n := 0; !b.Is("done") || n == 0; n++ {
				if n > 10+4*len(in) {
					return errors.New("it is never done")
				}
				number, of = b.Get("found_number"), b.Collective("found_collective")
				b.Step()
			}
			if i < len(same) && (number != same[i].number || of != same[i].of) {
				return fmt.Errorf("number %d, %+v stands there before %+v is found", number, of, *same[i])
			}
			if i >= len(same) {
				if b.Is("found") {
					return fmt.Errorf("message %d of %d with its key is found", i+1, len(same))
				}
				break
			}
			if err := isFound(b, same[i]); err != nil {
				return err
			}
			if i == steps {
				break
			}
			for range r.IntN(3) {
				b.Step()
			}
			if b.Step(); b.Is("done") {
				return errors.New("it is done twice")
			}
			pulse(b, "step")
		}
		switch {
		case steps < len(same):
			if r.IntN(4) > 0 && (full || r.IntN(2) == 0) {
				pulse(b, "remove")
				o := same[steps]
				in = slices.DeleteFunc(in, func(m *message) bool { return m == o })
				free = append(free, int(o.number))
			}
		case len(free) > 0 && (!full || r.IntN(4) == 0):
			i := r.IntN(len(free))
			m.number = uint64(free[i])
			free = slices.Delete(free, i, i+1)
			m.complete = int(m.number) >= buffers
			for _, f := range []struct {
				name  string
				value uint64
			}{{"number", m.number}, {"context", m.context}, {"tag", m.tag}, {"bytes", m.bytes}} {
				b.Set("insert_"+f.name, f.value)
			}
			b.SetCollective("insert_collective", m.of)
			b.Put("insert_complete", m.complete)
			pulse(b, "insert")
			b.Scramble(r, "insert_number", "insert_context", "insert_collective", "insert_tag", "insert_bytes",
				"insert_complete")
			in = append(in, m)
			last[int(m.number)] = m
		}
		// What is in a buffer stays readable also after it is taken out.
		n := r.IntN(buffers)
		if m := last[n]; m != nil {
			b.Set("read_number", uint64(n))
			b.Step()
			b.Scramble(r, "read_number")
			b.Step()
			for name, want := range map[string]uint64{"session": m.session, "src": m.src, "seq": m.seq, "tag": m.tag,
				"bytes": m.bytes} {
				if got := b.Get("read_" + name); got != want {
					return fmt.Errorf("the %s of buffer %d is 0x%X, not 0x%X", name, n, got, want)
				}
			}
		}
	}
	return nil
}

// interrupt has all forgotten, in the middle of a search.
func interrupt(b *block.Bench, r *rand.Rand) error {
	pulse(b, "start")
	for range r.IntN(4) {
		b.Step()
	}
	if r.IntN(2) == 0 {
		b.Reset()
	} else {
		pulse(b, "clear")
	}
	for range 5 {
		if b.Step(); b.Is("done") {
			return errors.New("it is done with what was forgotten")
		}
	}
	return nil
}

// completeOne has the payload of a message come.
func completeOne(b *block.Bench, r *rand.Rand, in []*message, buffers int) error {
	if len(in) == 0 || r.IntN(3) > 0 {
		return nil
	}
	m := in[r.IntN(len(in))]
	if int(m.number) < buffers {
		b.Set("complete_number", m.number)
		pulse(b, "complete")
		b.Scramble(r, "complete_number")
		m.complete = true
	}
	return nil
}

func isFound(b *block.Bench, m *message) error {
	if !b.Is("found") {
		return fmt.Errorf("message %+v is not found", *m)
	}
	for name, want := range map[string]uint64{"number": m.number, "context": m.context, "tag": m.tag, "bytes": m.bytes} {
		if got := b.Get("found_" + name); got != want {
			return fmt.Errorf("the %s of message %+v is 0x%X", name, *m, got)
		}
	}
	if got := b.Collective("found_collective"); got != m.of {
		return fmt.Errorf("the collective of message %+v is %+v", *m, got)
	}
	if b.Is("found_complete") != m.complete {
		return fmt.Errorf("message %+v is complete: %t", *m, b.Is("found_complete"))
	}
	return nil
}

// senderTable learns who counts the messages of senders, and finds them.
func senderTable(b *block.Bench, r *rand.Rand) error {
	type key struct{ session, src, context uint64 }
	const room = 1024
	known := map[key]map[uint64]bool{}
	var keys []key
	total := 0
	forget := func() { clear(known); keys, total = nil, 0 }
	random := func() key {
		k := key{few(r, 4) & 0xFFFF, few(r, 8), few(r, 2)}
		if len(keys) > 0 && r.IntN(2) == 0 {
			k = keys[r.IntN(len(keys))]
			switch r.IntN(8) {
			case 0:
				k.session ^= 1 << r.IntN(16)
			case 1:
				k.src ^= 1 << r.IntN(32)
			case 2:
				k.context ^= 1 << r.IntN(32)
			}
		}
		return k
	}
	ask := func(how string, k key, record uint64) error {
		b.Set("session", k.session)
		b.Set("src", k.src)
		b.Set("context_", k.context)
		b.Set("know_record", record)
		pulse(b, how)
		b.Scramble(r, "session", "src", "context_", "know_record")
		return until(b, "done", 20+4*room)
	}
	for i := range 3500 {
		if i == 1500 || i == 3000 || i == 3300 { // in the middle, with the table full, and with a few
			if err := interrupt(b, r); err != nil {
				return err
			}
			forget()
		}
		k := random()
		if i < 3000 && r.IntN(4) > 0 { // learn
			if i >= 1500 { // all different
				k = key{uint64(i >> 8), uint64(i), r.Uint64N(2)}
			}
			record := 4 * r.Uint64N(4)
			if err := ask("know", k, record); err != nil {
				return err
			}
			if known[k] == nil {
				known[k] = map[uint64]bool{}
			}
			if was := known[k][record]; b.Is("found") != was {
				return fmt.Errorf("record %d of %v is said to be there: %t", record, k, b.Is("found"))
			} else if !was && total < room {
				known[k][record] = true
				keys = append(keys, k)
				total++
			}
			continue
		}
		if i >= 1500 && len(keys) > 0 && r.IntN(2) == 0 {
			k = keys[len(keys)-1]
		}
		if err := ask("start", k, r.Uint64()&0xFFFF); err != nil {
			return err
		}
		left := map[uint64]bool{}
		for record := range known[k] {
			left[record] = true
		}
		for b.Is("found") {
			record := b.Get("found_record")
			if !left[record] {
				return fmt.Errorf("%d is found as a record of %v, or twice", record, k)
			}
			delete(left, record)
			for range r.IntN(3) {
				b.Step()
			}
			pulse(b, "step")
			if err := until(b, "done", 20+4*room); err != nil {
				return err
			}
		}
		if len(left) > 0 {
			return fmt.Errorf("records of %v are not found: %v", k, left)
		}
	}
	return nil
}

// sessionCounters counts by session.
func sessionCounters(b *block.Bench, r *rand.Rand) error {
	sessions := int(b.Const("engine_pkg::SESSIONS"))
	counts := map[uint64]uint64{}
	settle := func() error {
		clear(counts)
		for range 4 * sessions {
			if b.Step(); !b.Is("busy") {
				return nil
			}
		}
		return errors.New("it clears for ever")
	}
	if err := settle(); err != nil {
		return err
	}
	check := func(s uint64) error {
		b.Set("session", s)
		b.Step()
		b.Step()
		if got := b.Get("value"); got != counts[s] {
			return fmt.Errorf("session %d has %d, not %d", s, got, counts[s])
		}
		return nil
	}
	for i := range 5000 {
		s := uint64(r.IntN(sessions))
		if r.IntN(2) == 0 {
			s %= 4
		}
		if err := check(s); err != nil {
			return err
		}
		if r.IntN(2) == 0 {
			pulse(b, "increment")
			counts[s]++
		}
		if i%2000 == 1000 {
			how := r.IntN(2)
			if how == 0 {
				pulse(b, "clear")
			} else {
				b.Reset()
			}
			if err := settle(); err != nil {
				return err
			}
			for s := range sessions {
				if err := check(uint64(s)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
