package calls

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "wait_limit"},
	block.Module{Name: "packet_count"},
	block.Module{Name: "network_registers"},
)

func TestWaitLimit(t *testing.T)   { set.Check(t, "wait_limit", waitLimit) }
func TestPacketCount(t *testing.T) { set.Check(t, "packet_count", packetCount) }

// waitLimit waits for this and that: no wait ends before its time, and none lasts.
func waitLimit(b *block.Bench, r *rand.Rand) error {
	const slack = 4 // cycles
	for range 400 {
		kernel := r.IntN(2) == 0
		limit, ms := r.IntN(60), r.IntN(5)
		what := r.Uint64N(4)
		b.Put("for_kernel", kernel)
		b.Set("limit_cycles", uint64(limit))
		b.Set("remote_milliseconds", uint64(ms))
		if r.IntN(3) == 0 { // one that is not limited in this test
			b.Set("limit_cycles", 0xFFFFFFFF)
			b.Set("remote_milliseconds", 0xFFFFFFFF)
			limit, ms = 1<<40, 1<<40
		}
		if r.IntN(10) == 0 {
			b.InReset = true
			b.Step()
			b.InReset = false
		}
		b.Put("waits", r.IntN(8) > 0)
		if b.Get("what") == what && b.Is("waits") { // it goes on: this would be no wait of its own
			b.Set("waits", 0)
			b.Step()
			b.Set("waits", 1)
		}
		b.Set("what", what)
		cycles, ticks, early, due := 0, 0, 0, 0
		for range r.IntN(150) {
			tick := r.IntN(10) == 0
			b.Put("tick_millisecond", tick)
			b.Step()
			// What stands there now is about the cycles before.
			over := kernel && cycles >= limit || !kernel && ticks > ms
			if b.Is("expired") && cycles > 0 && !over {
				return fmt.Errorf("it expires after %d cycles of %d, %d milliseconds of %d (kernel: %t)", cycles,
					limit, ticks, ms, kernel)
			}
			if b.Is("expired") && cycles > 1 && !b.Is("waits") {
				return errors.New("it expires, and nothing waits")
			}
			if (over && kernel || !kernel && ticks-early > ms) && b.Is("waits") {
				if due++; due > slack && !b.Is("expired") {
					return fmt.Errorf("it does not expire after %d cycles of %d, %d milliseconds of %d (kernel: %t)", cycles,
						limit, ticks, ms, kernel)
				}
			}
			if tick {
				ticks++
				if cycles == 0 { // at that moment it begins: it counts or not
					early = 1
				}
			}
			cycles++
		}
	}
	return nil
}

// packetCount counts the packets of some bytes.
func packetCount(b *block.Bench, r *rand.Rand) error {
	payload := b.Const("engine_pkg::PACKET_PAYLOAD")
	for i := range 1500 {
		bytes := uint64(i)
		switch r.IntN(4) {
		case 0:
			bytes = payload*r.Uint64N(2000) + r.Uint64N(131) - 65
		case 1:
			bytes = r.Uint64() >> (32 + r.IntN(32))
		case 2:
			bytes = 0xFFFFFFFF - r.Uint64N(200)
		}
		bytes &= 0xFFFFFFFF
		b.Set("bytes", bytes)
		b.Set("start", 1)
		b.Step()
		b.Set("start", 0)
		if r.IntN(20) == 0 { // given up
			for range r.IntN(4) {
				b.Step()
			}
			b.Reset()
			for range 4 {
				if b.Step(); b.Is("done") || b.Is("busy") {
					return errors.New("it goes on behind a reset")
				}
			}
			continue
		}
		b.Step()
		b.Scramble(r, "bytes")
		for n := 0; !b.Is("done"); n++ {
			if !b.Is("busy") {
				return errors.New("it ends without an answer")
			}
			if n > 50 {
				return fmt.Errorf("%d bytes are not counted", bytes)
			}
			b.Step()
		}
		want := max(1, (bytes+payload-1)/payload)
		if got := b.Get("count"); got != want {
			return fmt.Errorf("%d bytes are %d packets, not %d", bytes, got, want)
		}
		for range r.IntN(3) {
			b.Step()
			if b.Is("done") {
				return errors.New("it is done twice")
			}
		}
	}
	return nil
}
