package socket_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

const datagram = 4032

func TestUDPPacketsArrive(t *testing.T) {
	for ranks := 2; ranks <= 4; ranks++ {
		t.Run(fmt.Sprintf("%d ports", ranks), func(t *testing.T) {
			leaks(t)
			var ports []*port
			for range ranks {
				ports = append(ports, newUDP(t, socket.Options{}))
			}
			route(ports...)
			exchange(t, ports, 40, datagram)
			for i, p := range ports {
				assert.Check(t, p.Lossy() && p.MaxPayload() == datagram,
					"port %d: lossy %v, at most %d bytes", i, p.Lossy(), p.MaxPayload())
				if s := p.udp().Stats(); s.Dropped() != 0 || s.Failed != 0 || s.Sent != uint64(40*(ranks-1)) || s.ReadBuffer == 0 {
					t.Errorf("port %d: %v", i, p.udp())
				}
			}
		})
	}
}

func TestUDPLargePayloadsAreRefused(t *testing.T) {
	x, y := newUDP(t, socket.Options{}), newUDP(t, socket.Options{})
	route(x, y)
	var sent counted
	err := x.Send(1, sent.packet(0, datagram+1))
	assert.Check(t, errors.Is(err, socket.ErrPayload) && strings.Contains(err.Error(), "4032"), "%v", err)
	assert.Check(t, sent.n.Load() == 0, "the packet was given back, but it is the caller's")
	payload := content(1, 1, 1)
	for i := 0; len(payload) < datagram; i++ {
		payload = append(payload, content(1, i, datagram)...)
	}
	payload = payload[:datagram]
	send(x, 1, numbered(1, payload))
	p := y.next()
	assert.Check(t, bytes.Equal(p.Payload, payload), "%d bytes of %d, or others", len(p.Payload), len(payload))
}

// What nobody can receive is counted and changes nothing.
func TestUDPStrayDatagrams(t *testing.T) {
	x, y := newUDP(t, socket.Options{}), newUDP(t, socket.Options{})
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	assert.NilError(t, err)
	defer conn.Close()
	route(x, y)
	x.Receive()
	throw := func(n int) {
		t.Helper()
		_, err := conn.WriteToUDPAddrPort(make([]byte, n), x.at)
		assert.NilError(t, err)
	}
	throw(64)
	throw(4096)
	throw(0)
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	eventually(t, "strangers", func() bool { return x.udp().Stats().Strangers == 3 })
	x.Route(5, ip(at), at.Port(), false)
	for _, n := range []int{0, 1, 63, 4097, 9000} {
		throw(n)
	}
	eventually(t, "drops", func() bool { s := x.udp().Stats(); return s.Short == 3 && s.TooLarge == 2 })
	if p := x.Receive(); p != nil {
		t.Errorf("a packet of session %d", p.Session)
	}
	throw(64)
	p := x.next()
	assert.Check(t, p.Session == 5 && len(p.Payload) == 0, "%d bytes of session %d", len(p.Payload), p.Session)
	send(y, 0, numbered(3, []byte("all is well")))
	p = x.next()
	assert.Check(t, p.Session == 1 && string(p.Payload) == "all is well", "session %d: %q", p.Session, p.Payload)
}

// large is the payload of a large packet.
func large(number int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%16d", number)), datagram/16) }

// Whoever receives too slowly loses packets, which are counted, and what arrives
// is right.
func TestUDPOverflow(t *testing.T) {
	const packets = 9000
	for name, window := range map[string]int{"of the window": 100 << 10, "of the system": 64 << 20} {
		t.Run(name, func(t *testing.T) {
			x, y := newUDP(t, socket.Options{Unpaced: true}), newUDP(t, socket.Options{WindowBytes: window})
			x.Route(1, ip(y.at), y.at.Port(), false)
			if name == "of the window" {
				route(x, y)
				y.Receive() // otherwise it does not read yet
			}
			for i := range packets {
				send(x, 1, numbered(i, large(i)))
				if name == "of the window" && i%20 == 0 {
					time.Sleep(100 * time.Microsecond)
				}
			}
			route(x, y)
			last, received := -1, 0
			take := func(p *fabric.Packet) {
				n := number(p)
				assert.Assert(t, n > last && bytes.Equal(p.Payload, large(n)),
					"packet %d after %d, or another payload", n, last)
				last = n
				received++
				p.Release()
			}
			arrived := func() bool {
				for p := y.Receive(); p != nil; p = y.Receive() {
					take(p)
				}
				return received+int(y.udp().Stats().Dropped()) >= packets
			}
			if name == "of the window" {
				eventually(t, "all packets", func() bool { s := y.udp().Stats(); return int(s.Received+s.Dropped()) == packets })
			}
			eventually(t, "all packets", arrived)
			s := y.udp().Stats()
			assert.Check(t, received+int(s.Dropped()) == packets && received != 0 && s.Dropped() == s.Overflow+s.System,
				"%d received: %v", received, s)
			if name == "of the window" && s.Overflow == 0 || name == "of the system" && s.System == 0 {
				t.Errorf("nothing was lost: %v", s)
			}
			send(x, 1, numbered(packets, nil))
			p := y.next()
			assert.Check(t, number(p) == packets, "packet %d", number(p))
		})
	}
}

func TestUDPHold(t *testing.T) {
	x, y, z := newUDP(t, socket.Options{}), newUDP(t, socket.Options{}), newUDP(t, socket.Options{})
	route(x, y, z)
	x.Receive()
	x.Hold(1, true)
	for i := range 20 {
		send(y, 0, numbered(i, nil))
		send(z, 0, numbered(i, nil))
		p := x.next()
		assert.Assert(t, p.Session == 2 && number(p) == i, "packet %d of session %d", number(p), p.Session)
	}
	x.quiet()
	x.Hold(1, false)
	for i := range 20 {
		p := x.next()
		assert.Assert(t, p.Session == 1 && number(p) == i, "packet %d of session %d", number(p), p.Session)
	}
}

// Packets to nobody vanish, and nobody learns of it.
func TestUDPNobodyIsThere(t *testing.T) {
	x := newUDP(t, socket.Options{})
	var sent counted
	send(x, 3, sent.packet(0, 10)) // no such session
	nobody := ranktest.Free(t)
	session, err := x.Connect(t.Context(), ip(nobody), nobody.Port())
	assert.Assert(t, err == nil && session == 0x8000, "session %#x, %v", session, err)
	for i := range 50 { // each is answered by ICMP
		send(x, session, sent.packet(i, 10))
	}
	sent.is(t, 51)
	y := newUDP(t, socket.Options{Local: nobody})
	y.Route(0, ip(x.at), x.at.Port(), false)
	send(x, session, numbered(7, nil))
	p := y.next()
	assert.Check(t, number(p) == 7, "packet %d", number(p))
	_, ended := x.Closed()
	assert.Check(t, !ended, "a session has ended")
	unbound, err := socket.UDP(socket.Options{})
	assert.NilError(t, err)
	defer unbound.Close()
	unbound.Route(1, ip(x.at), x.at.Port(), false)
	assert.Check(t, unbound.Send(1, sent.packet(0, 1)), "before it is bound")
	sent.is(t, 52)
}

// A rank may send before the other one has been told of it.
func TestUDPWaitsUntilItKnowsItsPeers(t *testing.T) {
	x, y := newUDP(t, socket.Options{}), newUDP(t, socket.Options{})
	x.Route(1, ip(y.at), y.at.Port(), false)
	for i := range 30 {
		send(x, 1, numbered(i, make([]byte, 1000)))
	}
	time.Sleep(20 * time.Millisecond)
	route(x, y)
	for got := 0; got < 30; { // also if nobody asks before there is a notification
		y.await("packets")
		for p := y.Receive(); p != nil; p = y.Receive() {
			assert.Assert(t, number(p) == got && p.Session == 0,
				"packet %d of session %d, not %d", number(p), p.Session, got)
			got++
		}
	}
}

func TestUDPPlaces(t *testing.T) {
	leaks(t)
	x := newUDP(t, socket.Options{})
	_, err := socket.UDP(socket.Options{Local: x.at})
	assert.Check(t, errors.Is(err, fabric.ErrAddressInUse) && strings.Contains(err.Error(), x.at.String()),
		"where another one is: %v", err)
	y := newUDP(t, socket.Options{})
	err = y.Listen(x.at.Port())
	assert.Check(t, errors.Is(err, fabric.ErrAddressInUse), "where another one is: %v", err)
	assert.Check(t, y.Listen(y.at.Port()), "where it")
	x.Route(1, ip(y.at), y.at.Port(), false)
	// Communicators say that it is elsewhere.
	elsewhere := ranktest.Free(t)
	y.Route(0, ip(elsewhere), elsewhere.Port(), true)
	at := y.udp().LocalAddr()
	assert.Check(t, at == elsewhere, "it is at %v, not %v", at, elsewhere)
	y.Route(0, ip(x.at), x.at.Port(), false)
	x.Route(1, ip(elsewhere), elsewhere.Port(), false)
	send(x, 1, numbered(1, nil))
	p := y.next()
	assert.Check(t, number(p) == 1, "packet %d", number(p))
	send(y, 0, numbered(2, nil))
	p = x.next()
	assert.Check(t, number(p) == 2 && p.Session == 1, "packet %d of session %d", number(p), p.Session)
	// Where it cannot be yet.
	z := newUDP(t, socket.Options{})
	z.Route(0, ip(x.at), x.at.Port(), true)
	assert.Check(t, z.logs.contain("address in use") && z.udp().LocalAddr() == z.at,
		"it is at %v, logged %q", z.udp().LocalAddr(), z.logs.lines)
	assert.Check(t, x.Close())
	eventually(t, "its place", func() bool { return z.udp().LocalAddr() == x.at })
}

func TestUDPClose(t *testing.T) {
	leaks(t)
	before := descriptors(t)
	x, y := newUDP(t, socket.Options{}), newUDP(t, socket.Options{})
	route(x, y)
	for i := range 10 {
		send(x, 1, numbered(i, nil))
	}
	y.next()
	for range 2 {
		assert.Check(t, errors.Join(x.Close(), y.Close()))
	}
	assert.Check(t, y.Receive() == nil, "receiving when closed")
	err := x.Send(1, numbered(1, nil))
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "sending when closed: %v", err)
	err = x.Listen(0)
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "binding when closed: %v", err)
	_, err = x.Connect(t.Context(), 1, 1)
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "connecting when closed: %v", err)
	x.Route(0, ip(x.at), x.at.Port(), true)
	x.Hold(1, true)
	now := descriptors(t)
	assert.Check(t, now <= before, "%d descriptors are open, %d before", now, before)
}

func TestOptions(t *testing.T) {
	six := netip.MustParseAddr("::1")
	for name, c := range map[string]struct {
		o    socket.Options
		text string
	}{
		"no framing":         {socket.Options{}, "Framing"},
		"IPv6":               {socket.Options{Framing: framing, Listen: six}, "IPv4 address expected"},
		"IPv6 of the engine": {socket.Options{Framing: framing, Local: netip.AddrPortFrom(six, 1)}, "IPv4 address expected"},
		"less than nothing":  {socket.Options{Framing: framing, WindowBytes: -1}, "WindowBytes is -1"},
	} {
		_, err := socket.TCP(c.o)
		assert.Check(t, err != nil && strings.Contains(err.Error(), c.text), "TCP, %s: %v", name, err)
		if _, err := socket.UDP(c.o); c.o.Framing != nil && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("UDP, %s: %v", name, err)
		}
	}
}
