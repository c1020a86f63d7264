package zmq

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	retryPause    = 5 * time.Millisecond
	retryPauseMax = 200 * time.Millisecond
)

// Subscribe keeps a SUB connection to the publisher at host:port, which may stop and
// start again, and passes its messages to handle until ctx ends. handle may block, which
// holds the publisher back. Messages that are published while there is no connection, and
// those beyond the limits, are lost: handle gets nil after each connection is made,
// including the first, and in place of a skipped message. The error is that of ctx, or of
// a wrong address.
func Subscribe(ctx context.Context, address string, topics []string, lim Limits, handle func(frames [][]byte)) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	pause := retryPause
	for ctx.Err() == nil {
		if follow(ctx, address, topics, lim, handle) {
			pause = retryPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, retryPauseMax)
		}
	}
	return ctx.Err()
}

// follow reads from one connection until it is lost, and reports whether it
// was a good one.
func follow(ctx context.Context, address string, topics []string, lim Limits, handle func(frames [][]byte)) bool {
	c, err := Dial(ctx, address, Sub, lim)
	if err != nil {
		return false
	}
	defer closeAfter(ctx, c)()
	start := time.Now()
	for _, topic := range topics {
		if err := c.Send(append([]byte{1}, topic...)); err != nil {
			return false
		}
	}
	handle(nil)
	for received := false; ; received = true {
		frames, err := c.Recv()
		if errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrClosed) {
			frames, err = nil, nil
		}
		if err != nil {
			return received || time.Since(start) > retryPauseMax
		}
		if ctx.Err() != nil {
			return true
		}
		handle(frames)
	}
}
