package engine

import (
	"context"
	"time"
)

const (
	// restless is the number of reads without a pause, about a microsecond each; then there
	// are pauses, which grow.
	restless      = 64
	shortestPause = 20 * time.Microsecond
	longestPause  = time.Millisecond
)

// polling is a wait for a register to change.
type polling struct {
	wake <-chan struct{} // ends a pause; nil for none

	reads int
	began time.Time
}

// pause lets some time pass before the register is read again. The error is the cause
// of the context.
func (w *polling) pause(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.reads++; w.reads == 1 {
		w.began = time.Now()
	}
	if w.reads < restless {
		return nil
	}
	// What took so long already may take an eighth longer.
	timer := time.NewTimer(min(max(time.Since(w.began)/8, shortestPause), longestPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-w.wake:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
