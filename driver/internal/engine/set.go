package engine

import (
	"slices"
	"sync"
)

// Set is the engines of a card that are open: each only once, as two that place calls
// would take each other's answers. Its zero value is empty.
type Set struct {
	mu     sync.Mutex
	closed bool
	open   []*Engine
	taken  []int // numbers of these, and of those that are being opened
}

// Open has an engine opened that is not open. The error is ErrOpen, ErrClosed, or that of
// open; the engine is stopped if the set was closed meanwhile.
func (s *Set) Open(number int, open func() (*Engine, error)) (*Engine, error) {
	if err := s.claim(number); err != nil {
		return nil, err
	}
	d, err := open()
	if err == nil {
		err = s.opened(d)
	}
	if err != nil {
		s.release(number)
		return nil, err
	}
	return d, nil
}

func (s *Set) claim(number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case slices.Contains(s.taken, number):
		return ErrOpen
	}
	s.taken = append(s.taken, number)
	return nil
}

func (s *Set) opened(d *Engine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		d.Stop()
		return ErrClosed
	}
	s.open = append(s.open, d)
	return nil
}

// Return stops an engine and gives it back; it may be opened again.
func (s *Set) Return(d *Engine) {
	d.Stop()
	s.release(d.Number())
}

func (s *Set) release(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = slices.DeleteFunc(s.taken, func(n int) bool { return n == number })
	s.open = slices.DeleteFunc(s.open, func(d *Engine) bool { return d.at.Number == number })
}

// Close stops all engines; there are no more.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	open := slices.Clone(s.open)
	s.mu.Unlock()
	for _, d := range open {
		d.Stop()
	}
}
