package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// keepAlive finds out within 10 s that a host is gone.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: time.Second, Count: 5}

// dialNow connects a session, unless this side has done it.
func (p *TCPPort) dialNow(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.life, func() { cancel(fabric.ErrClosed) })()
	return p.dial(ctx, s)
}

// dialLater connects a session as soon as somebody is there. A session of which
// nothing is queued it gives up after Options.Patience, or when the port is closed.
func (p *TCPPort) dialLater(s *session) {
	l := s.link
	if l.dialing != nil {
		return
	}
	ctx, cancel := context.WithCancel(p.grace)
	if l.awaited {
		cancel()
		ctx, cancel = context.WithTimeout(p.life, p.o.Patience)
	}
	l.dialing = cancel
	p.wg.Go(func() {
		try := func() error { return p.dial(ctx, s) }
		if try() != nil {
			insist(ctx, try)
		}
		p.mu.Lock()
		defer p.unlock()
		cancel()
		l.dialing = nil
		if l.awaited {
			p.answer(l) // who still waits to send has it dial again
		}
		if l.out.Len() > 0 && !l.removed && !p.gone && l.state == idle {
			p.dialLater(s) // packets came when it was ended
		}
	})
}

// dial makes one attempt to connect a session.
func (p *TCPPort) dial(ctx context.Context, s *session) error {
	l := s.link
	select {
	case l.attempt <- struct{}{}:
		defer func() { <-l.attempt }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	p.mu.Lock()
	done := l.state == up && l.made != nil
	p.mu.Unlock()
	if done {
		return nil
	}
	conn, err := p.reach(ctx, s.addr)
	if err != nil {
		return err
	}
	c := newStream(p, conn, true)
	// The other side knows of the connection now, so it is not given up.
	if err := p.join(p.grace, c, func() (*session, error) { return s, nil }); err != nil {
		return errors.Join(err, conn.Close())
	}
	p.wg.Go(func() { c.run(false) })
	return nil
}

// reach connects to an address, and says hello.
func (p *TCPPort) reach(ctx context.Context, to netip.AddrPort) (conn, error) {
	p.mu.Lock()
	self := p.identity()
	p.mu.Unlock()
	c, err := p.connectTo(ctx, self, to)
	if err != nil {
		return nil, reason(ctx, err)
	}
	hello := newHello(self)
	if _, err := c.Write(hello[:]); err != nil {
		return nil, errors.Join(reason(ctx, err), c.Close())
	}
	return c, nil
}

// overSocket connects over a socket.
func (p *TCPPort) overSocket(ctx context.Context, to netip.AddrPort) (conn, error) {
	d := net.Dialer{Timeout: p.o.Dial, KeepAliveConfig: keepAlive}
	if from, ok := p.o.from(to.Addr()); ok {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	c, err := d.DialContext(ctx, "tcp4", to.String())
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// identity is where this port listens, as others know it.
func (p *TCPPort) identity() netip.AddrPort {
	switch {
	case p.self.IsValid():
		return p.self
	case p.o.Local.IsValid() && p.o.Local.Port() != 0:
		return p.o.Local
	}
	at := netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	if len(p.listeners) > 0 {
		at = p.listeners[0].at
	}
	return at
}

// reason is the error of an attempt to connect.
func reason(ctx context.Context, err error) error {
	var timeout net.Error
	end, ends := ctx.Deadline()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ends && !time.Now().Before(end): // it notices in a moment
		return context.DeadlineExceeded
	case errors.Is(err, syscall.ECONNREFUSED):
		return fabric.ErrRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", fabric.ErrUnreachable, err)
	}
	return err
}

// join adds a connection to a session, once what it had before has ended.
func (p *TCPPort) join(ctx context.Context, c *stream, find func() (*session, error)) error {
	for waited := false; ; waited = true {
		p.mu.Lock()
		s, err := find()
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case err == nil && s.link.removed:
			err = fabric.ErrClosed
		}
		if err != nil {
			p.unlock()
			return err
		}
		l := s.link
		if l.state == up && (c.made && l.made != nil || !c.made && l.came != nil) {
			p.breakUp(s) // who connects again has lost what was before
			p.finish(s)
		}
		if l.state != ending {
			p.attach(s, c)
			p.unlock()
			return nil
		}
		if waited {
			p.force(s)
		}
		ended := l.ended
		p.unlock()
		select {
		case <-ctx.Done():
		case <-ended:
		case <-time.After(lingering):
		}
	}
}
