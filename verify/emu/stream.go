package emu

import (
	"context"
	"sync"

	"github.com/cclforge/cclforge/verify/world/engine"
)

// Errors of kernel streams.
var (
	ErrLoopback = engine.ErrLoopback
	ErrBeat     = engine.ErrBeat
)

// stream is a kernel stream in one direction: beats with their TDEST, TKEEP and
// TLAST, in order. One side is the engine, the other a kernel, the host, or the
// engine again.
type stream struct {
	beat  int // bytes
	limit int // bytes
	most  int // bytes that may come at once when it is empty
	wake  func()
	// arrived and freed tell a kernel that is at the stream: of beats to read, of
	// room to write. They are called with mu held.
	arrived, freed func()

	mu      sync.Mutex
	pieces  []piece
	held    int // bytes in pieces
	changed chan struct{}
	waited  bool // someone waits for changed
	dead    error
}

// piece is some whole beats of one TDEST. Its data are not written to.
type piece struct {
	tdest uint32
	data  []byte
	pad   int  // bytes at the end that TKEEP says are none
	last  bool // the last beat has TLAST
}

// newStream makes a stream that wakes the engine when the host has changed it.
func newStream(beat, limit int, wake func()) *stream {
	limit = max(limit/beat, 1) * beat
	return &stream{beat: beat, limit: limit, most: limit, wake: wake, changed: make(chan struct{})}
}

// room is how many bytes the stream can take now: whole beats.
func (s *stream) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.limit-s.held, 0)
}

// takes tells whether whole beats can come at once.
func (s *stream) takes(bytes uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes <= uint64(max(s.limit-s.held, 0)) || s.held == 0 && bytes <= uint64(s.most)
}

// put appends whole beats, which become the stream's. It does not look at the
// limit.
func (s *stream) put(p piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(p)
}

func (s *stream) append(p piece) {
	s.pieces = append(s.pieces, p)
	s.held += len(p.data)
	s.signal()
	if s.arrived != nil {
		s.arrived()
	}
}

// signal tells all that wait on the host side; s.mu is held.
func (s *stream) signal() {
	if s.waited {
		close(s.changed)
		s.changed, s.waited = make(chan struct{}), false
	}
}

// wait is closed at the next change; s.mu is held.
func (s *stream) wait() <-chan struct{} {
	s.waited = true
	return s.changed
}

// head is the beats at the front that lie together, without taking them.
func (s *stream) head() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) == 0 {
		return nil
	}
	return s.pieces[0].data
}

// drop takes bytes of the head.
func (s *stream) drop(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shorten(n)
}

func (s *stream) shorten(n int) {
	p := &s.pieces[0]
	if n == len(p.data) {
		*p = piece{}
		s.pieces = s.pieces[1:]
	} else {
		p.data = p.data[n:]
	}
	s.held -= n
	s.signal()
	if s.freed != nil {
		s.freed()
	}
}

// push is put from the host: it waits for room, and pads to whole beats.
func (s *stream) push(ctx context.Context, tdest uint32, data []byte) error {
	data = append(make([]byte, 0, (len(data)+s.beat-1)/s.beat*s.beat), data...)
	data = data[:cap(data)]
	for len(data) > 0 {
		s.mu.Lock()
		if s.dead != nil {
			s.mu.Unlock()
			return s.dead
		}
		// An operand that ends inside a beat has given up a part of it for a moment.
		n := min(max(s.limit-s.held, 0)/s.beat*s.beat, len(data))
		if n > 0 {
			s.append(piece{tdest: tdest, data: data[:n:n]})
		}
		changed := s.wait()
		s.mu.Unlock()
		data = data[n:]
		if n > 0 {
			s.wake()
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// pull takes up to max bytes of one TDEST, waiting for the first.
func (s *stream) pull(ctx context.Context, max int) (uint32, []byte, error) {
	max -= max % s.beat
	if max <= 0 {
		return 0, nil, ErrBeat
	}
	for {
		s.mu.Lock()
		if len(s.pieces) > 0 {
			tdest, out := s.pieces[0].tdest, []byte(nil)
			for len(s.pieces) > 0 && s.pieces[0].tdest == tdest && len(out) < max {
				n := min(len(s.pieces[0].data), max-len(out))
				out = append(out, s.pieces[0].data[:n]...)
				s.shorten(n)
			}
			s.mu.Unlock()
			s.wake()
			return tdest, out, nil
		}
		dead, changed := s.dead, s.wait()
		s.mu.Unlock()
		if dead != nil {
			return 0, nil, dead
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, nil, context.Cause(ctx)
		}
	}
}

// stop ends all waits with an error.
func (s *stream) stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = err
		s.signal()
	}
}
