package emu

import "slices"

// activityWords are the words behind the word detail that show what the engine does and has done.
type activityWords struct {
	words                      map[uint32]activityWord // by number
	used, most, capacity, full field                   // of layout queue_level
	waits, session, rank       field                   // of layout remote_wait
	remotes, moves             []string                // words of the queues of moves
}

// activityWord is a word of a record.
type activityWord struct{ record, name string }

// Records of the words.
const (
	counterRecord = "counters"
	stallRecord   = "stalls"
	remoteRecord  = "remotes"
	queueRecord   = "queues"
)

func (r *resolver) activity(queues int) activityWords {
	w := activityWords{words: map[uint32]activityWord{}}
	for _, name := range []string{counterRecord, stallRecord, remoteRecord, queueRecord} {
		record, at := r.g.Record(name), uint32(r.constant("detail_"+name))
		if record == nil {
			r.lack("the record %s", name)
			continue
		}
		for i, each := range record.Words {
			w.words[at+uint32(i)] = activityWord{name, each.Name}
		}
	}
	level := func(name string) field { return r.field("queue_level", name) }
	w.used, w.most, w.capacity, w.full = level("used"), level("most"), level("capacity"), level("full")
	remote := func(name string) field { return r.field("remote_wait", name) }
	w.waits, w.session, w.rank = remote("waits"), remote("session"), remote("rank")
	w.remotes, w.moves = queueNames("remote_", queues), queueNames("moves_", queues)
	return w
}

// doing is the word of a number; 0 for those of streams, cycles, beats and slices, which an emulated engine does not
// have.
func (e *Engine) doing(number uint32) uint32 {
	if !e.d.Platform.CCLO.Activity {
		return 0
	}
	w := &e.n.activity
	switch is := w.words[number]; is.record {
	case counterRecord:
		return uint32(e.counted(is.name))
	case stallRecord:
		return e.stands(is.name)
	case remoteRecord:
		if j := e.mover.front(slices.Index(w.remotes, is.name)); j.waitsForMessage() {
			from, _ := e.n.comm.Peer(e.exchange, j.m.comm, j.m.source)
			return w.waits.put(1) | w.session.put(from.Session) | w.rank.put(j.m.source)
		}
	case queueRecord:
		return e.level(is.name)
	}
	return 0
}

// counted is a counter.
func (e *Engine) counted(name string) uint64 {
	s, completed := &e.stats, uint64(0)
	for i := range e.mover.queues {
		completed += uint64(e.mover.queues[i].completed)
	}
	return map[string]uint64{
		"tx_bytes":   s.BytesOut - e.own.bytes + (s.PacketsOut-e.own.packets)*headerBytes,
		"rx_bytes":   s.BytesIn + s.PacketsIn*headerBytes,
		"tx_packets": s.PacketsOut - e.own.packets, "rx_packets": s.PacketsIn,
		"no_buffer": s.Dropped.NoBuffer, "bad_packet": s.Dropped.BadPacket, "stale": s.Dropped.Stale,
		"too_large": s.Dropped.TooLarge, "no_window": s.Dropped.NoWindow, "no_announcement": s.Dropped.NoAnnouncement,
		"answers": e.answers, "messages": e.rx.opened, "moves_issued": e.mover.issued, "moves_completed": completed,
	}[name]
}

// stands is for how many cycles something has been waited for.
func (e *Engine) stands(name string) uint32 {
	since := int64(-1)
	if queue := slices.Index(e.n.activity.remotes, name); queue >= 0 {
		if j := e.mover.front(queue); j.waitsForMessage() {
			since = j.since
		}
	}
	switch name {
	case "kernel":
		for i := range e.mover.queues {
			if j := e.mover.front(i); j != nil && j.waits == waitStream {
				since = j.since
			}
		}
	case "calls":
		since = e.calls.since(e.now)
	}
	if since < 0 {
		return 0
	}
	return max(1, e.cyclesAt(e.clock.now())-e.cyclesAt(since))
}

// level is how full a queue is.
func (e *Engine) level(name string) uint32 {
	w, r := &e.n.activity, e.rx
	if name == "rx_buffers" {
		full := r.given > 0 && len(r.free) <= int(flag(!e.lossy))
		return w.used.put(uint32(r.used)) | w.most.put(uint32(r.most)) | w.capacity.put(r.given) |
			w.full.put(uint32(flag(full)))
	}
	if queue := slices.Index(w.moves, name); queue >= 0 {
		q := &e.mover.queues[queue]
		return w.used.put(uint32(q.depth())) | w.most.put(uint32(q.most)) | w.capacity.put(uint32(e.n.moveQueueDepth)) |
			w.full.put(uint32(flag(q.depth() >= e.n.moveQueueDepth)))
	}
	return 0
}

// front is the move that runs in a queue; nil if none does.
func (m *mover) front(queue int) *job {
	if queue < 0 || queue >= len(m.queues) || !m.queues[queue].running {
		return nil
	}
	return m.queues[queue].job
}

// waitsForMessage tells whether a move waits for a message, or for data, of a remote rank.
func (j *job) waitsForMessage() bool {
	return j != nil && (j.waits == waitMessage || j.waits == waitWindow)
}

// since is when the last call was taken of those that are not answered yet, in nanoseconds since power-up: now if none
// was taken yet, -1 if there is none.
func (a *arbiter) since(now int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := int64(-1)
	for _, c := range a.taken {
		last = max(last, c.taken)
	}
	if last < 0 && len(a.waiting) > 0 {
		return now
	}
	return last
}
