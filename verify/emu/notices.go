package emu

import "github.com/cclforge/cclforge/verify/fabric"

// notice is a header alone for the control processor.
type notice struct {
	context, src, tag, strm uint32
	collective              collective
}

// notices are those that wait for the control processor, oldest first.
type notices struct {
	e       *Engine
	waiting []notice
}

func newNotices(e *Engine) *notices {
	n := &notices{e: e}
	b := e.bus
	b.on("notice", "waiting", func() uint32 { return uint32(len(n.waiting)) }, nil)
	for name, word := range map[string]func(o notice) uint32{
		"comm_context": func(o notice) uint32 { return o.context },
		"source":       func(o notice) uint32 { return o.src },
		"tag":          func(o notice) uint32 { return o.tag },
		"strm":         func(o notice) uint32 { return o.strm },
		"number":       func(o notice) uint32 { return o.collective.number },
		"count":        func(o notice) uint32 { return o.collective.count },
		"shape":        func(o notice) uint32 { return o.collective.shape },
	} {
		b.on("notice", name, func() uint32 { return word(n.oldest()) }, nil)
	}
	b.on("notice", "take", nil, func(uint32) error {
		if len(n.waiting) > 0 {
			n.waiting = n.waiting[1:]
			e.inbound.retry = true // one may be held
		}
		return nil
	})
	return n
}

// oldest is all 0 if none waits.
func (n *notices) oldest() notice {
	if len(n.waiting) == 0 {
		return notice{}
	}
	return n.waiting[0]
}

// clear forgets all that wait.
func (n *notices) clear() {
	n.waiting = nil
	n.e.inbound.retry = true
}

// arrived keeps a notice. Where there is no room it is held, unless messages can
// be lost.
func (n *notices) arrived(p *fabric.Packet, loop bool) verdict {
	e, f, h := n.e, &n.e.n.header, &p.Header
	eager, count := f.messageType.get32(h) == e.n.message.eager, f.count.get32(h)
	switch {
	case eager && count != 0 && !e.lossy && !loop:
		return e.inbound.refuse(p, int(count), e.n.event.badPacket)
	case !eager || count != 0 || len(p.Payload) != 0:
		return e.inbound.drop(e.n.event.badPacket)
	case len(n.waiting) < e.n.notices:
		n.waiting = append(n.waiting, notice{
			f.context.get32(h), f.src.get32(h), f.tag.get32(h), f.strm.get32(h), f.collective(h),
		})
		e.raise(e.n.wake.network)
		return taken
	case loop || !e.lossy:
		return held
	}
	return e.inbound.drop(e.n.event.noBuffer)
}
