package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// sharedAt is the name at which a port asks for shared memory that others reach at an address.
func sharedAt(at netip.AddrPort) string { return "tcp/" + at.String() }

// share listens for shared memory at a port. The lock is held.
func (p *TCPPort) share(port uint16) error {
	ip := p.o.Listen
	if self, ok := p.o.real(p.identity()); ip.IsUnspecified() && ok {
		ip = self.Addr()
	}
	if p.o.Memory == NoMemory || ip.IsUnspecified() {
		return nil
	}
	at := netip.AddrPortFrom(ip, port)
	l, err := shm.Listen(sharedAt(at))
	switch {
	case err == nil:
	case p.o.Memory == WithMemory:
		p.o.Log("%v; sockets are used instead", err)
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: %w", fabric.ErrAddressInUse, err)
	default:
		return err
	}
	p.doors = append(p.doors, l)
	p.wg.Go(func() { p.accept(l.Addr(), func() (conn, error) { return l.AcceptConn() }) })
	return nil
}

// open connects in memory if the other port does that, or else over a socket.
func (p *TCPPort) open(ctx context.Context, self, to netip.AddrPort) (conn, error) {
	if p.o.Memory == NoMemory || self.Addr().IsUnspecified() {
		return p.overSocket(ctx, to)
	}
	memory, err := shm.Dial(ctx, sharedAt(to))
	switch {
	case err == nil:
		return memory, nil
	case p.o.Memory == OnlyMemory:
		return nil, err
	}
	c, failed := p.overSocket(ctx, to)
	if failed != nil {
		return nil, failed
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		p.o.Log("%v; a socket is used instead", err)
		return c, nil
	}
	// Nobody was there, but now somebody is: who listens at the socket has listened for memory before.
	if memory, err := shm.Dial(ctx, sharedAt(to)); err == nil {
		_ = c.Close()
		return memory, nil
	}
	return c, nil
}
