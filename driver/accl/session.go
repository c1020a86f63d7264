package accl

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// OpenPort listens for connections of the other ranks of the world. See Comm.OpenPort.
func (e *Engine) OpenPort(ctx context.Context) error {
	c, err := e.needWorld()
	if err != nil {
		return fmt.Errorf("open the port: %w", err)
	}
	return c.OpenPort(ctx)
}

// OpenCon connects to all other ranks of the world. See Comm.OpenCon.
func (e *Engine) OpenCon(ctx context.Context) error {
	c, err := e.needWorld()
	if err != nil {
		return fmt.Errorf("open connections: %w", err)
	}
	return c.OpenCon(ctx)
}

func (e *Engine) needWorld() (*Comm, error) {
	if c := e.World(); c != nil {
		return c, nil
	}
	if e.closed.Load() {
		return nil, ErrClosed
	}
	return nil, fmt.Errorf("%w: it has no communicator", ErrNotConfigured)
}

// opener is the device as a SessionOpener; nil if the host does not open sessions.
func (e *Engine) opener() SessionOpener {
	if e.p.Features.EngineSessions || e.o.protocol != "tcp" || e.o.givenSessions {
		return nil
	}
	opener, _ := e.dev.(SessionOpener)
	return opener
}

// engineOpens reports whether the engine is asked for sessions.
func (e *Engine) engineOpens() bool {
	return e.p.Features.EngineSessions && e.o.protocol == "tcp" && !e.o.givenSessions
}

// OpenPort listens for connections of the other ranks. It does nothing on networks without
// connections. It first enables an engine that opens sessions itself.
func (c *Comm) OpenPort(ctx context.Context) error {
	if c == nil {
		return fmt.Errorf("open the port: %w", ErrNotMember)
	}
	e := c.engine
	e.setup.Lock()
	defer e.setup.Unlock()
	if e.closed.Load() {
		return fmt.Errorf("open the port: %w", ErrClosed)
	}
	if opener := e.opener(); opener != nil {
		if err := opener.OpenPort(ctx, c.ranks[c.local].Port); err != nil {
			return fmt.Errorf("open port %d: %w", c.ranks[c.local].Port, err)
		}
		return nil
	}
	if !e.engineOpens() {
		return nil
	}
	if err := e.enable(ctx); err != nil {
		return fmt.Errorf("open the port: %w", err)
	}
	return e.configure(ctx, openPort, 0, c)
}

// OpenCon connects to the other ranks, if the network has connections, and enables the
// engine. On networks that refuse connections to ranks that do not listen yet, it tries
// again until the context ends or the platform's limit for remote ranks has passed. On
// others, such as those of emulated ranks, it returns at once, and messages wait until
// the other rank listens.
func (c *Comm) OpenCon(ctx context.Context) error {
	if c == nil {
		return fmt.Errorf("open connections: %w", ErrNotMember)
	}
	e := c.engine
	e.setup.Lock()
	defer e.setup.Unlock()
	if e.closed.Load() {
		return fmt.Errorf("open connections: %w", ErrClosed)
	}
	if opener := e.opener(); opener != nil {
		if err := c.connect(ctx, opener); err != nil {
			return err
		}
	}
	if err := e.enable(ctx); err != nil {
		return fmt.Errorf("open connections: %w", err)
	}
	if !e.engineOpens() {
		return nil
	}
	return c.openConnections(ctx)
}

// connect opens a session to each other rank and tells the engine.
func (c *Comm) connect(ctx context.Context, opener SessionOpener) error {
	for i := range c.ranks {
		if i == c.local {
			continue
		}
		r := &c.ranks[i]
		err := c.engine.insist(ctx, func() (bool, error) {
			session, err := opener.OpenConnection(ctx, r.word(), r.Port)
			if err == nil {
				r.Session = session
			}
			return true, err
		})
		if err != nil {
			return fmt.Errorf("connect to rank %d, %s: %w", i, r.place(), err)
		}
		if err := c.engine.write(ctx, c.word(i, "session"), r.Session); err != nil {
			return err
		}
	}
	c.opened = true
	return nil
}

// openConnections has the engine open a session to each other rank.
func (c *Comm) openConnections(ctx context.Context) error {
	err := c.engine.insist(ctx, func() (bool, error) {
		err := c.engine.configure(ctx, openCon, 0, c)
		var answer *CallError
		return errors.As(err, &answer) && answer.Has("OPEN_CON_NOT_SUCCEEDED"), err
	})
	c.opened = c.opened || err == nil
	return err
}

// openSessions does again what OpenPort and OpenCon did before a reset.
func (c *Comm) openSessions(ctx context.Context) error {
	if !c.engine.engineOpens() {
		return nil
	}
	if err := c.engine.configure(ctx, openPort, 0, c); err != nil {
		return err
	}
	return c.openConnections(ctx)
}

// Waits between attempts to connect.
const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 200 * time.Millisecond
)

// insist tries until it succeeds, another try makes no sense, the context ends, or the
// limit for remote ranks has passed.
func (e *Engine) insist(ctx context.Context, try func() (again bool, err error)) error {
	end := time.Now().Add(time.Duration(e.p.Limits.RemoteTimeoutMilliseconds) * time.Millisecond)
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		again, err := try()
		if err == nil || !again || ctx.Err() != nil || !time.Now().Add(pause).Before(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// sessions lists the sessions that lead to ranks, as the engine or the host
// opened them.
func (e *Engine) sessions(ctx context.Context) (known map[netip.AddrPort]uint32, opened bool, err error) {
	known = map[netip.AddrPort]uint32{}
	for _, c := range e.comms {
		for i, r := range c.ranks {
			if _, has := known[r.place()]; has || i == c.local {
				continue
			}
			session, err := e.read(ctx, c.word(i, "session"))
			if err != nil {
				return nil, false, err
			}
			known[r.place()] = session
			opened = opened || c.opened
		}
	}
	return known, opened, nil
}
