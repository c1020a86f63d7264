package emu

import "github.com/cclforge/cclforge/verify/world/engine"

// wait says what a move waits for.
type wait uint8

const (
	waitNone    wait = iota
	waitMessage      // an eager message
	waitWindow       // data in a window
	waitRemote       // the network takes nothing, or has not given lent memory back
	waitStream       // the kernel stream
)

// source hands out the bytes of an operand, in order.
type source interface {
	// peek returns bytes that lie together, at most max. If there are none it
	// says what to wait for, or why the move fails (bits of the return code).
	peek(max int) (b []byte, w wait, code uint32)
	// drop takes bytes that were peeked at.
	drop(n int)
	// end is called once when all bytes were taken, or none will be any more.
	end()
}

// memorySource reads memory.
type memorySource struct {
	e    *Engine
	mem  space
	addr uint64
}

func (s *memorySource) peek(max int) ([]byte, wait, uint32) {
	if b := s.mem.read(s.addr, max); len(b) > 0 {
		return b, waitNone, 0
	}
	return nil, waitNone, s.e.n.code.decode
}

func (s *memorySource) drop(n int) { s.addr += uint64(n) }

func (s *memorySource) end() {}

// windowSource reads a rendezvous window as it fills.
type windowSource struct {
	memorySource
	window uint32
}

func (s *windowSource) peek(max int) ([]byte, wait, uint32) {
	ready, more, ok := s.e.rendezvous.readable(s.window, s.addr)
	switch {
	case !ok:
		return nil, waitNone, s.e.n.code.config
	case ready == 0 && more:
		return nil, waitWindow, 0
	case ready == 0:
		return nil, waitNone, s.e.n.code.segment
	}
	return s.memorySource.peek(int(min(uint64(max), ready)))
}

// streamSource takes whole beats of the kernel stream.
type streamSource struct {
	s    *engine.Stream
	left uint64 // bytes of the operand
	part int    // bytes taken of a beat that is not finished
}

func (s *streamSource) peek(max int) ([]byte, wait, uint32) {
	b := s.s.Head().Data
	if len(b) == 0 {
		return nil, waitStream, 0
	}
	b = b[:min(uint64(len(b)), uint64(max), s.left)]
	return b, waitNone, 0
}

func (s *streamSource) drop(n int) {
	s.left -= uint64(n)
	s.part = (s.part + n) % s.s.Beat
	if s.left == 0 && s.part != 0 { // the rest of the last beat is padding
		n += s.s.Beat - s.part
		s.part = 0
	}
	s.s.Drop(n)
}

func (s *streamSource) end() {}

// messageSource reads the next eager messages of a sender.
type messageSource struct {
	e       *Engine
	from    peer
	request request
	left    uint64 // bytes of the operand
	msg     *message
	addr    uint64 // in the message's buffer
	rest    int    // of the message
}

// take takes the next message.
func (s *messageSource) take() (wait, uint32) {
	m, other := s.e.rx.next(s.from, s.request)
	switch {
	case other != nil:
		s.e.rx.other = stranger{other.key.src, other.of}
		return waitNone, s.e.n.code.mismatch
	case m == nil:
		return waitMessage, 0
	}
	s.e.rx.consume(m, s.from)
	s.msg = m
	return waitNone, 0
}

func (s *messageSource) peek(max int) ([]byte, wait, uint32) {
	for s.rest == 0 {
		s.end()
		if w, code := s.take(); w != waitNone || code != 0 {
			return nil, w, code
		}
		m := s.msg
		s.rest = m.bytes
		if uint64(m.bytes) > s.left {
			return nil, waitNone, s.e.n.code.segment
		}
		if m.buffer != nil {
			s.addr = m.buffer.addr
		}
	}
	if b := s.e.device.read(s.addr, min(max, s.rest)); len(b) > 0 {
		return b, waitNone, 0
	}
	return nil, waitNone, s.e.n.code.decode
}

func (s *messageSource) drop(n int) {
	s.addr += uint64(n)
	s.rest -= n
	s.left -= uint64(n)
	if s.rest == 0 {
		s.end()
	}
}

// empty takes one message without payload.
func (s *messageSource) empty() (wait, uint32) {
	if w, code := s.take(); w != waitNone || code != 0 {
		return w, code
	}
	if s.msg.bytes > 0 {
		return waitNone, s.e.n.code.segment
	}
	return waitNone, 0
}

func (s *messageSource) end() {
	if s.msg != nil {
		s.e.rx.giveBack(s.msg)
		s.msg, s.rest = nil, 0
	}
}
