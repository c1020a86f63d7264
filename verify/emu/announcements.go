package emu

import (
	"slices"

	"github.com/cclforge/cclforge/verify/fabric"
)

// announcement is a buffer of a remote rank that waits for data.
type announcement struct {
	from       senderKey
	of         collective
	tag, count uint32
	address    uint64
	host       bool
	transfer   uint32
}

func (r *rendezvous) attachAnnouncements(b *bus) {
	b.on("rendezvous", "seek", r.seek, nil)
	b.on("rendezvous", "announced_count", func() uint32 { return r.found.count }, nil)
	b.readOnly64("rendezvous", "announced_address", func() uint64 { return r.found.address })
	b.on("rendezvous", "announced_transfer", func() uint32 { return r.found.transfer }, nil)
	b.on("rendezvous", "announced_number", func() uint32 { return r.found.of.number }, nil)
	b.on("rendezvous", "announced_collective_count", func() uint32 { return r.found.of.count }, nil)
	b.on("rendezvous", "announced_shape", func() uint32 { return r.found.of.shape }, nil)
	b.on("rendezvous", "announced_host", func() uint32 { return uint32(flag(r.found.host)) }, nil)
	b.on("rendezvous", "take", nil, func(uint32) error {
		if r.sought >= 0 {
			r.waiting = slices.Delete(r.waiting, r.sought, r.sought+1)
		}
		r.sought, r.found = -1, announcement{}
		return nil
	})
}

// number gives an announcement that is to be sent its number, and the window
// that it is about.
func (r *rendezvous) number(session uint32, p *outPacket, m *move) {
	n := r.numbers[session]
	r.e.n.header.seq.put(&p.Header, uint64(n))
	for i := range r.windows {
		w := &r.windows[i]
		if w.open && w.from.session == session && w.address == m.remoteAddress && w.host == m.remoteHost {
			w.transfer = n
		}
	}
}

// announced keeps an announcement until it is taken. One that was sent twice is
// dropped, and one that has overtaken others waits for them, where that can be.
func (r *rendezvous) announced(p *fabric.Packet) verdict {
	e, f, h := r.e, &r.e.n.header, &p.Header
	a := announcement{
		from: r.sender(p), of: f.collective(h), tag: f.tag.get32(h), count: f.count.get32(h),
		address: f.vaddr.get(h), host: f.host.get(h) != 0,
	}
	e.traces(&e.n.trace.announcementArrived, f.src.get32(h))
	if len(r.waiting)+len(r.early) >= e.n.announcements {
		return e.inbound.drop(e.n.event.noAnnouncement)
	}
	if !e.lossy {
		r.keep(a)
		return taken
	}
	a.transfer = f.seq.get32(h)
	same := func(b announcement) bool { return b.from.session == p.Session && b.transfer == a.transfer }
	if int32(a.transfer-r.expected[p.Session]) < 0 || slices.ContainsFunc(r.early, same) {
		return e.inbound.drop(e.n.event.stale)
	}
	r.early = append(r.early, a)
	for {
		i := slices.IndexFunc(r.early, func(b announcement) bool {
			return b.from.session == p.Session && b.transfer == r.expected[p.Session]
		})
		if i < 0 {
			return taken
		}
		r.keep(r.early[i])
		r.early = slices.Delete(r.early, i, i+1)
		r.expected[p.Session]++
	}
}

// keep makes an announcement one that can be found.
func (r *rendezvous) keep(a announcement) {
	r.waiting = append(r.waiting, a)
	r.e.raise(r.e.n.wake.rendezvous)
}

// What seek answers.
const (
	soughtNone uint32 = iota
	soughtFound
	soughtMismatch
)

// seek looks for the oldest announcement by the move registers' destination.
// Those from before an agreement are dropped on the way. One of another collective
// can be read, but not taken.
func (r *rendezvous) seek() uint32 {
	r.sought, r.found = -1, announcement{}
	regs := &r.e.mover.regs
	to, ok := r.e.peer(regs.comm, regs.destination)
	if !ok {
		return soughtNone
	}
	q := regs.request()
	for i := 0; i < len(r.waiting); i++ {
		a := &r.waiting[i]
		if a.from.session != to.Session || a.from.src != to.Rank {
			continue
		}
		switch q.answer(r.e.n, a.from.context, a.tag, a.of) {
		case outdated:
			r.waiting = slices.Delete(r.waiting, i, i+1)
			i--
		case mismatch:
			r.found = *a
			return soughtMismatch
		case match:
			r.sought, r.found = i, *a
			return soughtFound
		}
	}
	return soughtNone
}
