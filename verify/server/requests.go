package server

import (
	"context"
	"errors"
	"math"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/world/engine"
)

const (
	// maxReadBytes is the most that a client can read at once, if a reply of that
	// size may be sent.
	maxReadBytes = 64 << 20
	// defaultMessageBytes is the largest message if the limits do not say.
	defaultMessageBytes = 64 << 20
	// replyBytes is room for what a reply has besides data, and byteText the text
	// that a byte takes at most.
	replyBytes = 256
	byteText   = len("255,")
)

// maxRead is how many bytes of memory fit into a reply.
func maxRead(l zmq.Limits) uint64 {
	message := l.MessageBytes
	if message <= 0 {
		message = defaultMessageBytes
	}
	return uint64(min(maxReadBytes, max(message-replyBytes, 0)/byteText))
}

// do does a request that is answered at once.
func (c *connection) do(ctx context.Context, r *sim.Request) sim.Reply {
	switch r.Type {
	case sim.MMIORead:
		return unsigned(c.readWord(ctx, r.Addr))
	case sim.MMIOWrite:
		return unsigned(c.writeWord(ctx, r.Addr, r.Word))
	case sim.MemoryRead:
		return unsigned(c.readMemory(r))
	case sim.MemoryWrite:
		return unsigned(c.writeMemory(r))
	case sim.MemoryAllocate:
		return unsigned(c.allocate(r))
	case sim.Call:
		return c.start(ctx, r)
	case sim.CallWait:
		return c.wait(ctx, r)
	}
	return refuse(StatusMalformed, "there is no request of type %d", r.Type)
}

func (c *connection) readWord(ctx context.Context, addr uint64) sim.Reply {
	if addr > math.MaxUint32 {
		return refuse(StatusNot, "there is no word of the exchange memory at 0x%X", addr)
	}
	v, err := c.s.device.ReadReg(ctx, uint32(addr))
	if errors.Is(err, engine.ErrAddress) || err == nil && c.requests == 1 && c.s.counters.clients.Load() == 1 {
		if why := c.s.generation.introduces(uint32(addr)); why != "" {
			c.tell(why)
			return refuse(StatusNot, "%s", why)
		}
	}
	if err != nil {
		return missing(err)
	}
	if addr == uint64(c.s.generation.returnCode) {
		if code, ok := c.ownCode(); ok {
			v = code
		}
	}
	return sim.Reply{Word: &v}
}

func (c *connection) writeWord(ctx context.Context, addr uint64, v uint32) sim.Reply {
	if addr > math.MaxUint32 {
		return refuse(StatusNot, "there is no word of the exchange memory at 0x%X", addr)
	}
	if addr == uint64(c.s.generation.returnCode) {
		c.hand(handed{})
	}
	if err := c.s.device.WriteReg(ctx, uint32(addr), v); err != nil {
		return missing(err)
	}
	return sim.Reply{}
}

// missing tells what is not there from what has failed.
func missing(err error) sim.Reply {
	status := StatusFailed
	if errors.Is(err, engine.ErrAddress) || errors.Is(err, engine.ErrNoMemory) {
		status = StatusNot
	}
	return refuse(status, "%v", err)
}

// memory is the one that a request is about, nil if there is none.
func (c *connection) memory(r *sim.Request) (engine.Memory, sim.Reply) {
	m, err := c.s.engine.Memory(r.Host)
	if err != nil {
		c.tell(err.Error())
		return nil, missing(err)
	}
	return m, sim.Reply{}
}

func (c *connection) readMemory(r *sim.Request) sim.Reply {
	m, none := c.memory(r)
	if m == nil {
		return none
	}
	if r.Len > c.s.maxRead {
		return refuse(StatusLimit, "reading %d bytes at once: at most %d", r.Len, c.s.maxRead)
	}
	data := make([]byte, r.Len)
	if err := m.Read(data, r.Addr); err != nil {
		return missing(err)
	}
	c.s.counters.bytesOut.Add(r.Len)
	return sim.Reply{Data: data}
}

func (c *connection) writeMemory(r *sim.Request) sim.Reply {
	m, none := c.memory(r)
	if m == nil {
		return none
	}
	if err := m.Write(r.Data, r.Addr); err != nil {
		return refuse(StatusLimit, "%v", err)
	}
	c.s.counters.bytesIn.Add(uint64(len(r.Data)))
	return sim.Reply{}
}

func (c *connection) allocate(r *sim.Request) sim.Reply {
	m, none := c.memory(r)
	if m == nil {
		return none
	}
	if err := m.Reserve(r.Addr, r.Len); err != nil {
		return refuse(StatusLimit, "%v", err)
	}
	return sim.Reply{}
}
