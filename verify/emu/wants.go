package emu

import "slices"

// want is a message that a move waits for or that firmware has sought: the next
// of its sender.
type want struct {
	from         peer
	context, tag uint32
}

// maxWants is more than firmware can wait for at once; older wants are
// forgotten.
const maxWants = 64

// want notes a message that was not there.
func (r *receiver) want(from peer, context, tag uint32) {
	w := want{from, context, tag}
	if slices.Contains(r.wants, w) {
		return
	}
	if len(r.wants) == maxWants {
		r.wants = slices.Delete(r.wants, 0, 1)
	}
	r.wants = append(r.wants, w)
	r.e.inbound.retry = true // it may be held
}

// welcome tells whether a message may have an rx buffer. On networks that lose
// nothing the last one is kept for a message that somebody waits for: those that
// nobody has asked for yet cannot lock it out.
func (r *receiver) welcome(m *message) bool {
	if len(r.free) != 1 || r.e.lossy {
		return len(r.free) > 0
	}
	return slices.ContainsFunc(r.wants, func(w want) bool {
		return w.from.Session == m.key.session && w.from.Rank == m.key.src &&
			(w.context == m.context || m.context == 0) && r.e.n.tagsMeet(w.tag, m.tag) &&
			r.e.exchange.Get(w.from.Record+r.e.n.comm.inbound) == m.key.seq
	})
}
