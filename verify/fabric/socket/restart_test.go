package socket_test

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// descriptors is how many files this process has open.
func descriptors(t testing.TB) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not tell about open files")
	}
	return len(files)
}

// again is a port at the address of another one, that of a rank that was started
// again.
func again(t testing.TB, at netip.AddrPort) *port {
	t.Helper()
	return listen(idleTCP(t, socket.Options{}), at.Port())
}

func TestTCPRestartedRank(t *testing.T) {
	for name, revive := range map[string]func(x, y *port){
		"this side connects":             func(x, y *port) { connect(x, y) },
		"the communicator is told again": func(x, y *port) { x.Route(1, ip(y.at), y.at.Port(), false) },
		"the other side connects":        func(x, y *port) { send(y, connect(y, x), numbered(50, nil)); x.next() },
		"both sides connect":             func(x, y *port) { connect(y, x); connect(x, y) },
		"both, and this side sends earlier": func(x,
			y *port) {
			connect(x, y)
			send(x, 1, numbered(51, nil))
			y.next()
			connect(y, x)
		},
	} {
		t.Run(name, func(t *testing.T) {
			leaks(t)
			x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
			route(x, y)
			connect(x, y)
			connect(y, x)
			send(y, 0, numbered(1, nil), numbered(2, nil))
			for i := 1; i <= 2; i++ {
				if p := x.next(); number(p) != i {
					t.Errorf("packet %d", number(p))
				}
			}
			assert.NilError(t, y.Close())
			session := x.end()
			assert.Check(t, session == 1, "session %d has ended", session)
			assert.Check(t, is.ErrorIs(x.Send(1, numbered(1, nil)), fabric.ErrClosed), "sending to who is gone")
			y = again(t, y.at)
			y.Route(0, ip(x.at), x.at.Port(), false)
			y.Route(1, ip(y.at), y.at.Port(), true)
			revive(x, y)
			for i := range 20 {
				send(x, 1, numbered(100+i, make([]byte, 2000)))
				send(y, 0, numbered(200+i, make([]byte, 2000)))
			}
			for i := range 20 {
				p := x.next()
				assert.Assert(t, p.Session == 1 && number(p) == 200+i, "packet %d of session %d", number(p), p.Session)
				p = y.next()
				assert.Assert(t, p.Session == 0 && number(p) == 100+i, "packet %d of session %d", number(p), p.Session)
			}
			_, ended := x.Closed()
			assert.Check(t, !ended, "the new session has ended")
		})
	}
}

// Who comes again while its old connection still seems to be there replaces it.
// What had come before is received before.
func TestTCPPeerThatComesAgain(t *testing.T) {
	x := newTCP(t, socket.Options{WindowBytes: 1000})
	name := netip.AddrPortFrom(local(3), 5000)
	x.Route(4, ip(name), 5000, false)
	old := raw(t, x)
	// the last one is not read ahead
	write(t, old, greeting(name), message(1, nil), message(2, make([]byte, 2000)), message(3, nil))
	eventually(t, "packets", func() bool { return x.tcp().Stats().Received == 2 })
	start := time.Now()
	conn := raw(t, x)
	write(t, conn, greeting(name), message(11, nil))
	eventually(t, "the packet on the new connection", func() bool { return x.tcp().Stats().Received == 3 })
	cut(t, old)
	d := time.Since(start)
	assert.Check(t, d <= limit, "replacing has taken %v", d)
	for _, want := range []int{1, 2, 11} {
		if p := x.next(); number(p) != want || p.Session != 4 {
			t.Errorf("packet %d of session %d, not %d", number(p), p.Session, want)
		}
	}
	session := x.end()
	assert.Check(t, session == 4, "session %d has ended", session)
	send(x, 4, numbered(12, nil))
	got := make([]byte, 64)
	n, err := conn.Read(got)
	assert.Check(t, err == nil && string(got[:n]) == string(message(12, nil)), "%v: % x", err, got)
}

// A peer that ends its direction still gets what was on its way.
func TestTCPHalfClosed(t *testing.T) {
	x := newTCP(t, socket.Options{WindowBytes: 8 << 20})
	conn := raw(t, x)
	write(t, conn, message(1, nil))
	session := x.next().Session
	const packets = 7000
	for i := range packets {
		send(x, session, numbered(i, make([]byte, 1000)))
	}
	assert.NilError(t, conn.CloseWrite())
	if got := len(cut(t, conn)); got != packets*1064 {
		t.Errorf("%d bytes came, not %d", got, packets*1064)
	}
	got := x.end()
	assert.Check(t, got == session, "session %d has ended", got)
	s := x.tcp().Stats()
	assert.Check(t, s.Lost == 0 && s.Broken == 0, "%v", s)
}

// A reset on one connection of a pair ends the session on both sides.
func TestTCPBrokenConnection(t *testing.T) {
	x := newTCP(t, socket.Options{})
	conn := raw(t, x)
	write(t, conn, message(1, nil))
	session := x.next().Session
	_ = conn.SetLinger(0)
	_ = conn.Close()
	got := x.end()
	assert.Check(t, got == session, "session %d has ended", got)
	s := x.tcp().Stats()
	assert.Check(t, s.Broken == 1, "%v", s)
	eventually(t, "a line about that", func() bool { return x.logs.contain("reset") })
}

// Names of a communicator that stand for other addresses.
func TestTranslate(t *testing.T) {
	const first = 40000 // names of ranks, nobody listens there
	for name, open := range map[string]func(testing.TB, socket.Options) *port{"TCP": newTCP, "UDP": newUDP} {
		t.Run(name, func(t *testing.T) {
			var ports []*port
			real := func(a netip.AddrPort) netip.AddrPort {
				if i := int(a.Port()) - first; a.Addr() == local(1) && i >= 0 && i < len(ports) {
					return ports[i].at
				}
				return a
			}
			for range 3 {
				ports = append(ports, open(t, socket.Options{Translate: real}))
			}
			for i, p := range ports {
				assert.Check(t, p.Listen(uint16(first+i)), "listening as rank %d", i)
				for j := range ports {
					p.Route(uint32(j), ip(p.at), uint16(first+j), i == j)
				}
				at := p.Port.(interface{ LocalAddr() netip.AddrPort }).LocalAddr()
				assert.Check(t, at == p.at, "rank %d is at %v", i, at)
			}
			exchange(t, ports, 20, datagram)
			if session := connect(ports[0], ports[2]); session != 2 { // by its real address
				t.Errorf("session %d", session)
			}
		})
	}
}
