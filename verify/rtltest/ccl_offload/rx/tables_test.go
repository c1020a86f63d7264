package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

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
