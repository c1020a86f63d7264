package network

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// ended reports whether an error is that of a context, and not one that a register was
// read with.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err()))
}

// limit is an error of a wait that has ended: why, and when.
func limit(ctx context.Context, begin time.Time) (reason string, cause error) {
	waited := time.Since(begin).Round(time.Millisecond)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("after %v", waited), context.DeadlineExceeded
	}
	return fmt.Sprintf("after %v", waited), context.Cause(ctx)
}
