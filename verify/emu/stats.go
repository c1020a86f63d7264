package emu

import "github.com/cclforge/cclforge/verify/world/engine"

// Stats are the counters of an engine since power-up, and its present contents.
type Stats = engine.Stats

// Drops are packets that were dropped, by reason.
type Drops = engine.Drops

// drop counts a packet that was dropped with an event.
func (e *Engine) drop(event uint32) {
	n, s := e.n, &e.stats
	e.traces(&n.trace.packetDropped, event)
	switch event {
	case n.event.noBuffer:
		s.Dropped.NoBuffer++
	case n.event.badPacket:
		s.Dropped.BadPacket++
	case n.event.stale:
		s.Dropped.Stale++
	case n.event.tooLarge:
		s.Dropped.TooLarge++
	case n.event.noWindow:
		s.Dropped.NoWindow++
	case n.event.noAnnouncement:
		s.Dropped.NoAnnouncement++
	}
}

// Stats returns the present values.
func (e *Engine) Stats() Stats {
	var s Stats
	e.do(func() {
		s = e.stats
		s.Kernels = e.pluginStats()
		s.Moves, s.Answers = e.mover.issued, e.answers
		s.RxFree, s.RxUsed = len(e.rx.free), e.rx.used
	})
	e.calls.mu.Lock()
	s.Calls = e.calls.placed
	e.calls.mu.Unlock()
	s.DeviceBytes = uint64(e.device.pages.Load()) * pageBytes
	for _, k := range e.kernels {
		s.Kernels = append(s.Kernels, k.stats())
	}
	return s
}
