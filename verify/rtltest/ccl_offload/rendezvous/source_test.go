package rendezvous

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestWindowSource(t *testing.T) { set.Check(t, "window_source", windowSource) }

// windowSource reads from windows that fill up.
func windowSource(b *block.Bench, r *rand.Rand) error {
	for range 60 {
		if r.IntN(8) == 0 {
			b.Reset()
		}
		// A move: what can be read of both operands in the end, and now.
		size := [2]uint64{r.Uint64N(40000), r.Uint64N(40000)}
		if r.IntN(2) == 0 {
			size[1] = size[0]
		}
		total := min(size[0], size[1])
		var arrived, taken, known [2]uint64
		host := [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
		base := [2]uint64{r.Uint64() >> 1, r.Uint64() >> 1}
		number := r.Uint64() & 0xFFFFFFFF
		want := []uint64{1, 2, 3}[r.IntN(3)]
		b.Set("window", number)
		b.Set("want", 0)
		b.Set("short", 0)
		b.Set("forget", 1)
		b.Set("window_response.done", 0)
		b.Step()
		b.Set("forget", 0)
		for n := 0; !b.Is("idle") || b.Is("window_request.valid"); n++ { // a question that is open is answered
			b.Scramble(r, "window_response")
			b.Put("window_response.done", b.Is("window_request.valid") && r.IntN(2) == 0)
			b.Set("forget", 1)
			b.Step()
			if n > 100 {
				return errors.New("a question stays open")
			}
		}
		b.Set("window_response.done", 0)
		b.Step()
		b.Set("forget", 0)
		if b.Settle(); b.Is("known") {
			return fmt.Errorf("known is %b behind the end of a move", b.Get("known"))
		}
		b.Set("want", want)
		fills, answers := block.NewRhythm(r), block.NewRhythm(r)
		pending := false // others can be read than before
		waits, stuck := 0, 0
		for cycle := 0; ; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("%d of %d bytes were read", taken, total)
			}
			left := total - max(taken[0], taken[1])
			if want != 3 {
				left = size[want-1] - taken[want-1]
			}
			if left == 0 {
				break
			}
			for i := range 2 {
				b.Set(fmt.Sprintf("op%d_address", i), base[i]+taken[i])
			}
			// What a slice takes, if enough is known.
			n := min(left, 1+r.Uint64N(4096))
			short, enough := uint64(0), true
			for i := range 2 {
				if want>>i&1 != 0 && (b.Get("known")>>i&1 == 0 || known[i] < n) {
					enough = false
					if b.Get("known")>>i&1 != 0 {
						short |= 1 << i
					}
				}
			}
			take := enough && r.IntN(3) == 0 && b.Is("idle")
			b.Set("short", short)
			b.Put("take", take)
			b.Set("op0_take", n)
			b.Set("op1_take", n)
			// The windows.
			b.Set("windows_changed", 0)
			if pending && !b.Is("window_request.valid") {
				b.Set("windows_changed", 1)
				pending = false
			}
			if fills.Next() {
				for i := range 2 {
					if room := size[i] - arrived[i]; room > 0 && r.IntN(4) == 0 {
						arrived[i] += min(room, 1+r.Uint64N(5000))
						pending = true
					}
				}
			}
			b.Scramble(r, "window_response")
			b.Set("window_response.done", 0)
			b.Settle()
			which := -1
			if b.Is("window_request.valid") {
				for i := range 2 {
					if want>>i&1 != 0 && b.Get("window_request.address") == base[i]+taken[i] {
						which = i
					}
				}
				if which < 0 || b.Get("window_request.window") != number {
					return fmt.Errorf("window %d is asked for 0x%X", b.Get("window_request.window"), b.Get("window_request.address"))
				}
				if answers.Next() {
					b.Set("window_response.done", 1)
					b.Set("window_response.ok", 1)
					b.Set("window_response.bytes", arrived[which]-taken[which])
					b.Put("window_response.more", arrived[which] < size[which])
					b.Put("window_response.host", host[which])
				}
			}
			before := b.Get("known")
			b.Step()
			answered := b.Is("window_response.done")
			if answered {
				known[which] = arrived[which] - taken[which]
			}
			if take {
				for i := range 2 {
					taken[i] += n
					known[i] -= n
				}
			}
			b.Set("take", 0)
			b.Set("window_response.done", 0)
			b.Settle()
			now := b.Get("known")
			for i := range 2 {
				if now>>i&1 == 0 || want>>i&1 == 0 {
					continue
				}
				if before>>i&1 == 0 && !(answered && which == i) {
					return fmt.Errorf("operand %d is known without an answer", i)
				}
				if got := b.Get(fmt.Sprintf("op%d_bytes", i)); got != known[i] || b.Get("ok")>>i&1 == 0 ||
					(b.Get("host")>>i&1 == 1) != host[i] {
					return fmt.Errorf("operand %d has %d bytes (ok %b, host %b), not %d", i, got, b.Get("ok"), b.Get("host"), known[i])
				}
				if b.Get("more")>>i&1 == 0 && known[i]+taken[i] != size[i] {
					return fmt.Errorf("operand %d gets no more, with %d of %d bytes", i, known[i]+taken[i], size[i])
				}
			}
			// What is not known is asked for, and again when others may follow.
			if want&^now != 0 && !b.Is("window_request.valid") {
				if waits++; waits > 6 {
					return fmt.Errorf("known %b of %b, and nothing is asked", now, want)
				}
			} else {
				waits = 0
			}
			if short != 0 && !pending && arrived == size && !b.Is("window_request.valid") {
				if stuck++; stuck > 20 {
					return fmt.Errorf("it does not ask again: known %v, there %v, taken %v", known, arrived, taken)
				}
			} else {
				stuck = 0
			}
		}

	}
	return nil
}
