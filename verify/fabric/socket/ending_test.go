package socket_test

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// A session takes as long to end as something moves. These peers take, or send,
// something every few milliseconds, and all of it takes them much longer than a port
// waits for one that does nothing.
const (
	unhurried = 5 * time.Millisecond
	amount    = 7 << 20 // more than the system takes from a sender by itself
)

// sip reads a connection to its end, a little at a time.
func sip(t *testing.T, conn net.Conn) (bytes int) {
	t.Helper()
	for b := make([]byte, 32<<10); ; time.Sleep(unhurried) {
		n, err := io.ReadFull(conn, b)
		bytes += n
		if err != nil {
			return bytes
		}
	}
}

func TestTCPEndsWhenAllIsTaken(t *testing.T) {
	for name, end := range map[string]func(x *port, peer *net.TCPConn){
		"the peer has ended its direction": func(_ *port, peer *net.TCPConn) { _ = peer.CloseWrite() },
		"the port is closed":               func(x *port, _ *net.TCPConn) { go x.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			x := newTCP(t, socket.Options{WindowBytes: 8 << 20})
			conn := raw(t, x)
			assert.NilError(t, conn.SetReadBuffer(64<<10))
			write(t, conn, message(1, nil))
			session := x.next().Session
			const packets = amount / 1064
			for i := range packets {
				send(x, session, numbered(i, make([]byte, 1000)))
			}
			end(x, conn)
			start := time.Now()
			if got := sip(t, conn); got != packets*1064 {
				t.Errorf("%d bytes came in %v, not %d: %v", got, time.Since(start), packets*1064, x.tcp().Stats())
			}
		})
	}
}

// Of the two connections of a pair one has ended, and much is still to come on the
// other one.
func TestTCPEndsWhenAllHasCome(t *testing.T) {
	x := newTCP(t, socket.Options{})
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	assert.NilError(t, err)
	defer l.Close()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	x.Route(1, ip(at), at.Port(), false)
	send(x, 1, numbered(1, nil))
	made, err := l.Accept()
	assert.NilError(t, err)
	defer made.Close()
	if _, err := io.ReadFull(made, make([]byte, 128)); err != nil { // the hello, and the packet
		t.Fatal(err)
	}
	came := raw(t, x)
	write(t, came, greeting(netip.AddrPortFrom(at.Addr(), at.Port())), message(0, nil))
	p := x.next()
	assert.Assert(t, p.Session == 1 && number(p) == 0, "packet %d of session %d", number(p), p.Session)
	assert.NilError(t, made.(*net.TCPConn).CloseWrite())
	cut(t, made) // the session is ending
	const packets = 200
	for i := range packets { // all take longer than a session that ends waits for nothing
		write(t, came, message(1+i, make([]byte, 100)))
		time.Sleep(unhurried)
	}
	assert.NilError(t, came.CloseWrite())
	for i := range packets {
		if p := x.next(); p.Session != 1 || number(p) != 1+i {
			t.Fatalf("packet %d of session %d, not %d", number(p), p.Session, 1+i)
		}
	}
	session := x.end()
	assert.Check(t, session == 1, "session %d has ended", session)
}
