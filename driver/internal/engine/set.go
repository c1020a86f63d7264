package engine

import (
	"maps"
	"slices"
	"sync"
)

// Set is the set of open engines of a card. Each can be open once, because two users
// would take each other's answers. The zero value is empty.
type Set struct {
	mu     sync.Mutex
	closed bool
	open   map[int]*Engine // by number; nil while one is being opened
}

// Open calls open for an engine that is not open. The error is ErrOpen, ErrClosed, or
// that of open. If the set is closed meanwhile, the engine is stopped.
func (s *Set) Open(number int, open func() (*Engine, error)) (*Engine, error) {
	if err := s.claim(number); err != nil {
		return nil, err
	}
	d, err := open()
	if err == nil {
		err = s.opened(number, d)
	}
	if err != nil {
		s.release(number, nil)
		return nil, err
	}
	return d, nil
}

func (s *Set) claim(number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if _, taken := s.open[number]; taken {
		return ErrOpen
	}
	if s.open == nil {
		s.open = map[int]*Engine{}
	}
	s.open[number] = nil
	return nil
}

func (s *Set) opened(number int, d *Engine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		d.Stop()
		return ErrClosed
	}
	s.open[number] = d
	return nil
}

// Return stops an engine, so that it may be opened again. A second Return does not affect
// an engine that was opened since.
func (s *Set) Return(d *Engine) {
	d.Stop()
	s.release(d.Number(), d)
}

func (s *Set) release(number int, d *Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[number] == d {
		delete(s.open, number)
	}
}

// Close stops all engines, and refuses new ones.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	open := slices.Collect(maps.Values(s.open))
	s.mu.Unlock()
	for _, d := range open {
		if d != nil {
			d.Stop()
		}
	}
}
