package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var unitSet = block.NewSet(
	block.Module{Name: "message_source"},
)

func TestMessageSource(t *testing.T) { unitSet.Check(t, "message_source", messageSource) }

// messageSource takes messages for an operand, and drops some.
func messageSource(b *block.Bench, r *rand.Rand) error {
	release := block.NewOutput(b, "release_valid", "release_ready", "release_buffer")
	var left, address, buffer uint64
	var stored, held, asking, missing, apart, changed, releasing, used bool
	var posted, stands, cancelling, landed bool // stands: so it is told
	var code uint64
	landings, cancels := 0, 0
	waits, seen, late, released, dropped, crossed, others := 0, 0, 0, 0, 0, 0, 0
	drop := false
	b.Scramble(r, "move")
	for range 6000 {
		if r.IntN(1500) == 0 {
			b.Reset()
			release.Forget()
			b.Scramble(r, "move")
			held, asking, missing, apart, changed, releasing, drop = false, false, false, false, false, false, false
			posted, stands, cancelling, landed = false, false, false, false
		}
		if !held && !asking && !releasing && !apart && !b.Is("want") {
			if r.IntN(4) == 0 {
				b.Scramble(r, "move")
			}
			b.Put("want", r.IntN(2) == 0)
		}
		if !drop && r.IntN(80) == 0 {
			drop = true
		}
		if (missing || posted) && r.IntN(60) == 0 || apart && r.IntN(10) == 0 {
			b.Set("want", 0)
		}
		pulse := r.IntN(25) == 0
		b.Put("messages_changed", pulse)
		b.Scramble(r, "match_response", "take_bytes")
		b.Set("match_response.done", 0)
		answer, found := asking && r.IntN(4) == 0, r.IntN(3) > 0
		if missing && r.IntN(12) == 0 { // it gets one without asking again
			answer, found = true, true
			late++
			if drop = drop || r.IntN(3) == 0; drop { // while it is given up
				crossed++
			}
		}
		b.Put("drop", drop)
		bytes, other := 1+r.Uint64N(10000), r.IntN(4) == 0
		post := answer && !found && !other && r.IntN(2) == 0
		lands := posted && r.IntN(15) == 0
		if cancelling && r.IntN(6) == 0 {
			stands = false
		}
		b.Put("match_response.posted", stands || post)
		b.Put("match_response.landed", lands)
		taken := landed && !drop && r.IntN(4) == 0
		b.Put("landed_take", taken)
		if answer {
			b.Set("match_response.done", 1)
			b.Put("match_response.found", found)
			b.Put("match_response.mismatch", other && !found)
			b.Set("match_response.bytes", bytes)
		}
		take, n := uint64(0), uint64(0)
		if held && !drop && r.IntN(2) == 0 {
			take, n = 1, min(left, 1+r.Uint64N(4096))
			b.Set("take_bytes", n)
		}
		b.Set("take", take)
		b.Put("release_ready", r.IntN(3) == 0)
		b.Settle()
		over := drop && b.Is("idle") && r.IntN(3) > 0
		b.Step()
		if over {
			drop = false
			b.Set("want", 0)
			b.Set("drop", 0)
		}
		b.Settle()
		// What happened.
		if pulse {
			changed = true
		}
		switch {
		case answer && found:
			asking, missing, held, left = false, false, true, bytes
			address, stored, buffer = b.Get("match_response.address"), b.Is("match_response.stored"),
				b.Get("match_response.buffer_")
			seen++
		case lands:
			posted, stands, landed = false, false, true
			left, code = b.Get("match_response.landed_bytes"), b.Get("match_response.landed_code")
			landings++
		case posted && (drop || !b.Is("want")):
			posted, cancelling = false, true
			cancels++
		case cancelling && !stands:
			cancelling = false
		case landed && (drop || taken):
			landed = false
			b.Set("want", 0)
		case post:
			asking, posted, stands = false, true, true
		case answer && other:
			asking, apart = false, true
			others++
		case answer:
			asking, missing = false, true
		case take != 0:
			left -= n
			address += n
			if held = left > 0; !held {
				used = true
				b.Set("want", 0)
			}
		case held && drop:
			held, releasing = false, stored
			dropped++
		case releasing && b.Is("release_ready"):
			releasing = false
			released++
		case (missing || apart) && (drop || !b.Is("want")):
			missing, apart = false, false
		}
		if _, err := release.Taken(); err != nil {
			return err
		}
		if releasing {
			release.Forget() // it appears, or stays, as is looked at here
		}
		b.Set("take", 0)
		b.Settle()
		request := b.Is("match_request.valid")
		if request && !asking {
			// It asks anew: only for what is wanted, and not again for nothing.
			if missing && !changed {
				return errors.New("it asks again, and nothing has changed")
			}
			if held || releasing || apart || posted || cancelling || landed || !b.Is("want") {
				return errors.New("it asks for a message, and nobody wants one")
			}
			asking, missing, changed = true, false, pulse && !missing
			waits = 0
		} else if !request && asking {
			return errors.New("a question is dropped before it is answered")
		}
		if b.Is("match_request.waits") != missing {
			return fmt.Errorf("it waits: %t, not %t", b.Is("match_request.waits"), missing)
		}
		if b.Is("match_request.cancels") != cancelling || b.Is("landed") != landed {
			return fmt.Errorf("it cancels: %t, has landed: %t; not %t, %t", b.Is("match_request.cancels"), b.Is("landed"),
				cancelling, landed)
		}
		if landed && (b.Get("bytes") != left || b.Get("landed_code") != code) {
			return fmt.Errorf("%d bytes have landed with %X, not %d with %X", b.Get("bytes"), b.Get("landed_code"), left, code)
		}
		if b.Is("mismatch") != apart {
			return fmt.Errorf("there is one of another collective: %t, not %t", b.Is("mismatch"), apart)
		}
		if b.Is("held") != held || b.Is("release_valid") != releasing {
			return fmt.Errorf("held %t, released %t; not %t, %t", b.Is("held"), b.Is("release_valid"), held, releasing)
		}
		if held && (b.Get("bytes") != left || b.Get("address") != address || b.Is("stored") != stored ||
			b.Get("buffer_") != buffer) {
			return fmt.Errorf("the message has %d bytes at 0x%X in %d (%t), not %d, 0x%X, %d (%t)", b.Get("bytes"),
				b.Get("address"), b.Get("buffer_"), b.Is("stored"), left, address, buffer, stored)
		}
		if releasing && b.Get("release_buffer") != buffer {
			return fmt.Errorf("buffer %d is given back, not %d", b.Get("release_buffer"), buffer)
		}
		if request {
			for name, want := range map[string]string{"record": "move.ranks.source_record",
				"session": "move.ranks.source_session", "rank": "move.issue.source", "context_": "move.issue.context_",
				"tag": "move.issue.tag", "collective.number": "move.issue.collective_number",
				"collective.count": "move.issue.collective_count", "collective.shape": "move.issue.collective_shape"} {
				if b.Get("match_request."+name) != b.Get(want) {
					return fmt.Errorf("it asks with %s %X, not %X", name, b.Get("match_request."+name), b.Get(want))
				}
			}
		}
		if (held || releasing || asking || apart || posted || cancelling || landed) && (over || b.Is("idle")) {
			return errors.New("it is idle with a message")
		}
		// It asks soon, when there is reason to.
		if b.Is("want") && !drop && !held && !asking && !releasing && !apart && !posted && !cancelling && !landed &&
			(!missing || changed) {
			if waits++; waits > 4 {
				return errors.New("it does not ask for what is wanted")
			}
		} else {
			waits = 0
		}
	}
	if seen < 50 || late < 5 || released < 3 || dropped < 5 || crossed < 3 || others < 5 || !used ||
		landings < 5 || cancels < 5 {
		return fmt.Errorf("only %d messages, %d of them late, %d of these while it gives up, %d dropped, %d given back, "+
			"%d of other collectives; %d posts that have landed, %d that were cancelled", seen, late, crossed, dropped,
			released, others, landings, cancels)
	}
	return nil
}
