package socket_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// settle sends packets of 1000 bytes until nothing moves any more, and returns how
// many.
func settle(p *port, session uint32) int {
	p.t.Helper()
	for n := 0; ; {
		switch err := p.Send(session, numbered(n, make([]byte, 1000))); {
		case err == nil && n < 100_000:
			n++
			continue
		case err != fabric.ErrBusy:
			p.t.Fatalf("after %d packets: %v", n, err)
		}
		select {
		case <-p.wake:
		case <-time.After(50 * time.Millisecond):
			return n
		}
	}
}

func TestTCPBackPressure(t *testing.T) {
	const window = 64 << 10
	x, y := newTCP(t, socket.Options{WindowBytes: window}), newTCP(t, socket.Options{WindowBytes: window})
	route(x, y)
	there, back := settle(x, 1), settle(y, 0)
	for _, p := range []*port{x, y} {
		n := int(p.tcp().Stats().Received)
		assert.Check(t, n*1064 <= window+1064, "%d packets have been read ahead", n)
	}
	for i := range max(there, back) {
		if i < there {
			if p := y.next(); number(p) != i {
				t.Fatalf("packet %d, not %d", number(p), i)
			}
		}
		if i < back {
			if p := x.next(); number(p) != i {
				t.Fatalf("packet %d, not %d", number(p), i)
			}
		}
	}
	x.quiet()
	for _, c := range []struct {
		p       *port
		session uint32
	}{{x, 1}, {y, 0}} {
		assert.Check(t, c.p.Send(c.session, numbered(0, nil)), "when all has been received")
	}
}

func TestTCPHold(t *testing.T) {
	x, y, z := newTCP(t, socket.Options{WindowBytes: 1000}), newTCP(t, socket.Options{WindowBytes: 1000}), newTCP(t,
		socket.Options{WindowBytes: 1000})
	route(x, y, z)
	x.Hold(77, true) // nobody
	x.Hold(1, true)
	sent := settle(y, 0)
	for i := range 100 { // others go on
		send(z, 0, numbered(i, make([]byte, 100)))
		p := x.next()
		assert.Assert(t, p.Session == 2 && number(p) == i, "packet %d of session %d", number(p), p.Session)
	}
	x.quiet()
	x.Route(9, ip(y.at), y.at.Port(), false) // another name
	x.Hold(9, false)
	for i := range sent {
		if p := x.next(); p.Session != 9 || number(p) != i {
			t.Fatalf("packet %d of session %d, not %d", number(p), p.Session, i)
		}
		if i == sent/2 {
			x.Hold(9, true)
			x.quiet()
			x.Hold(9, false)
		}
	}
}

// A peer that does not read makes its session busy, and nothing else.
func TestTCPSlowPeer(t *testing.T) {
	x, y := newTCP(t, socket.Options{WindowBytes: 32 << 10}), newTCP(t, socket.Options{})
	route(x, y)
	conn := rawFrom(t, local(9), x)
	write(t, conn, message(1, nil))
	session := x.next().Session
	sent := settle(x, session)
	send(x, 1, numbered(5, []byte("others")))
	p := y.next()
	assert.Check(t, string(p.Payload) == "others", "%q", p.Payload)
	go func() {
		for i := range sent { // slowly
			want := message(i, make([]byte, 1000))
			got := make([]byte, len(want))
			for k := range got {
				if i < 3 || k%100 == 0 {
					if _, err := io.ReadFull(conn, got[k:min(k+1, len(got))]); err != nil {
						t.Errorf("packet %d: %v", i, err)
						return
					}
					if i >= 3 {
						_, _ = io.ReadFull(conn, got[k+1:min(k+100, len(got))])
					}
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("packet %d is not what was sent", i)
				return
			}
		}
		_ = conn.Close()
	}()
	got := x.end()
	assert.Check(t, got == session, "session %d has ended", got)
}

// counted counts how often packets are given back.
type counted struct{ n atomic.Int64 }

func (c *counted) packet(number, size int) *fabric.Packet {
	p := numbered(number, make([]byte, size))
	p.Free = func() { c.n.Add(1) }
	return p
}

func (c *counted) is(t *testing.T, n int) {
	t.Helper()
	eventually(t, "packets given back", func() bool { return c.n.Load() >= int64(n) })
	assert.Check(t, c.n.Load() == int64(n), "%d packets given back, not %d", c.n.Load(), n)
}

// What was sent before Close arrives, and then the session ends.
func TestTCPCloseWritesWhatIsQueued(t *testing.T) {
	leaks(t)
	for _, size := range []int{0, 100, 40 << 10} {
		for _, used := range []bool{false, true} { // or it has to be connected first
			x, y := newTCP(t, socket.Options{WindowBytes: 4 << 20}), newTCP(t, socket.Options{WindowBytes: 4 << 20})
			route(x, y)
			if used {
				connect(x, y)
			}
			const packets = 60
			var sent counted
			for i := range packets {
				send(x, 1, sent.packet(i, size))
			}
			start := time.Now()
			assert.Check(t, x.Close())
			if d := time.Since(start); d > limit/2 {
				t.Errorf("closing has taken %v", d)
			}
			sent.is(t, packets)
			for i := range packets {
				if _, ended := y.Closed(); ended {
					t.Error("the session has ended before its last packet")
				}
				if p := y.next(); number(p) != i || len(p.Payload) != size {
					t.Fatalf("packet %d, not %d, of %d bytes", number(p), i, len(p.Payload))
				}
			}
			if session := y.end(); session != 0 {
				t.Errorf("session %d has ended", session)
			}
			if err := y.Send(0, numbered(1, nil)); !errors.Is(err, fabric.ErrClosed) {
				t.Errorf("sending to who is gone: %v", err)
			}
			if _, more := y.Closed(); more {
				t.Error("the end is reported twice")
			}
		}
	}
}

func TestTCPCloseDoesNotWaitForLong(t *testing.T) {
	leaks(t)
	nobody := ranktest.Free(t)
	before := descriptors(t)
	x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	x.Route(3, ip(nobody), nobody.Port(), false)
	route(x, y)
	var sent counted
	send(x, 3, sent.packet(0, 10)) // is never there
	n := 1
	for ; x.Send(1, sent.packet(n, 60_000)) == nil; n++ { // does not receive
	}
	conn := raw(t, x) // says nothing
	start := time.Now()
	for range 2 {
		assert.Check(t, x.Close())
	}
	d := time.Since(start)
	assert.Check(t, d <= limit, "closing has taken %v", d)
	sent.is(t, n)
	cut(t, conn)
	err := x.Send(1, numbered(0, nil))
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "sending when closed: %v", err)
	assert.Check(t, x.Receive() == nil, "receiving when closed")
	_, ended := x.Closed()
	assert.Check(t, !ended, "sessions end when the port is closed")
	x.Hold(1, true)
	x.Route(1, ip(y.at), y.at.Port(), false)
	_ = y.Close()
	_ = conn.Close()
	eventually(t, "closed descriptors", func() bool { return descriptors(t) <= before })
}

// Packets that nobody received are given back.
func TestTCPCloseGivesBackWhatHasCome(t *testing.T) {
	leaks(t)
	x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	route(x, y)
	for i := range 50 {
		send(x, 1, numbered(i, make([]byte, 1000)))
	}
	eventually(t, "packets", func() bool { // in memory they stay there
		return *inMemory && y.tcp().Poll() || y.tcp().Stats().Received == 50
	})
	assert.Check(t, y.Close())
	assert.Check(t, y.Receive() == nil, "a packet is left")
	session := x.end()
	assert.Check(t, session == 1, "session %d has ended", session)
}

func TestTCPNotifyTellsWhatIsThere(t *testing.T) {
	x, y := newTCP(t, socket.Options{}), newTCP(t, socket.Options{})
	route(x, y)
	send(x, 1, numbered(1, nil))
	eventually(t, "a packet", y.tcp().Poll)
	called := 0
	y.Notify(func() { called++ })
	assert.Check(t, called == 1, "called %d times", called)
	y.Notify(nil)
	assert.Check(t, y.Receive() != nil, "no packet")
}

// Payloads that do not fit their header are the caller's again.
func TestTCPSendErrors(t *testing.T) {
	x, y := newTCP(t, socket.Options{MaxMessage: 1000}), newTCP(t, socket.Options{})
	route(x, y)
	for _, p := range []*fabric.Packet{
		{Header: beat(5, 0), Payload: make([]byte, 4)},
		{Header: beat(0, 0), Payload: make([]byte, 4)},
		{Header: beat(1001, 0), Payload: make([]byte, 1001)},
	} {
		err := x.Send(1, p)
		assert.Check(t, errors.Is(err, socket.ErrPayload), "%d bytes: %v", len(p.Payload), err)
	}
	err := x.Send(9, numbered(1, nil))
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "to nobody: %v", err)
	send(x, 1, numbered(1, nil))
	p := y.next()
	assert.Check(t, number(p) == 1, "packet %d", number(p))
}

// A header announces much, and nothing comes: no room is taken for it.
func TestTCPAnnouncementsTakeNoRoom(t *testing.T) {
	x := newTCP(t, socket.Options{})
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	x.Receive()
	before := heap()
	const peers = 20
	for range peers {
		h := beat(64<<20, 1)
		write(t, raw(t, x), h[:])
	}
	eventually(t, "sessions", func() bool { return x.tcp().Stats().Open == peers })
	time.Sleep(10 * time.Millisecond)
	more := heap() - before
	assert.Check(t, more <= peers<<20, "%d bytes for %d announcements", more, peers)
}
