package engine

import (
	"context"
	"fmt"
	"sync"
)

// Life counts the uses of a card, for which Close waits. The zero value is that of an
// open card.
type Life struct {
	mu     sync.Mutex
	closed bool
	users  sync.WaitGroup
}

// Use begins a use of the card; the error is ErrClosed, with the card's name, if it is
// closed. Close waits until done is called.
func (l *Life) Use(card string) (done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, closed(card)
	}
	l.users.Add(1)
	return l.users.Done, nil
}

// Close refuses new uses, ends waits for the card and its engines, and waits for the uses
// that have begun. It returns true on the first call, which must release the card's
// resources.
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
