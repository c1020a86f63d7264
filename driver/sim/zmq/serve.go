package zmq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	acceptPause    = 5 * time.Millisecond
	acceptPauseMax = time.Second
)

// Serve accepts peers until ctx ends. Each peer is handled by a goroutine of its own, and
// its connection is closed when handle returns or ctx ends. Peers beyond
// Limits.Connections, and those whose handshake fails, are disconnected. Serve closes l,
// and returns when all handlers have ended: nil if ctx has ended, otherwise the error of
// l.
func Serve(ctx context.Context, l net.Listener, as Kind, lim Limits, handle func(ctx context.Context, c *Conn)) error {
	lim = lim.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	release := whenDone(ctx, func() { _ = l.Close() })
	var peers sync.WaitGroup
	defer func() {
		cancel()
		release()
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
			lim.refuse(raw, fmt.Errorf("%w: the limit is %d", errCrowded, lim.Connections))
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
		if ctx.Err() == nil && !left(err) {
			lim.refuse(raw, err)
		}
		return
	}
	defer closeAfter(ctx, c)()
	handle(ctx, c)
}

// left reports whether a peer has gone by itself, as peers do that only check whether the
// port is open.
func left(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// closeAfter closes the connection when ctx ends, or when the function that it
// returns is called.
func closeAfter(ctx context.Context, c *Conn) func() {
	release := whenDone(ctx, func() { _ = c.Close() })
	return func() {
		release()
		_ = c.Close()
	}
}

// whenDone calls f when ctx ends, and not after release has been called. If it
// has called f, release waits for it, and returns false.
func whenDone(ctx context.Context, f func()) (release func() bool) {
	called := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(called)
		f()
	})
	return func() bool {
		stopped := stop()
		if !stopped {
			<-called
		}
		return stopped
	}
}
