package socket_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

const header = 64

// inMemory has TCP ports of these tests share memory with each other.
var inMemory = flag.Bool("socket.memory", false, "over shared memory")

// limit is how long anything in a test may take.
const limit = 10 * time.Second

// framing is the rule of these tests: the first four bytes of a header are how
// many bytes follow it.
func framing(h *[header]byte) int { return int(int32(binary.LittleEndian.Uint32(h[:]))) }

// beat is a header that announces n bytes and carries a number.
func beat(n, number int) (h [header]byte) {
	binary.LittleEndian.PutUint32(h[:], uint32(n))
	binary.LittleEndian.PutUint64(h[8:], uint64(number))
	return h
}

func number(p *fabric.Packet) int { return int(binary.LittleEndian.Uint64(p.Header[8:])) }

// numbered is a packet that carries a number.
func numbered(number int, payload []byte) *fabric.Packet {
	return &fabric.Packet{Header: beat(len(payload), number), Payload: payload}
}

// port is a port whose notifications can be waited for.
type port struct {
	fabric.Port
	t    testing.TB
	wake chan struct{}
	at   netip.AddrPort
	logs *logs
}

func (p *port) Route(session uint32, ip uint32, number uint16, local bool) {
	p.Port.(fabric.Router).Route(session, ip, number, local)
}

func (p *port) tcp() *socket.TCPPort { return p.Port.(*socket.TCPPort) }
func (p *port) udp() *socket.UDPPort { return p.Port.(*socket.UDPPort) }

// logs collects what a port logs.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logs) contain(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

func wrap(t testing.TB, p fabric.Port, l *logs) *port {
	w := &port{Port: p, t: t, wake: make(chan struct{}, 1), logs: l}
	p.Notify(func() {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	})
	t.Cleanup(func() {
		assert.Check(t, p.Close())
	})
	return w
}

// idleTCP is a TCP port that does not listen yet.
func idleTCP(t testing.TB, o socket.Options) *port {
	t.Helper()
	l := &logs{}
	if o.Framing == nil {
		o.Framing = framing
	}
	if *inMemory {
		o.Memory = socket.WithMemory
	}
	if o.Log == nil {
		o.Log = l.add
	}
	p, err := socket.TCP(o)
	assert.NilError(t, err)
	return wrap(t, p, l)
}

func listen(p *port, number uint16) *port {
	p.t.Helper()
	assert.NilError(p.t, p.Listen(number))
	p.at = p.tcp().LocalAddr()
	return p
}

// newTCP is a TCP port that listens.
func newTCP(t testing.TB, o socket.Options) *port {
	t.Helper()
	return listen(idleTCP(t, o), 0)
}

// newUDP is a UDP port that is bound.
func newUDP(t testing.TB, o socket.Options) *port {
	t.Helper()
	l := &logs{}
	o.Log = l.add
	if !o.Local.IsValid() {
		o.Local = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	}
	p, err := socket.UDP(o)
	assert.NilError(t, err)
	w := wrap(t, p, l)
	w.at = p.LocalAddr()
	return w
}

func ip(a netip.AddrPort) uint32 {
	b := a.Addr().As4()
	return binary.BigEndian.Uint32(b[:])
}

// route tells all ports of all: the session of a port is its index.
func route(ports ...*port) {
	for i, p := range ports {
		for j, q := range ports {
			p.Route(uint32(j), ip(q.at), q.at.Port(), i == j)
		}
	}
}

// connect opens a session.
func connect(p, to *port) uint32 { return connectTo(p, to.at) }

func connectTo(p *port, at netip.AddrPort) uint32 {
	p.t.Helper()
	session, err := p.Connect(p.t.Context(), ip(at), at.Port())
	assert.NilError(p.t, err)
	return session
}

// send sends packets, and waits while the port is busy.
func send(p *port, session uint32, packets ...*fabric.Packet) {
	p.t.Helper()
	for _, packet := range packets {
		for {
			err := p.Send(session, packet)
			if err == nil {
				break
			}
			assert.Assert(p.t, err == fabric.ErrBusy, "sending packet %d: %v", number(packet), err)
			p.await("room")
		}
	}
}

// await waits for a notification.
func (p *port) await(what string) {
	p.t.Helper()
	select {
	case <-p.wake:
	case <-time.After(limit):
		p.t.Fatalf("waiting for %s: nothing within %v\n%v", what, limit, p.Port)
	}
}

// next is a copy of the next packet, which is released: until then it takes room.
func (p *port) next() *fabric.Packet {
	p.t.Helper()
	for {
		if packet := p.Receive(); packet != nil {
			defer packet.Release()
			return &fabric.Packet{Session: packet.Session, Header: packet.Header, Payload: bytes.Clone(packet.Payload)}
		}
		p.await("a packet")
	}
}

// end waits until a session is reported as closed.
func (p *port) end() uint32 {
	p.t.Helper()
	for {
		if session, ok := p.Closed(); ok {
			return session
		}
		p.await("the end of a session")
	}
}

// quiet checks that nothing can be received for a moment.
func (p *port) quiet() {
	p.t.Helper()
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if packet := p.Receive(); packet != nil {
			p.t.Fatalf("packet %d of session %d came", number(packet), packet.Session)
		}
	}
}

// eventually waits until something is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(time.Millisecond) {
		assert.Assert(t, time.Now().Before(end), "%s: not within %v", what, limit)
	}
}

// leaks checks at the end of the test that no goroutine is left.
func leaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(limit); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				text := make([]byte, 1<<20)
				t.Errorf("%d goroutines are left of %d:\n%s", runtime.NumGoroutine(), before, text[:runtime.Stack(text, true)])
				return
			}
		}
	})
}

// halves are a port for one goroutine that sends and one that receives.
func halves(p *port) (sender, receiver *port) {
	a, b := *p, *p
	a.wake, b.wake = make(chan struct{}, 1), make(chan struct{}, 1)
	p.Notify(func() {
		for _, ch := range []chan struct{}{a.wake, b.wake} {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
	})
	return &a, &b
}
