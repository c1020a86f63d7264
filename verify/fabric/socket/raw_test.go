package socket_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// raw is a peer that is not this package.
func raw(t testing.TB, to *port) *net.TCPConn {
	t.Helper()
	return rawFrom(t, netip.Addr{}, to)
}

func rawFrom(t testing.TB, ip netip.Addr, to *port) *net.TCPConn {
	t.Helper()
	d := net.Dialer{}
	if ip.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, 0))
	}
	conn, err := d.Dial("tcp4", to.at.String())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	assert.NilError(t, conn.SetDeadline(time.Now().Add(limit)))
	return conn.(*net.TCPConn)
}

func write(t testing.TB, conn net.Conn, parts ...[]byte) {
	t.Helper()
	for _, b := range parts {
		_, err := conn.Write(b)
		assert.NilError(t, err)
	}
}

// message is a packet as bytes.
func message(number int, payload []byte) []byte {
	h := beat(len(payload), number)
	return append(h[:], payload...)
}

// greeting is a hello, by its documentation.
func greeting(at netip.AddrPort) []byte {
	b := make([]byte, 64)
	binary.LittleEndian.PutUint32(b[40:], ip(at))
	binary.LittleEndian.PutUint16(b[44:], at.Port())
	b[48] = 1
	copy(b[56:], "cclhello")
	return b
}

// cut waits until the other side has ended a connection, and returns what came.
func cut(t testing.TB, conn net.Conn) []byte {
	t.Helper()
	b, err := io.ReadAll(conn)
	assert.Assert(t, !errors.Is(err, os.ErrDeadlineExceeded), "the connection was not ended")
	return b
}

// backlogged is an address that takes no more connections.
func backlogged(t testing.TB) netip.AddrPort {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	assert.NilError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
		syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	assert.NilError(t, err)
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*syscall.SockaddrInet4).Port))
	for range 10 {
		conn, err := net.DialTimeout("tcp4", at.String(), 100*time.Millisecond)
		if err != nil {
			return at
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Skip("this system takes any number of connections")
	return at
}

func local(last byte) netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, last}) }

// A card says no hello. It is known by its IP address.
func TestTCPForeignPeerIsKnownByItsAddress(t *testing.T) {
	x := newTCP(t, socket.Options{})
	card := netip.AddrPortFrom(local(9), 5000)
	x.Route(0, ip(x.at), x.at.Port(), true)
	x.Route(1, ip(netip.AddrPortFrom(local(8), 5000)), 5000, false)
	x.Route(2, ip(card), 5000, false)
	conn := rawFrom(t, card.Addr(), x)
	write(t, conn, message(7, []byte("first")), message(8, nil))
	for i, want := range []string{"first", ""} {
		p := x.next()
		assert.Check(t, p.Session == 2 && string(p.Payload) == want && number(p) == 7+i,
			"packet %d of session %d: %q", number(p), p.Session, p.Payload)
	}
	// The answer goes back on the same connection, without a hello.
	send(x, 2, numbered(9, []byte("answer")))
	got := make([]byte, 64+6)
	_, err := io.ReadFull(conn, got)
	assert.Check(t, err == nil && string(got) == string(message(9, []byte("answer"))), "%v: %q", err, got)
	_ = conn.Close()
	session := x.end()
	assert.Check(t, session == 2, "session %d has ended", session)
	assert.Check(t, is.ErrorIs(x.Send(2, numbered(1, nil)), fabric.ErrClosed), "sending after the end")
	// It comes again.
	conn = rawFrom(t, card.Addr(), x)
	write(t, conn, message(1, []byte("again")))
	p := x.next()
	assert.Check(t, p.Session == 2 && string(p.Payload) == "again", "session %d: %q", p.Session, p.Payload)
	assert.Check(t, x.Send(2, numbered(1, nil)), "sending to who came again")
}

// Where its address is that of several ranks, or of none, it gets a session.
func TestTCPForeignPeerWithoutAName(t *testing.T) {
	x := newTCP(t, socket.Options{})
	for i := range 2 {
		x.Route(uint32(i), ip(netip.AddrPortFrom(local(9), 0)), uint16(5000+i), false)
	}
	for i, from := range []byte{9, 7} {
		write(t, rawFrom(t, local(from), x), message(i, nil))
		if p := x.next(); p.Session != 0x8000+uint32(i) || number(p) != i {
			t.Errorf("packet %d of session %#x", number(p), p.Session)
		}
	}
}

// A peer that is told apart by its hello is not mistaken for a card that comes
// from the same address.
func TestTCPForeignPeerDoesNotTakeASession(t *testing.T) {
	x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	x.Route(1, ip(y.at), y.at.Port(), false)
	session := connect(y, x)
	send(y, session, numbered(1, nil))
	p := x.next()
	assert.Check(t, p.Session == 1, "session %d", p.Session)
	write(t, raw(t, x), message(2, nil))
	assert.Check(t, x.next().Session != 1, "the foreign peer has the session of the other one")
	send(y, session, numbered(3, nil))
	p = x.next()
	assert.Check(t, p.Session == 1 && number(p) == 3, "packet %d of session %d", number(p), p.Session)
}

func TestTCPHello(t *testing.T) {
	x := newTCP(t, socket.Options{})
	x.Route(4, ip(netip.AddrPortFrom(local(5), 0)), 5001, false)
	x.Route(6, ip(netip.AddrPortFrom(local(6), 0)), 5001, false)
	for name, c := range map[string]struct {
		from    byte
		says    netip.AddrPort
		session uint32
	}{
		"by its address":                       {5, netip.AddrPortFrom(local(5), 5001), 4},
		"of another address":                   {5, netip.AddrPortFrom(local(6), 5001), 6},
		"by the address that it comes from":    {6, netip.AddrPortFrom(netip.IPv4Unspecified(), 5001), 6},
		"that does not listen, by its address": {5, netip.AddrPortFrom(netip.IPv4Unspecified(), 0), 4},
		"of nobody":                            {5, netip.AddrPortFrom(local(5), 5002), 0x8000},
	} {
		t.Run(name, func(t *testing.T) {
			conn := rawFrom(t, local(c.from), x)
			hello := greeting(c.says)
			write(t, conn, hello[:10], hello[10:], message(1, []byte("x")))
			p := x.next()
			assert.Check(t, p.Session == c.session, "session %#x, not %#x", p.Session, c.session)
			_ = conn.Close()
			x.end()
		})
	}
	// What this side says is read by a raw peer.
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	assert.NilError(t, err)
	defer l.Close()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	for _, told := range []netip.AddrPort{{}, netip.AddrPortFrom(local(77), 1234), netip.AddrPortFrom(local(78), 65535)} {
		want := told
		if told.IsValid() {
			x.Route(0, ip(told), told.Port(), true)
		} else {
			want = x.at // its listener
		}
		connectTo(x, at)
		conn, err := l.Accept()
		assert.NilError(t, err)
		got := make([]byte, 64)
		_, err = io.ReadFull(conn, got)
		assert.Check(t, err == nil && string(got) == string(greeting(want)), "%v: % x, not % x", err, got, greeting(want))
		_ = conn.Close()
		x.end()
	}
}

// What makes no sense is not let in, and nobody else suffers.
func TestTCPMaliciousPeers(t *testing.T) {
	leaks(t)
	x, y := newTCP(t, socket.Options{MaxMessage: 1 << 20, FirstBeat: 100 * time.Millisecond}), newTCP(t, socket.Options{})
	route(x, y)
	session := uint32(0)
	send(y, session, numbered(1, nil))
	x.next()
	oldHello := greeting(y.at)
	oldHello[48] = 9
	dirty := greeting(y.at)
	dirty[0] = 1
	large := beat(1<<20+1, 0)
	negative := beat(-1, 0)
	for name, says := range map[string][]byte{
		"nothing":                     {},
		"half a beat":                 make([]byte, 32),
		"a web request":               []byte("GET /index.html HTTP/1.1\r\nHost: localhost\r\nUser-Agent: somebody\r\n\r\n"),
		"the hello of another time":   oldHello,
		"a hello with something else": dirty,
		"a message that is too large": large[:],
		"less than nothing":           negative[:],
	} {
		t.Run(name, func(t *testing.T) {
			conn := raw(t, x)
			write(t, conn, says)
			got := cut(t, conn)
			assert.Check(t, len(got) == 0, "it answers %q", got)
		})
	}
	for name, says := range map[string][]byte{
		"a header that is cut off":  make([]byte, 30),
		"a payload that is cut off": message(1, make([]byte, 100))[:100],
	} {
		t.Run(name, func(t *testing.T) {
			before := x.tcp().Stats().Broken
			conn := raw(t, x)
			write(t, conn, message(5, nil), says)
			p := x.next()
			assert.Check(t, number(p) == 5, "packet %d", number(p))
			_ = conn.Close()
			x.end()
			if p := x.Receive(); p != nil {
				t.Errorf("packet %d", number(p))
			}
			now := x.tcp().Stats().Broken
			assert.Check(t, now == before+1, "%d sessions have broken, %d before", now, before)
		})
	}
	for _, text := range []string{"neither hello nor header", "version 9", "announces 1048577 bytes", "said nothing",
		"middle of a packet"} {
		eventually(t, "a line about "+text, func() bool { return x.logs.contain(text) })
	}
	send(y, session, numbered(2, nil))
	p := x.next()
	assert.Check(t, number(p) == 2 && p.Session == 1, "packet %d of session %d", number(p), p.Session)
}

// A header announces much, and little comes: the room is taken for what comes.
func TestTCPLargeMessages(t *testing.T) {
	x := newTCP(t, socket.Options{MaxMessage: 8 << 20})
	conn := raw(t, x)
	var payload []byte
	for i := 0; len(payload) < 5<<20; i++ {
		payload = append(payload, content(1, i, 100<<10)...)
	}
	done := make(chan error, 1)
	go func() {
		_, err := conn.Write(message(1, payload))
		done <- err
	}()
	p := x.next()
	assert.Check(t, string(p.Payload) == string(payload), "%d bytes of %d, or others", len(p.Payload), len(payload))
	assert.Check(t, <-done)
}

// A peer that says nothing may do so if it is clear who it is.
func TestTCPSilentPeerWithAName(t *testing.T) {
	x := newTCP(t, socket.Options{FirstBeat: 50 * time.Millisecond})
	card := local(9)
	x.Route(2, ip(netip.AddrPortFrom(card, 0)), 5000, false)
	conn := rawFrom(t, card, x)
	eventually(t, "the session", func() bool { return x.tcp().Stats().Open == 1 })
	send(x, 2, numbered(1, nil))
	got := make([]byte, 64)
	_, err := io.ReadFull(conn, got)
	assert.NilError(t, err)
	write(t, conn, message(3, []byte("late")))
	p := x.next()
	assert.Check(t, p.Session == 2 && string(p.Payload) == "late", "session %d: %q", p.Session, p.Payload)
}

func TestTCPConnectionsAreBounded(t *testing.T) {
	leaks(t)
	x := newTCP(t, socket.Options{Connections: 3})
	var conns []net.Conn
	for i := range 3 {
		conn := raw(t, x)
		write(t, conn, message(i, nil))
		x.next()
		conns = append(conns, conn)
	}
	for range 3 {
		cut(t, raw(t, x))
	}
	s := x.tcp().Stats()
	assert.Check(t, s.Accepted == 3 && s.Refused == 3, "%v", s)
	eventually(t, "a line about that", func() bool { return x.logs.contain("3 are open") })
	_ = conns[1].Close()
	x.end()
	write(t, raw(t, x), message(9, nil))
	p := x.next()
	assert.Check(t, number(p) == 9, "packet %d", number(p))
}

// Peers that come and go leave nothing behind, whether somebody receives or not.
func TestTCPStrangersAreForgotten(t *testing.T) {
	x := newTCP(t, socket.Options{Connections: 4})
	x.Receive()
	for i := range 30 {
		conn := raw(t, x)
		write(t, conn, message(1, nil), message(2, nil))
		x.next() // the other one stays
		eventually(t, "packets", func() bool { return x.tcp().Stats().Received == uint64(2*i+2) })
		_ = conn.Close()
		eventually(t, "the end", func() bool { return x.tcp().Stats().Open == 0 })
	}
	for range 30 {
		conn := raw(t, x)
		write(t, conn, greeting(netip.AddrPortFrom(local(3), 99)))
		eventually(t, "the session", func() bool { return x.tcp().Stats().Open == 1 })
		_ = conn.Close()
		eventually(t, "the end", func() bool { return x.tcp().Stats().Open == 0 })
	}
	n := x.tcp().Stats().Sessions
	assert.Check(t, n <= 30, "%d sessions are left", n)
	for p := x.Receive(); p != nil; p = x.Receive() {
		p.Release()
	}
	for _, more := x.Closed(); more; _, more = x.Closed() {
	}
	n = x.tcp().Stats().Sessions
	assert.Check(t, n == 0, "%d sessions are left", n)
}

// Who looks whether a port is free takes nobody's connection.
func TestUnusedDoesNotListen(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.77:0") // where nobody else is
	assert.NilError(t, err)
	at := l.Addr().(*net.TCPAddr).AddrPort()
	assert.ErrorIs(t, socket.Unused(at), fabric.ErrAddressInUse)
	assert.NilError(t, l.Close())
	looked := make(chan error, 1)
	go func() {
		for range 2000 {
			if err := socket.Unused(at); err != nil {
				looked <- err
				return
			}
		}
		looked <- nil
	}()
	for came := 0; ; came++ {
		select {
		case err := <-looked:
			assert.NilError(t, err)
			return
		default:
		}
		if conn, err := net.Dial("tcp4", at.String()); err == nil {
			conn.Close()
			t.Fatalf("a connection was made, after %d tries", came)
		}
	}
}
