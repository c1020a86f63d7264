package rendezvous

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func (x *whole) driveQueries() {
	b, r := x.b, x.r
	for c := range x.queries {
		if x.queries[c] != nil {
			continue
		}
		name := fmt.Sprintf("window_request_%d", c)
		b.Scramble(r, name)
		b.Set(name+".valid", 0)
		pace := 30
		if b.Cycle/2000%4 == 3 { // all ask all the time
			pace = 1
		}
		if r.IntN(pace) > 0 {
			continue
		}
		x.passed[c] = 0
		n, w := x.some()
		q := what{window: uint64(n), address: w.address + r.Uint64N(w.bytes+100) - 40, index: b.Cycle}
		x.queries[c] = &q
		x.busy[n]++
		b.Set(name+".valid", 1)
		b.Set(name+".address", q.address)
		if r.IntN(20) == 0 {
			q.good = 1 // there is no such window
			b.Set(name+".window", uint64(n)+32<<r.IntN(20))
		} else {
			b.Set(name+".window", q.window)
		}
	}
}

func (x *whole) driveNumber() {
	b, r := x.b, x.r
	if x.sending != nil {
		return
	}
	b.Set("number_valid", 0)
	b.Scramble(r, "number_session", "number_vaddr", "number_host")
	if r.IntN(60) > 0 {
		return
	}
	n, w := x.some()
	x.sending = &what{window: uint64(n), session: w.session, address: w.address, host: w.host, index: b.Cycle}
	switch r.IntN(6) {
	case 0:
		x.sending.host ^= 1
	case 1:
		x.sending.address += 64
	}
	x.busy[n]++
	b.Set("number_valid", 1)
	b.Set("number_session", x.sending.session)
	b.Set("number_vaddr", x.sending.address)
	b.Set("number_host", x.sending.host*(1+r.Uint64N(255)))
}

// answered are channels.
func (x *whole) answered() error {
	b := x.b
	for c, q := range x.queries {
		name := fmt.Sprintf("window_response_%d", c)
		done := b.Is(name + ".done")
		if q == nil {
			if done {
				return fmt.Errorf("channel %d has not asked", c)
			}
			continue
		}
		if !done {
			if b.Cycle > q.index+patience {
				return fmt.Errorf("channel %d gets no answer", c)
			}
			continue
		}
		x.queries[c] = nil
		x.busy[q.window]--
		for other, waits := range x.queries {
			// Beside one that had its turn before, each other channel comes first once at most.
			if x.passed[other]++; waits != nil && x.passed[other] > len(x.queries) {
				return fmt.Errorf("channel %d is passed over %d times", other, x.passed[other])
			}
		}
		o := &x.windows[q.window]
		ok := q.good == 0 && o.holds(q.address)
		bytes := uint64(0)
		if ok {
			bytes = x.readable(o, q.address-o.address)
			x.seen["answers"]++
		}
		got := []uint64{b.Get(name + ".ok"), b.Get(name + ".bytes"), b.Get(name + ".more")}
		if want := []uint64{block.Bit(ok), bytes, block.Bit(ok && o.open)}; !slices.Equal(got, want) || ok &&
			b.Get(name+".host") != o.host {
			return fmt.Errorf("channel %d asks for %d of window %d: %v, not %v", c, q.address-o.address, q.window, got, want)
		}
	}
	return nil
}

// numbered is an announcement that is sent.
func (x *whole) numbered() error {
	b, n := x.b, x.sending
	switch {
	case n == nil && b.Is("number_done"):
		return errors.New("it counts an announcement that nobody sends")
	case n == nil:
		return nil
	case !b.Is("number_done"):
		if b.Cycle > n.index+patience {
			return errors.New("an announcement gets no number")
		}
		return nil
	}
	x.sending = nil
	x.busy[n.window]--
	want := x.numbers[n.session]
	if got := b.Get("number_value"); got != want {
		return fmt.Errorf("session %d: announcement %d, not %d", n.session, got, want)
	}
	x.numbers[n.session]++
	x.number(n.session, n.address, n.host, want)
	x.seen["numbers"]++
	return nil
}
