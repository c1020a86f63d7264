package rx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxFill(t *testing.T)       { packetSet.Check(t, "rx_fill", rxFill) }
func TestRxStream(t *testing.T)     { packetSet.Check(t, "rx_stream", rxStream(false)) }
func TestRxStreamLoop(t *testing.T) { packetSet.Check(t, "rx_stream_loop", rxStream(true)) }

// row is one that goes into a slot.
type row struct {
	slot, number int
	data         []byte
	keep         uint64
	last, good   bool
	bytes        int
	session      uint64
}

func rowOf(b *block.Bench) row {
	return row{
		int(b.Get("row_slot")), int(b.Get("row_number")), b.Bytes("row_data"), b.Get("row_keep"),
		b.Is("row_last"), b.Is("row_good"), int(b.Get("row_bytes")), b.Get("row_session"),
	}
}

// differs compares a row; what is said with the last one counts only there, and
// bytes that are not kept do not.
func (e row) differs(got row) error {
	if e.slot != got.slot || e.number != got.number || e.keep != got.keep || e.last != got.last {
		return fmt.Errorf("row %d of slot %d, keep %X, last %t; not row %d of %d, %X, %t", got.number, got.slot, got.keep,
			got.last, e.number, e.slot, e.keep, e.last)
	}
	for i := range e.data {
		if e.keep>>i&1 != 0 && e.data[i] != got.data[i] {
			return fmt.Errorf("byte %d is %02X, not %02X", i, got.data[i], e.data[i])
		}
	}
	if e.last && (e.good != got.good || e.good && (e.bytes != got.bytes || e.session != got.session)) {
		return fmt.Errorf("the packet is good: %t, %d bytes, session %d; not %t, %d, %d", got.good, got.bytes, got.session,
			e.good, e.bytes, e.session)
	}
	return nil
}

// rxFill gets packets that were told of before.
func rxFill(b *block.Bench, r *rand.Rand) error {
	slots, rows := 1<<b.Width("row_slot"), 1<<b.Width("row_number")
	expect := block.NewInput(b, "expect_valid", "expect_ready")
	in := block.NewInput(b, "in_valid", "in_ready")
	var told []row // that are to come
	var beats []row
	var next row
	for round := range 6 {
		if round > 0 && r.IntN(2) == 0 {
			b.Reset()
			told, beats = nil, nil
			expect.Withdraw()
			in.Withdraw()
		}
		tells, gives, takes := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		for cycle, rowsSeen := 0, 0; rowsSeen < 600; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("only %d rows came", rowsSeen)
			}
			if !expect.Offered() {
				b.Scramble(r, "expect_slot", "expect_session", "expect_bytes")
				if tells.Next() {
					next = row{slot: r.IntN(slots), session: r.Uint64() & 0xFFFF, bytes: length(r, rows*beat)}
					b.Set("expect_slot", uint64(next.slot))
					b.Set("expect_session", next.session)
					b.Set("expect_bytes", uint64(next.bytes))
					expect.Offer()
				}
			}
			if !in.Offered() {
				b.Scramble(r, "in_data")
				if len(told) > 0 && gives.Next() {
					if len(beats) == 0 {
						for at := 0; at < told[0].bytes; at += beat {
							e := told[0]
							e.number, e.keep, e.last, e.good, e.data = at/beat, ^uint64(0), at+beat >= e.bytes, true, random(r, beat)
							if e.last {
								e.keep >>= beat - (e.bytes - at)
							}
							beats = append(beats, e)
						}
						told = told[1:]
					}
				}
				if len(beats) > 0 && r.IntN(256) >= gives.Pauses/2 {
					b.SetBytes("in_data", beats[0].data)
					in.Offer()
				}
			}
			b.Put("row_ready", takes.Next())
			b.Step()
			if !b.Is("busy") && len(beats) > 0 {
				return fmt.Errorf("it is not busy when something comes")
			}
			if expect.Taken() {
				told = append(told, next)
			}
			went := b.Is("row_valid") && b.Is("row_ready")
			if taken := in.Taken(); taken != went {
				return fmt.Errorf("a beat was taken: %t, a row was made: %t", taken, went)
			}
			if went {
				if err := beats[0].differs(rowOf(b)); err != nil {
					return err
				}
				beats = beats[1:]
				rowsSeen++
			}
		}
	}
	return nil
}

// rxStream gets packets that nobody told of; too large ones are dropped.
func rxStream(loop bool) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		slots, rows := 1<<b.Width("row_slot"), 1<<b.Width("row_number")
		in := block.NewInput(b, "in_valid", "in_ready")
		need := block.NewInput(b, "need_ready", "need_valid", "need_slot") // a slot is given when it is asked for
		var beats []row
		given := []int{} // slots, not used yet
		session, spoiled, seen := uint64(0), false, 0
		oversize := false
		var slotNow int
		for round := range 6 {
			if round > 0 && r.IntN(2) == 0 {
				b.Reset()
				beats, given, spoiled, oversize = nil, nil, false, false
				in.Withdraw()
				need.Withdraw()
			}
			gives, takes, grants := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
			resets := r.IntN(3) == 0
			seen = 0
			for cycle := 0; seen < 500; cycle++ {
				if cycle > 30000 {
					return fmt.Errorf("only %d rows came", seen)
				}
				if !in.Offered() {
					b.Scramble(r, "in_data", "in_keep", "in_last", "in_session")
					if gives.Next() {
						if len(beats) == 0 {
							n := length(r, rows*beat)
							if r.IntN(8) == 0 {
								n = rows*beat + length(r, 3*beat)
							}
							session = r.Uint64() & 0xFFFF
							oversize = n > rows*beat
							for at := 0; at < n; at += beat {
								e := row{number: at / beat, data: random(r, beat), keep: ^uint64(0), last: at+beat >= n, bytes: n,
									session: session, good: !oversize}
								if e.last {
									e.keep >>= beat - (n - at)
								}
								beats = append(beats, e)
							}
						}
						b.SetBytes("in_data", beats[0].data)
						b.Set("in_keep", beats[0].keep)
						b.Put("in_last", beats[0].last)
						b.Set("in_session", session)
						in.Offer()
					}
				}
				if !need.Offered() {
					b.Scramble(r, "need_slot")
					if grants.Next() {
						slotNow = r.IntN(slots)
						b.Set("need_slot", uint64(slotNow))
						need.Offer()
					}
				}
				b.Put("reset_network", resets && r.IntN(150) == 0)
				b.Put("row_ready", takes.Next())
				b.Step()
				if need.Taken() {
					given = append(given, slotNow)
				}
				if b.Is("busy") && len(beats) > 0 && beats[0].number == 0 {
					return fmt.Errorf("it is busy before a packet")
				}
				if !b.Is("busy") && len(beats) > 0 && beats[0].number > 0 {
					return fmt.Errorf("it is not busy in a packet")
				}
				if b.Is("reset_network") && len(beats) > 0 && (b.Is("busy") || in.Offered() && b.Is("in_ready")) {
					spoiled = true
				}
				// Of one that is too large only the last beat is told of behind the
				// last row that there is.
				if b.Is("row_valid") && b.Is("row_ready") {
					if len(beats) == 0 || !in.Offered() || !b.Is("in_ready") {
						return fmt.Errorf("a row comes of nothing")
					}
					if len(given) == 0 {
						return fmt.Errorf("a row comes without a slot")
					}
					e := beats[0]
					e.slot, e.good = given[0], e.good && !spoiled
					if loop {
						e.session = 0
					}
					if e.number >= rows {
						e.number = rows - 1
					}
					if err := e.differs(rowOf(b)); err != nil {
						return err
					}
					seen++
				} else if in.Offered() && b.Is("in_ready") && (beats[0].number < rows || beats[0].last) {
					return fmt.Errorf("a row is lost")
				}
				ended := false
				if in.Taken() {
					ended = beats[0].last
					beats = beats[1:]
				}
				if b.Is("oversize") != (ended && oversize) {
					return fmt.Errorf("a packet is said to be too large: %t", b.Is("oversize"))
				}
				if ended {
					given, spoiled = given[1:], false
				}
			}
		}
		return nil
	}
}
