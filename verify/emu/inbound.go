package emu

import (
	"slices"

	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	// packetsPerTurn and bytesPerTurn are received before moves get their turn:
	// few enough that what has come is still in the cache.
	packetsPerTurn = 64
	bytesPerTurn   = 128 << 10
	// packetsPerReset bounds what a reset takes from the network: those who send
	// may go on doing so.
	packetsPerReset = 1 << 14
	// maxLooped is how many packets to its own rank an engine holds.
	maxLooped = 64
)

// inbound takes packets from the network, and those that the engine sends to
// itself, to where they belong.
type inbound struct {
	e       *Engine
	control uint32 // bit set network_control
	stack   uint32
	stacks  []uint32 // that the engine has
	events  uint32   // bit set network_event
	closed  uint32   // the last session that was closed

	there       bool             // the port may have something
	retry       bool             // held packets may have become welcome
	held        []heldPacket     // of each held session its first, oldest first
	looped      []*fabric.Packet // to the own rank
	partly      map[uint32]*partial
	connections map[uint32]connection // by session
}

// heldPacket is a packet for which there is no room yet.
type heldPacket struct {
	p    *fabric.Packet
	loop bool // it waits in looped and not in its session
}

// verdict is what becomes of a packet.
type verdict bool

const (
	taken verdict = true
	held  verdict = false
)

func newInbound(e *Engine) *inbound {
	in := &inbound{e: e, partly: map[uint32]*partial{}, connections: map[uint32]connection{}}
	in.stack = e.n.stackField.get(e.d.HardwareID)
	in.stacks = append(in.stacks, in.stack)
	for _, poe := range e.d.Platform.POEs {
		if v, ok := e.n.stacks[poe.Kind]; ok {
			in.stacks = append(in.stacks, v)
		}
	}
	b := e.bus
	b.on("network", "control", func() uint32 { return in.control }, in.setControl)
	b.on("network", "stack", func() uint32 { return in.stack }, func(v uint32) error {
		if slices.Contains(in.stacks, v) {
			in.stack = v
		}
		return nil
	})
	b.on("network", "events", func() uint32 { return in.events }, func(v uint32) error { in.events &^= v; return nil })
	b.on("network", "closed_session", func() uint32 { return in.closed }, nil)
	return in
}

func (in *inbound) enabled() bool { return in.control&in.e.n.networkEnable != 0 }

func (in *inbound) setControl(v uint32) error {
	in.control = v & in.e.n.networkEnable
	in.there, in.retry = true, true
	if in.enabled() {
		in.e.routes.Survey()
	}
	return nil
}

// event notes what happened on the network.
func (in *inbound) event(bit uint32) {
	in.events |= bit
	in.e.raise(in.e.n.wake.network)
}

// loop takes a packet to the own rank, if there is room.
func (in *inbound) loop(session uint32, p *fabric.Packet) bool {
	if len(in.looped) >= maxLooped {
		return false
	}
	p.Session = session
	in.looped = append(in.looped, p)
	return true
}

// progress receives packets, and tells whether there were any.
func (in *inbound) progress() bool {
	if !in.enabled() {
		return false
	}
	busy := false
	if in.retry {
		in.retry = false
		busy = in.again()
	}
	for len(in.looped) > 0 && !in.loopHeld() {
		busy = true
		p := in.looped[0]
		in.looped = in.looped[:copy(in.looped, in.looped[1:])]
		in.deliver(p, true)
	}
	if !in.there && !in.e.waker.poll() {
		return busy
	}
	in.there = true
	for n, bytes := 0, 0; n < packetsPerTurn && bytes < bytesPerTurn; n++ {
		p := in.e.port.Receive()
		if p == nil {
			in.there = false
			in.sessions()
			return busy || in.retry // a buffer that came back may be waited for
		}
		busy = true
		bytes += len(p.Payload)
		in.e.stats.PacketsIn++
		in.e.stats.BytesIn += uint64(len(p.Payload))
		in.deliver(p, false)
	}
	return true
}

// sessions notes sessions that the remote side has closed.
func (in *inbound) sessions() {
	for {
		session, ok := in.e.port.Closed()
		if !ok {
			return
		}
		in.closed = session
		in.e.traces(&in.e.n.trace.sessionClosed, session)
		in.forget(session)
		in.dismiss(session)
		delete(in.connections, session)
		in.event(in.e.n.event.closed)
	}
}

// forget drops what has come of a message of which no more will come.
func (in *inbound) forget(session uint32) {
	if part := in.partly[session]; part != nil && part.msg != nil {
		in.e.rx.giveBack(part.msg)
	}
	delete(in.partly, session)
}

// dismiss drops the held packet of a session that is closed, unless it is a whole
// message.
func (in *inbound) dismiss(session uint32) {
	in.held = slices.DeleteFunc(in.held, func(h heldPacket) bool {
		if h.loop || h.p.Session != session || !in.begins(h.p) {
			return false
		}
		h.p.Release()
		in.e.port.Hold(session, false)
		return true
	})
}

func (in *inbound) loopHeld() bool {
	return slices.ContainsFunc(in.held, func(h heldPacket) bool { return h.loop })
}

// again offers held packets, oldest first.
func (in *inbound) again() (busy bool) {
	in.held = slices.DeleteFunc(in.held, func(h heldPacket) bool {
		if in.takes(h.p, h.loop) == held {
			return false
		}
		busy = true
		session := h.p.Session // the packet is not ours once it is released
		h.p.Release()
		if !h.loop {
			in.e.port.Hold(session, false)
			in.there = true
		}
		return true
	})
	return busy
}

// takes receives a packet, or the rest of one, and notes it.
func (in *inbound) takes(p *fabric.Packet, loop bool) verdict {
	e, session, own, kind, sequence := in.e, p.Session, uint32(flag(loop)), uint32(0), uint32(0)
	if (loop || in.partly[session] == nil) && e.n.header.clean(&p.Header) {
		kind, sequence = e.toldOf(&p.Header, loop)
	}
	v := in.receive(p, loop)
	if e.writes(&p.Header, loop) {
		return v
	}
	if v == held {
		e.traces(&e.n.trace.packetHeld, session, own)
	} else {
		e.traces(&e.n.trace.packetArrived, session, own, kind, sequence)
	}
	return v
}

func (in *inbound) deliver(p *fabric.Packet, loop bool) {
	if in.takes(p, loop) == taken {
		p.Release()
		return
	}
	in.held = append(in.held, heldPacket{p, loop})
	if !loop {
		in.e.port.Hold(p.Session, true)
	}
}

// drop notes that a packet was dropped, and why.
func (in *inbound) drop(event uint32) verdict {
	in.event(event)
	in.e.drop(event)
	return taken
}

// reset drops everything that is held or can be received, and stops taking
// packets.
func (in *inbound) reset() {
	in.control, in.events = 0, 0
	in.release()
	for range packetsPerReset {
		p := in.e.port.Receive()
		if p == nil {
			break
		}
		p.Release()
	}
	in.sessions()
}

// release gives back all packets that are held.
func (in *inbound) release() {
	for _, h := range in.held {
		if !h.loop {
			in.e.port.Hold(h.p.Session, false)
		}
		h.p.Release()
	}
	for _, p := range in.looped {
		p.Release()
	}
	in.held, in.looped = nil, nil
	for session := range in.partly {
		in.forget(session)
	}
}
