package datapath

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "fifo", Folder: "common", Params: map[string]string{"WIDTH": "40", "DEPTH": "5"}},
	block.Module{Name: "fifo", As: "fifo_1", Folder: "common", Params: map[string]string{"WIDTH": "40", "DEPTH": "1"}},
	block.Module{Name: "skid_buffer", Folder: "common", Params: map[string]string{"WIDTH": "40"}},
	block.Module{Name: "round_robin", Folder: "common", Params: map[string]string{"N": "5"}},
	block.Module{Name: "round_robin", As: "round_robin_1", Folder: "common", Params: map[string]string{"N": "1"}},
	block.Module{Name: "first_set", Folder: "common"},
	block.Module{Name: "first_set", As: "first_set_5", Folder: "common", Params: map[string]string{"N": "5"}},
	block.Module{Name: "keep_bytes", Folder: "common"},
	block.Module{Name: "line_fifo", Folder: "common", Params: map[string]string{"WIDTH": "40", "DEPTH": "8"}},
)

func TestQueues(t *testing.T) {
	for name, room := range map[string]int{"fifo": 5, "fifo_1": 1, "skid_buffer": 2, "line_fifo": 8} {
		set.Check(t, name, func(b *block.Bench, r *rand.Rand) error { return queue(b, r, room) })
	}
}

// queue gets words and gives them back in order. It holds as many as there is room
// for, and refuses none before.
func queue(b *block.Bench, r *rand.Rand, room int) error {
	in := block.NewInput(b, "in_valid", "in_ready", "in_data")
	out := block.NewOutput(b, "out_valid", "out_ready", "out_data")
	gives, takes := block.Rhythm{Random: r.IntN, Pauses: 128}, block.Rhythm{Random: r.IntN, Pauses: 128}
	var held []uint64
	var word uint64
	since, full, passed := 0, 0, 0
	for range 6000 {
		if !in.Offered() {
			b.Scramble(r, "in_data")
			if gives.Next() {
				word = r.Uint64() & (1<<40 - 1)
				b.Set("in_data", word)
				in.Offer()
			}
		}
		b.Put("out_ready", takes.Next())
		clears := b.Has("clear") && r.IntN(200) == 0
		if b.Has("clear") {
			b.Put("clear", clears)
		}
		resets := r.IntN(500) == 0
		b.InReset = resets
		b.Settle()
		if b.Has("count") && b.Get("count") != uint64(len(held)) {
			return fmt.Errorf("it says that it holds %d, not %d", b.Get("count"), len(held))
		}
		if ready := b.Is("in_ready"); ready != (len(held) < room) {
			return fmt.Errorf("with %d of %d words it is ready: %t", len(held), room, ready)
		}
		if b.Is("out_valid") && len(held) == 0 {
			return fmt.Errorf("it gives a word and has none")
		}
		if len(held) > 0 && since > 2 && !b.Is("out_valid") {
			return fmt.Errorf("it has had %d words for %d cycles and shows none", len(held), since)
		}
		if len(held) == room {
			full++
		}
		b.Step()
		b.InReset = false
		pushed := in.Taken()
		popped, err := out.Taken()
		if err != nil {
			return err
		}
		if popped {
			if got := b.Get("out_data"); got != held[0] {
				return fmt.Errorf("the next word is %X, not %X", got, held[0])
			}
			held, since = held[1:], 0
			passed++
		}
		if pushed {
			if len(held) == 0 {
				since = 0
			}
			held = append(held, word)
		}
		since++
		if clears || resets {
			held, since = nil, 0
			out.Forget()
		}
	}
	if full < 100 || passed < 500 {
		return fmt.Errorf("only %d cycles were full, and %d words passed", full, passed)
	}
	return nil
}

func TestRoundRobin(t *testing.T) {
	for name, n := range map[string]int{"round_robin": 5, "round_robin_1": 1} {
		set.Check(t, name, func(b *block.Bench, r *rand.Rand) error { return roundRobin(b, r, n) })
	}
}

// roundRobin grants the next request behind the one that was granted before an
// advance.
func roundRobin(b *block.Bench, r *rand.Rand, n int) error {
	last := n - 1
	for range 4000 {
		if r.IntN(300) == 0 {
			b.Reset()
			last = n - 1
		}
		request, advance := r.IntN(1<<n), r.IntN(2) == 0
		b.Set("request", uint64(request))
		b.Put("advance", advance)
		b.Step()
		want := -1
		for i := 1; i <= n && want < 0; i++ {
			if at := (last + i) % n; request>>at&1 != 0 {
				want = at
			}
		}
		grant := b.Get("grant")
		if want < 0 {
			if grant != 0 {
				return fmt.Errorf("%b is granted without a request", grant)
			}
			continue
		}
		if grant != 1<<want || b.Get("index") != uint64(want) {
			return fmt.Errorf("behind %d of requests %b, %b is granted with index %d", last, request, grant, b.Get("index"))
		}
		if advance {
			last = want
		}
	}
	return nil
}

func TestKeepBytes(t *testing.T) {
	set.Check(t, "keep_bytes", func(b *block.Bench, _ *rand.Rand) error {
		for n := range uint64(65) {
			b.Set("keep", 1<<n-1)
			b.Settle()
			if got := b.Get("bytes"); got != n {
				return fmt.Errorf("%d bytes are %d", n, got)
			}
		}
		return nil
	})
}

func TestFirstSet(t *testing.T) {
	for name, n := range map[string]int{"first_set": 64, "first_set_5": 5} {
		set.Check(t, name, func(b *block.Bench, r *rand.Rand) error { return firstSet(b, r, n) })
	}
}

// firstSet finds the lowest of n that is marked, alone and before any others.
func firstSet(b *block.Bench, r *rand.Rand, n int) error {
	all := uint64(1)<<(n-1)<<1 - 1
	check := func(marked uint64, want int) error {
		b.Set("marked", marked)
		b.Settle()
		if got := b.Get("place"); got != uint64(want) {
			return fmt.Errorf("the first of %b is %d, not %d", marked, got, want)
		}
		return nil
	}
	if err := check(0, 0); err != nil {
		return err
	}
	for first := range n {
		above := all << first << 1 & all
		for _, others := range []uint64{0, above, above & r.Uint64(), above & r.Uint64() & r.Uint64() & r.Uint64()} {
			if err := check(1<<first|others, first); err != nil {
				return err
			}
		}
	}
	for range 1000 {
		if marked := r.Uint64() & r.Uint64() & all; marked != 0 {
			if err := check(marked, bits.TrailingZeros64(marked)); err != nil {
				return err
			}
		}
	}
	return nil
}
