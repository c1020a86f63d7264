package emu

import "github.com/cclforge/cclforge/verify/fabric"

// window is a buffer that one remote rank may write to.
type window struct {
	open, done bool
	mem        space
	host       bool
	from       senderKey
	number     uint32 // of the collective; 0 outside
	address    uint64
	bytes      uint32

	next    uint32            // index of the packet that is missing first
	arrived uint64            // bytes of the packets before it
	ahead   map[uint32]uint32 // bytes of the packets behind it, by index
	total   uint64            // bytes that the sender says it has sent
	ended   bool              // it has said so

	transfer uint32 // number of its announcement, where messages can be lost
}

// rendezvous keeps windows and announcements.
type rendezvous struct {
	e       *Engine
	windows []window
	last    int // window of the last data
	waiting []announcement
	sought  int          // of waiting, by the last seek; -1 for none
	found   announcement // by it, of whichever collective
	// Where messages can be lost: the numbers of the announcements sent next and
	// found next, by session, and those that have overtaken others.
	numbers  map[uint32]uint32
	expected map[uint32]uint32
	early    []announcement

	// foreign are sessions that lead to engines of another make.
	foreign map[uint32]bool

	window, bytes uint32
	address       uint64
}

func newRendezvous(e *Engine) *rendezvous {
	r := &rendezvous{e: e, windows: make([]window, e.n.windows)}
	r.clear()
	r.foreign = map[uint32]bool{}
	for _, session := range e.o.Foreign {
		r.foreign[session] = true
	}
	if !e.n.rendezvous {
		return r
	}
	b := e.bus
	b.variable("rendezvous", "window", &r.window)
	b.variable64("rendezvous", "address", &r.address)
	b.variable("rendezvous", "bytes", &r.bytes)
	b.on("rendezvous", "open", nil, r.open)
	b.on("rendezvous", "shut", nil, func(uint32) error {
		if w := r.at(r.window); w != nil {
			*w = window{}
		}
		return nil
	})
	b.on("rendezvous", "arrived", func() uint32 {
		if w := r.at(r.window); w != nil {
			return uint32(w.readable(e.rdma))
		}
		return 0
	}, nil)
	b.on("rendezvous", "done", func() uint32 {
		if w := r.at(r.window); w != nil && w.done {
			return 1
		}
		return 0
	}, nil)
	b.on("rendezvous", "foreign", func() uint32 {
		regs := &e.mover.regs
		if p, ok := e.peer(regs.comm, regs.source); ok && !e.rdma && r.foreign[p.Session] {
			return 1
		}
		return 0
	}, nil)
	r.attachAnnouncements(b)
	return r
}

// clear shuts all windows and drops all announcements.
func (r *rendezvous) clear() {
	clear(r.windows)
	r.waiting, r.sought, r.found = nil, -1, announcement{}
	r.numbers, r.expected, r.early = map[uint32]uint32{}, map[uint32]uint32{}, nil
}

// at is a window; nil if there is none with this number.
func (r *rendezvous) at(i uint32) *window {
	if i >= uint32(len(r.windows)) {
		return nil
	}
	return &r.windows[i]
}

// open opens the window of the registers. A window for nobody stays shut.
func (r *rendezvous) open(host uint32) error {
	w := r.at(r.window)
	if w == nil {
		return nil
	}
	r.e.traces(&r.e.n.trace.windowOpened, r.window)
	*w = window{}
	regs := &r.e.mover.regs
	if from, ok := r.e.peer(regs.comm, regs.source); ok {
		r.e.routes.Use(from)
		*w = window{
			open: true, mem: r.e.space(host&1 != 0), host: host&1 != 0,
			from:    senderKey{from.Session, from.Rank, regs.context},
			number:  regs.carried().number,
			address: r.address, bytes: r.bytes,
		}
	}
	return nil
}

// readable returns how many bytes of the window lie in memory without a gap. On RDMA this is
// known only when the sender is done.
func (w *window) readable(rdma bool) uint64 {
	if rdma && !w.done {
		return 0
	}
	return w.arrived
}

// space is the memory of a window; false if it is shut.
func (r *rendezvous) space(i uint32) (space, bool) {
	if w := r.at(i); w != nil && (w.open || w.done) {
		return w.mem, true
	}
	return nil, false
}

// readable is how many bytes of a window can be read from an address on,
// whether there may be more, and whether the address lies in the window.
func (r *rendezvous) readable(i uint32, addr uint64) (bytes uint64, more, ok bool) {
	w := r.at(i)
	if w == nil || !w.open && !w.done || addr < w.address || addr-w.address > uint64(w.bytes) {
		return 0, false, false
	}
	at, arrived := addr-w.address, w.readable(r.e.rdma)
	if at < arrived {
		bytes = arrived - at
	}
	return bytes, w.open, true
}

// sender is who a packet is from.
func (r *rendezvous) sender(p *fabric.Packet) senderKey {
	f := &r.e.n.header
	return senderKey{p.Session, f.src.get32(&p.Header), f.context.get32(&p.Header)}
}

// by tells whether a sender is who something is for: engines that do not know
// contexts send 0.
func (k senderKey) by(sender senderKey) bool {
	return k.session == sender.session && k.src == sender.src && (k.context == sender.context || sender.context == 0)
}

// takes tells whether a packet may be for the window, by its sender and its
// collective.
func (w *window) takes(sender senderKey, number uint32) bool {
	return w.from.by(sender) && (!inside(w.from.context) || w.number == number)
}

// data writes a packet to the window that it is for.
func (r *rendezvous) data(p *fabric.Packet) verdict {
	e, f, h := r.e, &r.e.n.header, &p.Header
	addr, host := f.vaddr.get(h), f.host.get(h) != 0
	w := r.target(r.sender(p), f.number.get32(h), f.tag.get32(h), addr, uint64(len(p.Payload)), host)
	if w == nil {
		return e.inbound.drop(e.n.event.noWindow)
	}
	index := f.seq.get32(h)
	if _, twice := w.ahead[index]; twice || int32(index-w.next) < 0 {
		return taken
	}
	if copyIn(w.mem, addr, p.Payload) != nil {
		return e.inbound.drop(e.n.event.noWindow)
	}
	before := w.arrived
	w.note(index, uint32(len(p.Payload)))
	if w.arrived != before {
		r.progress(w)
	}
	return taken
}

// target is the open window that bytes from a sender are for.
func (r *rendezvous) target(sender senderKey, number, tag uint32, addr, bytes uint64, host bool) *window {
	fits := func(i int) bool {
		w := &r.windows[i]
		return w.open && w.takes(sender, number) && r.answers(w, tag) && w.host == host && addr >= w.address &&
			addr-w.address <= uint64(w.bytes) && bytes <= uint64(w.bytes)-(addr-w.address)
	}
	if r.last < len(r.windows) && fits(r.last) {
		return &r.windows[r.last]
	}
	for i := range r.windows {
		if fits(i) {
			r.last = i
			return &r.windows[i]
		}
	}
	return nil
}

// note counts a packet that has come for the first time.
func (w *window) note(index, bytes uint32) {
	if index != w.next {
		if w.ahead == nil {
			w.ahead = map[uint32]uint32{}
		}
		w.ahead[index] = bytes
		return
	}
	w.next++
	w.arrived += uint64(bytes)
	for len(w.ahead) > 0 {
		n, there := w.ahead[w.next]
		if !there {
			return
		}
		delete(w.ahead, w.next)
		w.next++
		w.arrived += uint64(n)
	}
}

// progress closes a window that is complete.
func (r *rendezvous) progress(w *window) {
	if w.ended && w.arrived == w.total && len(w.ahead) == 0 {
		w.open, w.done = false, true
		r.e.raise(r.e.n.wake.rendezvous)
	}
}

// finished notes that a sender has sent everything. The header names the
// window by its address, or by where its data ended.
func (r *rendezvous) finished(p *fabric.Packet) verdict {
	e, f, h := r.e, &r.e.n.header, &p.Header
	sender, addr, total := r.sender(p), f.vaddr.get(h), uint64(f.count.get32(h))
	e.traces(&e.n.trace.doneArrived, f.src.get32(h))
	var w *window
	for i := range r.windows {
		c := &r.windows[i]
		if !c.open || c.ended || !c.takes(sender, f.number.get32(h)) ||
			!r.answers(c, f.tag.get32(h)) || total > uint64(c.bytes) || c.host != (f.host.get(h) != 0) {
			continue
		}
		if c.address == addr {
			w = c
			break
		}
		if c.address+total == addr {
			w = c
		}
	}
	if w == nil {
		return e.inbound.drop(e.n.event.noWindow)
	}
	w.ended, w.total = true, total
	r.progress(w)
	return taken
}

// answers tells whether data or a done message with a tag may be for a window:
// where messages can be lost, what is late from an earlier transfer is not.
func (r *rendezvous) answers(w *window, tag uint32) bool {
	return !r.e.lossy || tag == w.transfer
}
