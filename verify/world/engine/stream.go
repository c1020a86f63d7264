package engine

import (
	"context"
	"sync"
)

// Stream is a kernel stream in one direction: beats with their TDEST, TKEEP and
// TLAST, in order. One side is the engine, the other a kernel, the host, or the
// engine again.
type Stream struct {
	Beat  int    // bytes
	Limit int    // bytes
	Most  int    // bytes that may come at once when it is empty
	Wake  func() // has the engine look at what the host has changed
	// Arrived and Freed tell a kernel that is at the stream: of beats to read, of
	// room to write. They must not use the stream.
	Arrived, Freed func()

	mu      sync.Mutex
	pieces  []Piece
	held    int // bytes in pieces
	changed chan struct{}
	waited  bool // someone waits for changed
	dead    error
}

// Piece is some whole beats of one TDEST. Its data are not written to.
type Piece struct {
	TDEST uint32
	Data  []byte
	Pad   int  // bytes at the end that TKEEP says are none
	Last  bool // the last beat has TLAST
}

// NewStream makes a stream that wakes the engine when the host has changed it.
func NewStream(beat, limit int, wake func()) *Stream {
	limit = max(limit/beat, 1) * beat
	return &Stream{Beat: beat, Limit: limit, Most: limit, Wake: wake, changed: make(chan struct{})}
}

// Room is how many bytes the stream can take now: whole beats.
func (s *Stream) Room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.Limit-s.held, 0)
}

// Takes tells whether whole beats can come at once.
func (s *Stream) Takes(bytes uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes <= uint64(max(s.Limit-s.held, 0)) || s.held == 0 && bytes <= uint64(s.Most)
}

// Put appends whole beats, which become the stream's. It does not look at the
// limit.
func (s *Stream) Put(p Piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(p)
}

func (s *Stream) append(p Piece) {
	s.pieces = append(s.pieces, p)
	s.held += len(p.Data)
	s.signal()
	if s.Arrived != nil {
		s.Arrived()
	}
}

// signal tells all that wait on the host side; s.mu is held.
func (s *Stream) signal() {
	if s.waited {
		close(s.changed)
		s.changed, s.waited = make(chan struct{}), false
	}
}

// wait is closed at the next change; s.mu is held.
func (s *Stream) wait() <-chan struct{} {
	s.waited = true
	return s.changed
}

// Head is the beats at the front that lie together, without taking them; it has no data if there are none.
func (s *Stream) Head() Piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) == 0 {
		return Piece{}
	}
	return s.pieces[0]
}

// Drop takes bytes of the head.
func (s *Stream) Drop(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shorten(n)
}

func (s *Stream) shorten(n int) {
	p := &s.pieces[0]
	if n == len(p.Data) {
		*p = Piece{}
		s.pieces = s.pieces[1:]
	} else {
		p.Data = p.Data[n:]
	}
	s.held -= n
	s.signal()
	if s.Freed != nil {
		s.Freed()
	}
}

// Push is Put from the host: it waits for room, and pads to whole beats.
func (s *Stream) Push(ctx context.Context, tdest uint32, data []byte) error {
	data = append(make([]byte, 0, (len(data)+s.Beat-1)/s.Beat*s.Beat), data...)
	data = data[:cap(data)]
	for len(data) > 0 {
		s.mu.Lock()
		if s.dead != nil {
			s.mu.Unlock()
			return s.dead
		}
		// An operand that ends inside a beat has given up a part of it for a moment.
		n := min(max(s.Limit-s.held, 0)/s.Beat*s.Beat, len(data))
		if n > 0 {
			s.append(Piece{TDEST: tdest, Data: data[:n:n], Last: n == len(data)})
		}
		changed := s.wait()
		s.mu.Unlock()
		data = data[n:]
		if n > 0 {
			s.Wake()
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

// Pull takes up to max bytes of one TDEST, waiting for the first.
func (s *Stream) Pull(ctx context.Context, max int) (uint32, []byte, error) {
	max -= max % s.Beat
	if max <= 0 {
		return 0, nil, ErrBeat
	}
	for {
		s.mu.Lock()
		if len(s.pieces) > 0 {
			tdest, out := s.pieces[0].TDEST, []byte(nil)
			for len(s.pieces) > 0 && s.pieces[0].TDEST == tdest && len(out) < max {
				n := min(len(s.pieces[0].Data), max-len(out))
				out = append(out, s.pieces[0].Data[:n]...)
				s.shorten(n)
			}
			s.mu.Unlock()
			s.Wake()
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

// Stop ends all waits with an error.
func (s *Stream) Stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = err
		s.signal()
	}
}
