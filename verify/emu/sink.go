package emu

import "github.com/cclforge/cclforge/verify/world/engine"

// sink takes the bytes of a result, in order.
type sink interface {
	// room returns where the next bytes go: they lie together, at most max. If
	// there are none it says what to wait for, or why the move fails.
	room(max int) (b []byte, w wait, code uint32)
	// put says that bytes of the room were filled.
	put(n int)
	// finish is called when all bytes were put, until there is nothing to wait
	// for.
	finish() (w wait, code uint32)
}

// memorySink writes memory.
type memorySink struct {
	e    *Engine
	mem  space
	addr uint64
}

func (s *memorySink) room(max int) ([]byte, wait, uint32) {
	if b := s.mem.write(s.addr, max); len(b) > 0 {
		return b, waitNone, 0
	}
	return nil, waitNone, s.e.n.code.decode
}

func (s *memorySink) put(n int) { s.addr += uint64(n) }

func (s *memorySink) finish() (wait, uint32) { return waitNone, 0 }

// streamSink puts beats on the kernel stream; the last one is padded, and has
// TLAST.
type streamSink struct {
	e     *Engine
	tdest uint32
	left  uint64 // bytes of the result
	piece []byte // whole beats that are being filled
	used  int
	gone  int // of the used, on the stream: whatever is complete, as a kernel may wait for it
}

func (s *streamSink) room(max int) ([]byte, wait, uint32) {
	if s.used == len(s.piece) {
		n := min(uint64(s.e.toKernel.Room()), roundBeats(s.left, s.e.n.beatBytes), segmentBytes)
		if n == 0 {
			return nil, waitStream, 0
		}
		s.piece, s.used, s.gone = make([]byte, n), 0, 0
	}
	rest := s.piece[s.used:]
	return rest[:min(uint64(len(rest)), uint64(max), s.left)], waitNone, 0
}

func (s *streamSink) put(n int) {
	s.used += n
	s.left -= uint64(n)
	end := s.used - s.used%s.e.n.beatBytes
	if s.left == 0 {
		end = len(s.piece)
	}
	if end > s.gone {
		s.e.toKernel.Put(engine.Piece{TDEST: s.tdest, Data: s.piece[s.gone:end:end], Pad: max(end-s.used, 0),
			Last: s.left == 0})
		s.gone = end
	}
}

func (s *streamSink) finish() (wait, uint32) { return waitNone, 0 }

func roundBeats(bytes uint64, beat int) uint64 {
	return (bytes + uint64(beat) - 1) / uint64(beat) * uint64(beat)
}
