// Package tickets keeps the answers to calls until they are asked for.
package tickets

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// ErrTicket matches errors of tickets without an answer to give: there is no such
// call, or its answer was given.
var ErrTicket = errors.New("the ticket has no answer to give")

// Call is a call that was placed.
type Call struct {
	done chan struct{}
	code accl.ReturnCode // these are set before done is closed
	err  error
}

// NewCall is a call without an answer.
func NewCall() *Call { return &Call{done: make(chan struct{})} }

// Answer answers it, once.
func (c *Call) Answer(code accl.ReturnCode, err error) {
	c.code, c.err = code, err
	close(c.done)
}

// Set is the calls whose answers were not given yet. The zero value has none. Its
// methods may be called concurrently.
type Set struct {
	mu   sync.Mutex
	last accl.Ticket
	open map[accl.Ticket]*Call
}

// Add names a call.
func (s *Set) Add(c *Call) accl.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[accl.Ticket]*Call{}
	}
	s.last++
	s.open[s.last] = c
	return s.last
}

// Wait waits for the answer to a call and gives it, once. The error is that of the
// context, after which Wait can be called again; ErrTicket; or that of the call.
func (s *Set) Wait(ctx context.Context, n accl.Ticket) (accl.ReturnCode, error) {
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
