package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// ErrTicket matches errors of unknown tickets, and of tickets whose answer was returned
// before.
var ErrTicket = errors.New("the ticket has no answer to give")

// Answer is the answer to a call that was placed, which may be still to come.
type Answer struct {
	done chan struct{}
	code accl.ReturnCode // these are set before done is closed
	err  error
}

// NewAnswer returns an answer that is still to come.
func NewAnswer() *Answer { return &Answer{done: make(chan struct{})} }

// Give sets the answer. It must be called once.
func (c *Answer) Give(code accl.ReturnCode, err error) {
	c.code, c.err = code, err
	close(c.done)
}

// Tickets are the answers that were not fetched yet, by ticket. The zero value is empty.
// Its methods may be called concurrently.
type Tickets struct {
	mu   sync.Mutex
	last accl.Ticket
	open map[accl.Ticket]*Answer
}

// Add returns a new ticket for an answer.
func (s *Tickets) Add(c *Answer) accl.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[accl.Ticket]*Answer{}
	}
	s.last++
	s.open[s.last] = c
	return s.last
}

// Wait waits for the answer to a call and returns it; the ticket is void then. The error
// is that of the context, after which Wait can be called again; ErrTicket; or that of
// the call.
func (s *Tickets) Wait(ctx context.Context, n accl.Ticket) (accl.ReturnCode, error) {
	s.mu.Lock()
	c := s.open[n]
	s.mu.Unlock()
	if c == nil {
		return 0, fmt.Errorf("%w: %d", ErrTicket, n)
	}
	select {
	case <-c.done:
	default:
		select {
		case <-c.done:
		case <-ctx.Done():
			return 0, fmt.Errorf("no answer to the call: %w", context.Cause(ctx))
		}
	}
	s.mu.Lock()
	_, first := s.open[n]
	delete(s.open, n)
	s.mu.Unlock()
	if !first {
		return 0, fmt.Errorf("%w: %d", ErrTicket, n)
	}
	return c.code, c.err
}
