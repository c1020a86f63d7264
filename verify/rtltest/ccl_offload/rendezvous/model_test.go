package rendezvous

import "github.com/cclforge/cclforge/verify/rtltest/block"

// window is one that remote ranks write to.
type window struct {
	open, complete        bool
	session, src, context uint64
	collective            uint64 // number
	address, bytes, host  uint64
	transfer              uint64
	epoch, before         uint64
	next, arrived, total  uint64
	ended                 bool
	seen                  map[uint64]bool   // packets that were let in
	there                 map[uint64]uint64 // packets that memory has, not counted: bytes
	packets               []uint64          // bytes of the packets that its sender sends
}

// unknown is an epoch that nobody has seen yet.
const unknown = 99

// what is one operation.
type what struct {
	operation, window, session, src, context, tag, address, bytes, host, index, epoch, good uint64
	collective                                                                              uint64 // number
}

// model is what there is to know about windows.
type model struct {
	lossy, rdma bool
	windows     [32]window
}

func newModel(b *block.Bench) (t model) {
	t.lossy, t.rdma = b.Const("engine_pkg::LOSSY") != 0, b.Const("engine_pkg::STACK_RDMA") != 0
	for i := range t.windows {
		t.windows[i].epoch = unknown
	}
	return t
}

// match are the windows of a sender that an operation means.
func (t *model) match(w what, fits func(*window) bool) *window {
	for i := range t.windows {
		x := &t.windows[i]
		if x.open && x.session == w.session && x.src == w.src && (x.context == w.context || w.context == 0) &&
			(x.context%2 == 0 || x.collective == w.collective) && (!t.lossy || x.transfer == w.tag) && x.host == w.host &&
			fits(x) {
			return x
		}
	}
	return nil
}

// data has a packet come: found says that there is such a window, wanted that it is let in.
func (t *model) data(w what) (m *window, found, wanted bool) {
	m = t.match(w, func(x *window) bool {
		return w.address >= x.address && w.address-x.address <= x.bytes && w.bytes <= x.bytes-(w.address-x.address)
	})
	if m == nil {
		return nil, false, false
	}
	inside := w.index >= m.next && w.index < m.next+64
	if wanted = inside && !m.seen[w.index]; wanted {
		m.seen[w.index] = true
	}
	return m, inside || w.index < m.next, wanted
}

// finished is that a sender is done: with a window that begins at the address or, if there is
// none, one whose data end there.
func (t *model) finished(w what) *window {
	at := w.address
	m := t.match(w, func(x *window) bool { return !x.ended && x.address == at && w.bytes <= x.bytes })
	if m == nil {
		m = t.match(w, func(x *window) bool { return !x.ended && x.address == at-w.bytes && w.bytes <= x.bytes })
	}
	if m == nil {
		return nil
	}
	m.ended, m.total = true, w.bytes
	if w.good != 0 {
		m.arrived = w.bytes
		clear(m.there)
	}
	return m
}

// number is that of the announcement of a window.
func (t *model) number(session, address, host, number uint64) {
	for i := range t.windows {
		if o := &t.windows[i]; o.open && o.session == session && o.address == address && o.host == host {
			o.transfer = number
		}
	}
}

// readable is what lies in memory from an offset on.
func (t *model) readable(x *window, offset uint64) uint64 {
	if offset >= x.arrived || t.rdma && !x.complete {
		return 0
	}
	return x.arrived - offset
}

func (x *window) holds(address uint64) bool {
	return (x.open || x.complete) && address >= x.address && address-x.address <= x.bytes
}

// store is that memory has a packet; it says whether more can be read.
func (x *window) store(index, bytes uint64) (more bool) {
	x.there[index] = bytes
	for bytes, ok := x.there[x.next]; ok; bytes, ok = x.there[x.next] {
		delete(x.there, x.next)
		delete(x.seen, x.next)
		x.next++
		x.arrived += bytes
		more = true
	}
	return more
}

// completes is whether all has come, and nothing more may.
func (x *window) completes() bool {
	if !x.open || !x.ended || x.arrived != x.total || len(x.there) != 0 {
		return false
	}
	x.open, x.complete = false, true
	return true
}
