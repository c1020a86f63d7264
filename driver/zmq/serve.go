package zmq

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	acceptPause    = 5 * time.Millisecond
	acceptPauseMax = time.Second
)

// Serve accepts peers until ctx ends, each handled by a goroutine of its own
// and closed when handle returns or ctx ends. Peers beyond Limits.Connections
// are turned away, those whose handshake fails are dropped. Serve closes l, and
// returns when all have ended: nil after ctx, otherwise why l accepts no more.
func Serve(ctx context.Context, l net.Listener, as Kind, lim Limits, handle func(ctx context.Context, c *Conn)) error {
	lim = lim.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		_ = l.Close()
		close(closed)
	})
	var peers sync.WaitGroup
	defer func() {
		cancel()
		<-closed
		peers.Wait()
	}()
	slots := make(chan struct{}, lim.Connections)
	for {
		raw, err := accept(ctx, l)
		if ctx.Err() != nil {
			if err == nil {
				_ = raw.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept %s peers at %v: %w", as, l.Addr(), err)
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = raw.Close()
			continue
		}
		peers.Go(func() {
			serve(ctx, raw, as, lim, handle)
			<-slots
		})
	}
}

// accept waits while the system is short of something.
func accept(ctx context.Context, l net.Listener) (net.Conn, error) {
	for pause := acceptPause; ; pause = min(2*pause, acceptPauseMax) {
		raw, err := l.Accept()
		var temporary interface{ Temporary() bool }
		if err == nil || !errors.As(err, &temporary) || !temporary.Temporary() {
			return raw, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

func serve(ctx context.Context, raw net.Conn, as Kind, lim Limits, handle func(ctx context.Context, c *Conn)) {
	limited, cancel := context.WithTimeout(ctx, lim.Handshake)
	c, err := handshake(limited, raw, as, lim, true)
	cancel()
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer func() {
		stop()
		_ = c.Close()
	}()
	handle(ctx, c)
}
