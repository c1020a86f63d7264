package rendezvous

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// packet is one that inbound asks about.
type packet struct {
	what
	loop  bool
	kind  uint64
	at    int // window that it is meant for; -1: none
	since uint64
	news  announcement
}

func (x *whole) drivePacket() {
	b, r := x.b, x.r
	if x.packet != nil {
		return
	}
	b.Set("packet_valid", 0)
	b.Scramble(r, "packet_loop", "packet_session", "packet_header")
	if x.resetting > 1 || b.Cycle < x.enabled || r.IntN(6) > 0 {
		return
	}
	p := x.somePacket()
	if p == nil {
		return
	}
	p.since = b.Cycle
	x.packet = p
	b.Set("packet_valid", 1)
	b.Put("packet_loop", p.loop)
	b.Set("packet_session", p.session)
	for name, v := range map[string]uint64{"kind": p.kind, "src": p.src, "context_": p.context, "tag": p.tag,
		"vaddr": p.address,
		"count": p.bytes, "host": p.host * (1 + r.Uint64N(255)), "seq": p.index} {
		b.Set("packet_header."+name, v)
	}
	if p.at < 0 {
		b.SetCollective("packet_header.collective", p.news.of)
	} else {
		b.Set("packet_header.collective.number", p.collective)
	}
	if p.at >= 0 {
		x.busy[p.at]++
	}
}

func (x *whole) somePacket() *packet {
	b, r := x.b, x.r
	if r.IntN(4) == 0 {
		return x.someAnnouncement()
	}
	n, w := x.some()
	if w.packets == nil {
		return nil
	}
	p := &packet{at: n, what: what{session: w.session, src: w.src, context: w.context, collective: w.collective,
		tag: w.transfer, host: w.host}}
	if w.arrived < w.bytes && r.IntN(6) > 0 || r.IntN(3) == 0 {
		p.kind, p.operation, p.loop = b.Const("engine_pkg::TYPE_DATA"), doData, x.rdma || r.IntN(8) == 0
		p.index = w.next + []uint64{0, 0, 0, 1, 2, 64}[r.IntN(6)]
		if r.IntN(10) == 0 {
			p.index = r.Uint64N(uint64(len(w.packets)))
		}
		at := min(p.index, uint64(len(w.packets))-1)
		p.address, p.bytes = w.address+4032*at, w.packets[at]
	} else {
		if w.ended {
			return nil
		}
		p.kind, p.operation, p.address, p.bytes = b.Const("engine_pkg::TYPE_DONE"), doFinished, w.address, w.bytes
		if r.IntN(3) == 0 { // where data end
			p.address += p.bytes
		}
		p.loop = r.IntN(3) == 0
		p.good = block.Bit(x.rdma && !p.loop)
	}
	switch r.IntN(24) { // one that is not meant
	case 0:
		p.session ^= 1
	case 1:
		p.src ^= 1
	case 2:
		p.tag ^= 1
	case 3:
		p.host ^= 1
	case 4:
		p.context = 2 // 0 would be anybody's
	case 5:
		p.collective ^= 1 << r.IntN(32)
	case 6:
		p.context = 0
	}
	return p
}

func (x *whole) someAnnouncement() *packet {
	b, r := x.b, x.r
	if x.full() && (r.IntN(30) > 0 || x.reg != nil && x.reg.name == "take") {
		return nil
	}
	a := announcement{r.Uint64N(3), r.Uint64N(2), r.Uint64N(2), []uint64{0, 1, x.anyTag}[r.IntN(3)], uint64(r.Uint32()),
		r.Uint64(), r.Uint64N(2), uint64(r.Uint32()), block.RandomCollective(r)}
	if x.lossy {
		a.number = x.expected[a.session]
		switch r.IntN(8) {
		case 0: // again
			a.number -= min(a.number, 1+r.Uint64N(3))
		case 1: // before others
			a.number += r.Uint64N(6)
		}
	}
	return &packet{at: -1, kind: b.Const("engine_pkg::TYPE_ANNOUNCEMENT"), loop: r.IntN(2) == 0, news: a,
		what: what{session: a.session, src: a.src, context: a.context, tag: a.tag, bytes: a.count, address: a.address,
			host: a.host, index: a.number}}
}

func (x *whole) driveWritten() {
	b, r := x.b, x.r
	if x.writing != nil {
		return
	}
	b.Set("written_valid", 0)
	b.Scramble(r, "written_window", "written_epoch", "written_index", "written_bytes", "written_good")
	if len(x.writes) == 0 || r.IntN(8) > 0 {
		return
	}
	i := r.IntN(min(len(x.writes), 3))
	w := x.writes[i]
	if int(w.window) == x.locked {
		return
	}
	x.writes = slices.Delete(x.writes, i, i+1)
	w.good = block.Bit(r.IntN(10) > 0)
	x.writing = &w
	x.busy[w.window]++
	b.Set("written_valid", 1)
	b.Set("written_window", w.window)
	b.Set("written_epoch", w.epoch)
	b.Set("written_index", w.index&63)
	b.Set("written_bytes", w.bytes)
	b.Set("written_good", w.good)
}

// decided is what was said of a packet.
func (x *whole) decided() error {
	b, p := x.b, x.packet
	switch {
	case p == nil && b.Is("packet_done"):
		return errors.New("it decides on a packet that nobody asks about")
	case p == nil:
		return nil
	case !b.Is("packet_done"):
		if b.Cycle > p.since+patience {
			return fmt.Errorf("it does not decide on %+v", p)
		}
		return nil
	}
	x.packet = nil
	if p.at >= 0 {
		x.busy[p.at]--
	}
	found, wanted, event := true, false, uint64(0)
	switch {
	case p.at < 0:
		event = x.announced(p.news, p.since)
	case p.operation == doFinished:
		m := x.finished(p.what)
		if found = m != nil; found {
			x.complete(m)
		}
	default:
		var m *window
		m, found, wanted = x.data(p.what)
		if wanted && b.Is("packet_wanted") {
			if at := b.Get("packet_window"); &x.windows[at] != m {
				return fmt.Errorf("%+v is for window %d, it says", p, at)
			}
			epoch := b.Get("packet_epoch")
			if m.epoch == unknown {
				m.epoch = epoch
			}
			if epoch != m.epoch || epoch == m.before {
				return fmt.Errorf("the epoch of %+v is %d, not %d; before it was %d", p, epoch, m.epoch, m.before)
			}
			note := p.what
			note.window, note.epoch = uint64(p.at), epoch
			x.writes = append(x.writes, note)
			x.seen["let in"]++
		}
	}
	if !found {
		event = b.Const("engine_pkg::EVENT_NO_WINDOW")
		x.seen["without a window"]++
	}
	if b.Is("packet_wanted") != wanted || b.Get("packet_event") != event {
		return fmt.Errorf("%+v: wanted %t, event %b; not %t, %b", p, b.Is("packet_wanted"), b.Get("packet_event"),
			wanted, event)
	}
	return nil
}

// full is that there is room for one announcement more at most.
func (x *whole) full() bool {
	return len(x.arrived)+len(x.early)+1 >= int(x.b.Const("engine_pkg::ANNOUNCEMENTS"))
}

// announced keeps an announcement, or says why not. Where it may have waited for others, the
// processor can have been told before they are done with.
func (x *whole) announced(a announcement, since uint64) uint64 {
	next := func(e *announcement) bool { return e.session == a.session && e.number == x.expected[a.session] }
	same := func(e *announcement) bool { return e.session == a.session && e.number == a.number }
	switch {
	case len(x.arrived)+len(x.early) == int(x.b.Const("engine_pkg::ANNOUNCEMENTS")):
		x.seen["announcements without room"]++
		return x.b.Const("engine_pkg::EVENT_NO_ANNOUNCEMENT")
	case x.lossy && (a.number < x.expected[a.session] || slices.ContainsFunc(x.early, same)):
		return x.b.Const("engine_pkg::EVENT_STALE")
	case !x.lossy:
		a.number = 0
		x.arrived = append(x.arrived, &a)
		x.events.cause(x.b.Cycle)
		return 0
	}
	x.early = append(x.early, &a)
	for i := slices.IndexFunc(x.early, next); i >= 0; i = slices.IndexFunc(x.early, next) {
		x.arrived, x.early = append(x.arrived, x.early[i]), slices.Delete(x.early, i, i+1)
		if x.expected[a.session]++; x.events.last < since {
			x.events.cause(x.b.Cycle)
		}
	}
	return 0
}

// complete is after something that can have been the last.
func (x *whole) complete(o *window) {
	if o.completes() {
		x.seen["complete"]++
		x.changes.cause(x.b.Cycle)
		x.events.cause(x.b.Cycle)
	}
}

// written is after data that were let in: memory has them, or they are lost.
func (x *whole) written() error {
	b, w := x.b, x.writing
	switch {
	case w == nil && b.Is("written_ready"):
		return errors.New("it has heard of data that nobody has told of")
	case w == nil || !b.Is("written_ready"):
		return nil
	}
	x.writing = nil
	x.busy[w.window]--
	o := &x.windows[w.window]
	if !o.open || o.epoch != w.epoch {
		return nil
	}
	if w.good == 0 {
		delete(o.seen, w.index)
		return nil
	}
	if o.store(w.index, w.bytes) {
		x.changes.cause(b.Cycle)
	}
	x.complete(o)
	return nil
}
