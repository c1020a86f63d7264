package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// maxListeners bounds the ports at which one port listens.
const maxListeners = 16

// listen listens at a port of the listen address, any free one if it is 0.
func (p *TCPPort) listen(port uint16) error {
	at := netip.AddrPortFrom(p.o.Listen, port)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return fmt.Errorf("listening at %v: %w", at, fabric.ErrClosed)
	}
	for _, l := range p.listeners {
		if l.at.Port() == port {
			return nil
		}
	}
	if len(p.listeners) >= maxListeners {
		return fmt.Errorf("listening at %v: it listens at %d ports, and more are not expected", at, maxListeners)
	}
	if p.o.Memory == OnlyMemory {
		return p.shareAt(at)
	}
	// Whoever reaches the socket can rely on it that shared memory is asked for already.
	if port != 0 {
		p.share(at)
	}
	config := net.ListenConfig{KeepAliveConfig: keepAlive}
	l, err := config.Listen(p.life, "tcp4", at.String())
	if err != nil {
		return bound("listening at", at, err)
	}
	tcp := l.(*net.TCPListener)
	at = unmap(l.Addr().(*net.TCPAddr).AddrPort())
	p.listeners = append(p.listeners, listener{at, l})
	p.wg.Go(func() { p.accept(at.String(), func() (conn, error) { return tcp.AcceptTCP() }) })
	if port == 0 {
		p.share(at)
	}
	return nil
}

// errBound ends a socket before it listens.
var errBound = errors.New("bound")

// Unused is the error that listening at an address would have. It does not listen: who
// connects at that moment would lose what it sends. Where systems cannot tell, it is nil.
func Unused(at netip.AddrPort) error {
	var failure error
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		err := c.Control(func(fd uintptr) { failure = bindTo(fd, at) })
		return errors.Join(err, errBound)
	}}
	_, err := config.Listen(context.Background(), "tcp4", at.String())
	if errors.Is(err, errBound) {
		err = failure
	}
	if err != nil {
		return bound("listening at", at, err)
	}
	return nil
}

// listener is where others connect.
type listener struct {
	at netip.AddrPort
	io.Closer
}

// LocalAddr is where the port listens first; the zero value if it does not.
func (p *TCPPort) LocalAddr() netip.AddrPort {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.listeners) == 0 {
		return netip.AddrPort{}
	}
	return p.listeners[0].at
}

func (p *TCPPort) accept(at string, next func() (conn, error)) {
	for failures := 0; ; {
		conn, err := next()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			failures++
			p.mishap(uint64(failures), "accepting connections at %s: %v", at, err)
			pause(p.life, min(time.Duration(failures)*shortestPause, longestPause))
			continue
		}
		failures = 0
		p.admit(newStream(p, conn, false))
	}
}

// admit lets a connection in, if there are not too many.
func (p *TCPPort) admit(c *stream) {
	p.mu.Lock()
	full := len(p.came) >= p.o.Connections
	if p.gone || full {
		if !p.gone {
			p.stats.Refused++
		}
		n := p.stats.Refused
		p.mu.Unlock()
		if full {
			p.mishap(n, "connection of %v: %d are open, and more are not expected", c.conn.RemoteAddr(), p.o.Connections)
		}
		_ = c.conn.Close()
		return
	}
	p.came[c] = true
	_ = c.conn.SetReadDeadline(time.Now().Add(p.o.FirstBeat))
	p.stats.Accepted++
	p.mu.Unlock()
	p.wg.Go(func() {
		begun, err := p.greet(c)
		if err == nil {
			c.run(begun)
			return
		}
		p.mu.Lock()
		p.hangUp(c)
		strange := !p.gone && err != io.EOF
		if strange {
			p.stats.Strange++
		}
		n := p.stats.Strange
		p.mu.Unlock()
		if strange {
			p.mishap(n, "connection of %v: %v", c.conn.RemoteAddr(), err)
		}
	})
}

// greet finds the session of a connection by its first beat, and reports whether
// that is the header of a packet.
func (p *TCPPort) greet(c *stream) (begun bool, err error) {
	n, err := io.ReadFull(c.r, c.header[:])
	switch {
	case n == 0 && timedOut(err):
		return false, p.silent(c)
	case n == 0 && err == io.EOF:
		return false, io.EOF
	case timedOut(err):
		return false, fmt.Errorf("it has said %d bytes of its first beat in %v", n, p.o.FirstBeat)
	case err != nil:
		return false, midway(err)
	}
	at, said, err := parseHello(&c.header)
	if err != nil {
		return false, err
	}
	if said && at.Port() != 0 {
		return false, p.join(p.life, c, p.introduced(c, at))
	}
	c.foreign = true
	select {
	case <-p.settled:
	case <-time.After(p.o.FirstBeat):
	}
	return !said, p.join(p.life, c, p.recognized(c))
}

// silent keeps a connection that has said nothing yet if it is clear whose it is.
func (p *TCPPort) silent(c *stream) error {
	c.foreign = true
	return p.join(p.life, c, func() (*session, error) {
		if s := p.known(c); s != nil {
			return s, nil
		}
		return nil, fmt.Errorf("it has said nothing for %v", p.o.FirstBeat)
	})
}

// introduced finds the session of who has said where it listens.
func (p *TCPPort) introduced(c *stream, name netip.AddrPort) func() (*session, error) {
	if name.Addr().IsUnspecified() {
		name = netip.AddrPortFrom(c.remote().Addr(), name.Port())
	}
	at, ok := p.o.real(name)
	return func() (*session, error) {
		if !ok {
			return nil, fmt.Errorf("%w: it says that it is %v", fabric.ErrUnreachable, name)
		}
		return p.enough(p.numbered(p.sessionAt(at)))
	}
}

func (p *TCPPort) enough(s *session) (*session, error) {
	if s == nil {
		return nil, errSessions
	}
	return s, nil
}

// recognized finds the session of who has not.
func (p *TCPPort) recognized(c *stream) func() (*session, error) {
	var own *session
	return func() (*session, error) {
		if own == nil {
			if own = p.known(c); own == nil {
				own = p.addSession()
			}
		}
		return p.enough(own)
	}
}

// known is the only session that leads to where a connection comes from, unless
// it is that of a port which says hello; nil if there is none.
func (p *TCPPort) known(c *stream) *session {
	s := p.sessions.only(c.remote().Addr())
	if s != nil && s.link.came != nil && !s.link.came.foreign {
		return nil
	}
	return s
}

// loggedAll is how often mishaps of one kind are logged before they are logged
// more and more rarely.
const loggedAll = 16

// mishap logs what went wrong with a peer for the n-th time.
func (p *TCPPort) mishap(n uint64, format string, args ...any) {
	if n <= loggedAll || n&(n-1) == 0 {
		p.o.Log(format, args...)
	}
}
