package control

import (
	"context"
	"time"
)

const (
	// restless is how often a register is read again and again, about a microsecond each;
	// then there are pauses, which grow.
	restless      = 64
	shortestPause = 20 * time.Microsecond
	longestPause  = time.Millisecond
)

// Wait is a wait for a register to change.
type Wait struct {
	Wake <-chan struct{} // ends a pause; nil for none

	reads int
	began time.Time
}

// Pause lets some time pass before the register is read again. The error is the cause
// of the context.
func (w *Wait) Pause(ctx context.Context) error {
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
	case <-w.Wake:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
