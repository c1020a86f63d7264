package socket_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// content is the payload of a packet of a flow, of a size that the generator
// chooses: mostly small, sometimes empty, sometimes large.
func content(flow, number, largest int) []byte {
	r := rand.New(rand.NewPCG(uint64(flow), uint64(number)))
	n := 0
	switch r.IntN(8) {
	case 0:
	case 1:
		n = r.IntN(largest + 1)
	default:
		n = r.IntN(min(largest, 5000) + 1)
	}
	b := make([]byte, n, n+8)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:i+8], r.Uint64())
	}
	return b
}

// exchange lets every port send packets to every other, of sessions that are the
// indices of ports, and checks what arrives: each flow whole and in order.
func exchange(t *testing.T, ports []*port, packets, largest int) {
	t.Helper()
	flow := func(from, to int) int { return from*len(ports) + to }
	var wg sync.WaitGroup
	for i, p := range ports {
		wg.Go(func() { // sends as it receives, as an engine does
			sent, received := make([]int, len(ports)), make([]int, len(ports))
			next := make([]*fabric.Packet, len(ports))
			sent[i], received[i] = packets, packets
			deadline := time.After(3 * limit)
			for {
				progress, done := false, true
				for j := range ports {
					if sent[j] < packets {
						done = false
						if next[j] == nil {
							next[j] = numbered(sent[j], content(flow(i, j), sent[j], largest))
						}
						err := p.Send(uint32(j), next[j])
						if err == nil {
							sent[j]++
							progress, next[j] = true, nil
						} else if err != fabric.ErrBusy {
							t.Errorf("port %d to %d: %v", i, j, err)
							return
						}
					}
					done = done && received[j] == packets
				}
				if packet := p.Receive(); packet != nil {
					progress = true
					from := int(packet.Session)
					if from >= len(ports) || number(packet) != received[from] {
						t.Errorf("port %d: packet %d of session %d", i, number(packet), packet.Session)
						return
					}
					if want := content(flow(from, i), received[from], largest); !bytes.Equal(packet.Payload, want) {
						t.Errorf("port %d: packet %d of session %d has another payload", i, received[from], from)
						return
					}
					received[from]++
					packet.Release()
				}
				if done {
					return
				}
				if progress {
					continue
				}
				select {
				case <-p.wake:
				case <-deadline:
					t.Errorf("port %d has sent %v and received %v: %v", i, sent, received, p.Port)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestTCPPacketsArriveWholeAndInOrder(t *testing.T) {
	for _, connected := range []bool{false, true} {
		for ranks := 2; ranks <= 4; ranks++ {
			t.Run(fmt.Sprintf("%d ports, connected %v", ranks, connected), func(t *testing.T) {
				leaks(t)
				var ports []*port
				for range ranks {
					ports = append(ports, newTCP(t, socket.Options{WindowBytes: 20000}))
				}
				if connected { // before the engine says who is who
					for _, p := range ports {
						for _, q := range ports {
							if p != q {
								connect(p, q)
							}
						}
					}
				}
				route(ports...)
				exchange(t, ports, 120, 300<<10)
				for i, p := range ports {
					// A packet may have arrived before it is counted as sent.
					eventually(t, fmt.Sprintf("port %d sent as many packets as it received: %v", i, p.Port), func() bool {
						s := p.tcp().Stats()
						return s.Sent == s.Received
					})
					s := p.tcp().Stats()
					assert.Check(t, s.Lost == 0 && s.Broken == 0 && s.Open == ranks-1, "port %d: %v", i, s)
				}
			})
		}
	}
}

func TestTCPSessionNumbers(t *testing.T) {
	x, y, z := newTCP(t, socket.Options{}), newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	if a, b := connect(x, y), connect(x, z); a != 0x8000 || b != 0x8001 {
		t.Errorf("sessions %#x and %#x", a, b)
	}
	assert.Check(t, is.Equal(connect(x, y), uint32(0x8000)), "connected again, session")
	eventually(t, "a connection", func() bool { return y.tcp().Stats().Accepted > 0 })
	s := y.tcp().Stats()
	assert.Check(t, s.Accepted == 1, "%d connections", s.Accepted)
	// y has not been told anything, but knows the address of x by the hello.
	send(x, 0x8000, numbered(1, nil))
	p := y.next()
	assert.Check(t, p.Session == 0x8000, "from session %#x", p.Session)
	assert.Check(t, is.Equal(connect(y, x), uint32(0x8000)), "the other way: session")
	// A communicator names it.
	y.Route(7, ip(x.at), x.at.Port(), false)
	send(x, 0x8000, numbered(2, nil))
	p = y.next()
	assert.Check(t, p.Session == 7, "from session %d", p.Session)
	send(y, 7, numbered(3, nil))
	p = x.next()
	assert.Check(t, p.Session == 0x8000 && number(p) == 3, "packet %d from session %#x", number(p), p.Session)
}

// Communicators that have not been filled in say the same session for everybody,
// or none.
func TestTCPStaleSessionsOfCommunicators(t *testing.T) {
	for _, stale := range []uint32{0, 0xFFFFFFFF} {
		x, y, z := newTCP(t, socket.Options{}), newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
		x.Route(stale, ip(y.at), y.at.Port(), false)
		x.Route(stale, ip(z.at), z.at.Port(), false)
		a, b := connect(x, y), connect(x, z)
		assert.Check(t, a != b && a != 0xFFFFFFFF && b != 0xFFFFFFFF && a <= 0xFFFF && b <= 0xFFFF,
			"sessions %#x and %#x", a, b)
		send(x, a, numbered(1, nil))
		send(x, b, numbered(2, nil))
		if p := y.next(); number(p) != 1 {
			t.Errorf("packet %d", number(p))
		}
		if p := z.next(); number(p) != 2 {
			t.Errorf("packet %d", number(p))
		}
	}
}

func TestTCPConnectErrors(t *testing.T) {
	leaks(t)
	x := newTCP(t, socket.Options{Dial: 300 * time.Millisecond, Translate: func(a netip.AddrPort) netip.AddrPort {
		if a.Port() == 9 {
			return netip.AddrPort{}
		}
		return a
	}})
	nobody := ranktest.Free(t)
	full := backlogged(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		to   netip.AddrPort
		want error
	}{
		"nobody answers":       {t.Context(), full, fabric.ErrUnreachable},
		"the context ends":     {short, full, context.DeadlineExceeded},
		"the context has":      {gone, nobody, context.Canceled},
		"it is not an address": {t.Context(), netip.AddrPortFrom(nobody.Addr(), 9), fabric.ErrUnreachable},
	} {
		_, err := x.Connect(c.ctx, ip(c.to), c.to.Port())
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", name, err, c.want)
		} else if !strings.Contains(err.Error(), c.to.String()) {
			t.Errorf("%s: %q does not say where", name, err)
		}
	}
	s := x.tcp().Stats()
	assert.Check(t, s.Sessions == 0, "%d sessions are left", s.Sessions)
	if _, err := x.Connect(t.Context(), ip(nobody), nobody.Port()); err != nil { // it goes on with that until it is closed
		t.Error(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := x.Connect(context.Background(), ip(full), full.Port())
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	assert.Check(t, x.Close())
	assert.Check(t, is.ErrorIs(<-ended, fabric.ErrClosed), "connecting when the port was closed")
	_, err := x.Connect(t.Context(), ip(nobody), nobody.Port())
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "connecting after that: %v", err)
}

func TestTCPListenErrors(t *testing.T) {
	x := newTCP(t, socket.Options{})
	assert.Check(t, x.Listen(x.at.Port()), "listening again")
	y := idleTCP(t, socket.Options{})
	err := y.Listen(x.at.Port())
	assert.Check(t, errors.Is(err, fabric.ErrAddressInUse) && strings.Contains(err.Error(), x.at.String()),
		"listening where another one does: %v", err)
	assert.Check(t, y.Close())
	assert.Check(t, is.ErrorIs(y.Listen(0), fabric.ErrClosed), "listening when closed")
}

// A rank whose address somebody else has listens as soon as it is free.
func TestTCPRouteListensWhenTheAddressIsFree(t *testing.T) {
	x := newTCP(t, socket.Options{})
	y := idleTCP(t, socket.Options{})
	y.Route(0, ip(x.at), x.at.Port(), true)
	assert.Check(t, y.logs.contain("address in use") && y.logs.contain(x.at.String()), "logged %q", y.logs.lines)
	assert.NilError(t, x.Close())
	eventually(t, "listening", func() bool { return y.tcp().LocalAddr() == x.at })
}

// Sessions of which only the communicator tells are connected when they are used,
// also if the other side comes later.
func TestTCPSessionsConnectWhenTheyAreUsed(t *testing.T) {
	leaks(t)
	at := ranktest.Free(t)
	x := newTCP(t, socket.Options{WindowBytes: 1000})
	x.Route(5, ip(x.at), x.at.Port(), true)
	x.Route(1, ip(at), at.Port(), false)
	sent := 0
	for ; ; sent++ {
		err := x.Send(1, numbered(sent, make([]byte, 100)))
		if err == fabric.ErrBusy {
			break
		} else if err != nil || sent > 100 {
			t.Fatalf("packet %d: %v", sent, err)
		}
	}
	time.Sleep(50 * time.Millisecond) // it has tried several times
	y := idleTCP(t, socket.Options{})
	y.Route(3, ip(at), at.Port(), true) // listens
	y.Route(8, ip(x.at), x.at.Port(), false)
	for i := range sent {
		if packet := y.next(); number(packet) != i || packet.Session != 8 {
			t.Fatalf("packet %d of session %d, not %d", number(packet), packet.Session, i)
		}
	}
	send(x, 1, numbered(sent, nil))
	s := y.tcp().Stats()
	assert.Check(t, s.Accepted == 1, "%d connections", s.Accepted)
}

// Connect does not wait for who does not listen yet; what is sent does, also when the
// port has given up dialing in the meantime.
func TestTCPConnectBeforeListening(t *testing.T) {
	leaks(t)
	for name, patience := range map[string]time.Duration{"it still dials": time.Minute,
		"it has given up": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			at := ranktest.Free(t)
			x := newTCP(t, socket.Options{Patience: patience})
			session, err := x.Connect(t.Context(), ip(at), at.Port())
			assert.NilError(t, err)
			if patience < time.Second {
				eventually(t, "it gives up", func() bool { return !strings.Contains(stacks(), "dialLater") })
			}
			p := numbered(1, []byte("early"))
			err = x.Send(session, p)
			assert.Assert(t, err == fabric.ErrBusy, "sending to nobody: %v", err)
			if patience < time.Second {
				x.await("the end of another attempt")
				if err := x.Send(session, p); err != fabric.ErrBusy {
					t.Fatalf("sending to nobody again: %v", err)
				}
			}
			y := again(t, at)
			send(x, session, p)
			got := y.next()
			assert.Check(t, number(got) == 1 && string(got.Payload) == "early", "packet %d, %q", number(got), got.Payload)
			assert.NilError(t, y.Close())
			x.end()
			assert.Check(t, is.ErrorIs(x.Send(session, p), fabric.ErrClosed), "sending to who has gone")
		})
	}
}

// stacks are those of all goroutines.
func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}

// One side connects, and both send on that connection. Later the other side
// connects, too; nothing overtakes.
func TestTCPBothConnectionsOfAPair(t *testing.T) {
	x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	xy := connect(x, y)
	send(x, xy, numbered(0, nil))
	yx := y.next().Session
	const packets = 2000
	var wg sync.WaitGroup
	xs, xr := halves(x)
	ys, yr := halves(y)
	flow := func(from *port, session uint32, to *port) {
		wg.Go(func() {
			for i := range packets {
				send(from, session, numbered(i, content(1, i, 20000)))
			}
		})
		wg.Go(func() {
			for i := range packets {
				p := to.next()
				if number(p) != i || !bytes.Equal(p.Payload, content(1, i, 20000)) {
					t.Errorf("packet %d, not %d", number(p), i)
					return
				}
				p.Release()
			}
		})
	}
	flow(ys, yx, xr)
	time.Sleep(time.Millisecond)
	assert.Check(t, is.Equal(connect(y, x), yx))
	flow(xs, xy, yr)
	wg.Wait()
	if a, b := x.tcp().Stats().Accepted, y.tcp().Stats().Accepted; a != 1 || b != 1 {
		t.Errorf("%d and %d connections came", a, b)
	}
}
