package packets

import (
	"fmt"
	"sync/atomic"
)

// Stats are the counters of a port.
type Stats struct {
	Published uint64 // packets, continuations too
	Received  uint64 // packets for this rank that were taken, continuations too
	Malformed uint64 // messages for this rank that were dropped: no packet, or not of who publishes there
	TooLarge  uint64 // messages that were dropped because they are longer than MaxMessage
	Unheard   uint64 // messages that were dropped because their destination has not subscribed
}

// String lists the values in one line.
func (s Stats) String() string {
	return fmt.Sprintf(
		"published %d packets, received %d, dropped %d malformed, %d too large, %d that nobody subscribes to",
		s.Published, s.Received, s.Malformed, s.TooLarge, s.Unheard)
}

type counters struct{ published, received, malformed, tooLarge, unheard atomic.Uint64 }

// Stats returns the present values.
func (p *Port) Stats() Stats {
	c := &p.stats
	return Stats{c.published.Load(), c.received.Load(), c.malformed.Load(), c.tooLarge.Load(), c.unheard.Load()}
}
