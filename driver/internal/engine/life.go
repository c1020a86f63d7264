package engine

import (
	"context"
	"fmt"
	"sync"
)

// Life is what closing a card waits for. Its zero value is of a card that is open.
type Life struct {
	mu     sync.Mutex
	closed bool
	users  sync.WaitGroup
}

// Use lets something begin, unless the card, of which errors speak by its name, is
// closed. Close waits until it is done.
func (l *Life) Use(card string) (done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, closed(card)
	}
	l.users.Add(1)
	return l.users.Done, nil
}

// Close lets nothing begin any more, ends what waits for the card and its engines, and
// waits for what has begun. It reports whether it is the first to do so: only that one
// has to give back what the card has.
func (l *Life) Close(card string, end context.CancelCauseFunc, engines *Set) (first bool) {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return false
	}
	end(closed(card))
	engines.Close()
	l.users.Wait()
	return true
}

func closed(card string) error { return fmt.Errorf("%w: %s", ErrClosed, card) }
