package zmq

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// SetReadDeadline is about the next message as a whole.
func (g *guard) SetReadDeadline(t time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.deadline = t
	g.armed = false
	return g.Conn.SetReadDeadline(t)
}

// arm puts a deadline in force that ends waiting within a message.
func (g *guard) arm() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := time.Now().Add(g.limits.Stall)
	if !g.deadline.IsZero() && g.deadline.Before(t) {
		return nil
	}
	g.armed = true
	return g.Conn.SetReadDeadline(t)
}

func (g *guard) disarm() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.armed {
		return nil
	}
	g.armed = false
	return g.Conn.SetReadDeadline(g.deadline)
}

// stalled reports that it was the deadline of arm that has passed.
func (g *guard) stalled() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.armed && (g.deadline.IsZero() || time.Now().Before(g.deadline))
}

// arrivals reads from the network, with the deadlines of guard.
type arrivals struct{ g *guard }

func (a arrivals) Read(p []byte) (int, error) {
	g := a.g
	if !g.opened {
		return g.Conn.Read(p)
	}
	within := !g.between()
	set := g.disarm
	if within {
		set = g.arm
	}
	if err := set(); err != nil {
		return 0, err
	}
	n, err := g.Conn.Read(p)
	if within && errors.Is(err, os.ErrDeadlineExceeded) && g.stalled() {
		err = fmt.Errorf("nothing came for %v within a message: %w", g.limits.Stall, err)
	}
	return n, err
}
