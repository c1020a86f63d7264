package socket_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// pacing is a mark or an echo, by its documentation.
func pacing(kind byte, count uint64) []byte {
	b := make([]byte, 64)
	binary.LittleEndian.PutUint64(b[40:], count)
	b[48], b[52] = 1, kind
	copy(b[56:], "cclpaced")
	return b
}

const mark, echo, full = 1, 2, 3

// rawUDP is a peer of a port that is not this package; the port knows it as a
// session.
func rawUDP(t testing.TB, to *port, session uint32) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	assert.NilError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadBuffer(4 << 20)
	assert.NilError(t, conn.SetDeadline(time.Now().Add(limit)))
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	to.Route(session, ip(at), at.Port(), false)
	return conn
}

// datagrams reads until n packets have come, and returns the marks between them.
func datagrams(t testing.TB, conn *net.UDPConn, from, n int) (marks []uint64) {
	t.Helper()
	b := make([]byte, 5000)
	for got := 0; got < n; {
		k, err := conn.Read(b)
		assert.NilError(t, err, "after %d of %d packets", got, n)
		count := binary.LittleEndian.Uint64(b[40:])
		if string(b[:k]) == string(pacing(mark, count)) {
			marks = append(marks, count)
			continue
		}
		if number := int(binary.LittleEndian.Uint64(b[8:])); number != from+got {
			t.Fatalf("packet %d, not %d", number, from+got)
		}
		got++
	}
	return marks
}

// most is how many packets push sends.
const most = 400

// push sends as many packets as the port takes, which it says at the first return.
func push(t testing.TB, p *port, session uint32, from int) (sent int) {
	t.Helper()
	for ; sent < most; sent++ {
		err := p.Send(session, numbered(from+sent, make([]byte, 4000)))
		if err == fabric.ErrBusy {
			return sent
		}
		assert.NilError(t, err)
	}
	return sent
}

func TestUDPSenderWaitsForEchoes(t *testing.T) {
	x := newUDP(t, socket.Options{})
	conn := rawUDP(t, x, 1)
	x.Receive()
	to := net.UDPAddrFromAddrPort(x.at)
	total := 0
	for round := range 5 {
		sent := push(t, x, 1, total)
		if total == 0 && (sent < 60 || sent > 70) { // 256 KiB
			t.Errorf("%d packets of 4064 bytes are sent without an echo", sent)
		}
		marks := datagrams(t, conn, total, sent)
		total += sent
		assert.Assert(t, len(marks) != 0, "round %d: no marks among %d packets", round, sent)
		last := marks[len(marks)-1]
		assert.Check(t, last <= uint64(total)*4064, "round %d: the mark says %d after %d bytes", round, last, total*4064)
		for _, echoed := range []uint64{1 << 60, last} { // the first one is not true
			_, err := conn.WriteTo(pacing(echo, echoed), to)
			assert.NilError(t, err)
		}
		x.await("room")
	}
	s := x.udp().Stats()
	assert.Check(t, s.Received == 0 && s.Sent == uint64(total) && s.Dropped() == 0, "%v", s)
}

// A peer that does not answer gets everything all the same, at first slowly.
func TestUDPDeafPeer(t *testing.T) {
	x := newUDP(t, socket.Options{})
	conn := rawUDP(t, x, 1)
	start := time.Now()
	total := 0
	for pauses := 0; ; pauses++ {
		sent := push(t, x, 1, total)
		marks := datagrams(t, conn, total, sent)
		total += sent
		if sent == most {
			assert.Check(t, pauses == 1, "after %d pauses", pauses)
			break
		}
		assert.Check(t, len(marks) >= 3, "marks %d among %d packets", marks, sent)
		x.await("room")
	}
	d := time.Since(start)
	assert.Check(t, d >= 250*time.Millisecond && d <= limit, "that has taken %v", d)
}

func TestUDPUnpaced(t *testing.T) {
	x := newUDP(t, socket.Options{Unpaced: true})
	conn := rawUDP(t, x, 1)
	sent := push(t, x, 1, 0)
	assert.Check(t, sent == most, "busy after %d packets", sent)
	_ = conn
}

// Marks are echoed as long as there is room.
func TestUDPEchoes(t *testing.T) {
	x := newUDP(t, socket.Options{WindowBytes: 20_000})
	conn := rawUDP(t, x, 1)
	x.Receive()
	to := net.UDPAddrFromAddrPort(x.at)
	write := func(b []byte) {
		t.Helper()
		_, err := conn.WriteTo(b, to)
		assert.NilError(t, err)
	}
	expect := func(kind byte, count uint64) {
		t.Helper()
		b := make([]byte, 100)
		n, err := conn.Read(b)
		assert.Assert(t, err == nil && string(b[:n]) == string(pacing(kind, count)),
			"%v: % x, not an answer %d to %d", err, b[:n], kind, count)
	}
	write(pacing(mark, 7))
	expect(echo, 7)
	strange := pacing(mark, 8)
	strange[0] = 1 // it is a packet that some engine will drop
	write(strange)
	assert.Check(t, is.Equal(x.next().Session, uint32(1)))
	for i := range 5 {
		write(message(i, make([]byte, 3000)))
	}
	write(pacing(mark, 9))
	expect(full, 9)
	write(pacing(mark, 9)) // it asks again
	expect(full, 9)
	for i := range 5 {
		p := x.next()
		assert.Check(t, number(p) == i, "packet %d, not %d", number(p), i)
	}
	expect(echo, 9)
}

// A peer that is full is waited for, one that has gone is not.
func TestUDPFullPeer(t *testing.T) {
	x := newUDP(t, socket.Options{})
	conn := rawUDP(t, x, 1)
	x.Receive()
	sent := push(t, x, 1, 0)
	marks := datagrams(t, conn, 0, sent)
	last := marks[len(marks)-1]
	b := make([]byte, 100)
	for range 5 { // each time it is asked
		_, err := conn.WriteTo(pacing(full, last), net.UDPAddrFromAddrPort(x.at))
		assert.NilError(t, err)
		n, err := conn.Read(b)
		if err != nil || n != 64 || b[52] != mark {
			t.Fatalf("%v: % x, not a mark", err, b[:n])
		}
		err = x.Send(1, numbered(sent, nil))
		assert.Assert(t, err == fabric.ErrBusy, "sending to a peer that is full: %v", err)
	}
	start := time.Now()
	x.await("room") // it has gone
	d := time.Since(start)
	assert.Check(t, d >= 100*time.Millisecond && d <= limit, "that has taken %v", d)
	if again := push(t, x, 1, sent); again < 60 || again > 70 {
		t.Errorf("%d packets are sent at once after that", again)
	}
}

// Ports lose nothing among themselves, however slowly they receive.
func TestUDPPortsDoNotOverrunEachOther(t *testing.T) {
	const packets = 3000
	o := socket.Options{WindowBytes: 400 << 10}
	x, y, z := newUDP(t, o), newUDP(t, o), newUDP(t, o)
	route(x, y, z)
	done := make(chan error, 2)
	for _, from := range []*port{x, z} {
		go func() {
			for i := 0; i < packets; {
				switch err := from.Send(1, numbered(i, large(i))); err {
				case nil:
					i++
				case fabric.ErrBusy:
					select {
					case <-from.wake:
					case <-time.After(limit):
						done <- fmt.Errorf("busy for too long after %d packets", i)
						return
					}
				default:
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	var next [3]int
	for range 2 * packets {
		p := y.next()
		if from := p.Session; from > 2 || number(p) != next[from] || string(p.Payload) != string(large(next[from])) {
			t.Fatalf("packet %d of session %d, not %d", number(p), from, next[from])
		}
		next[p.Session]++
		p.Release()
		if next[0]%500 == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range 2 {
		assert.Check(t, <-done)
	}
	s := y.udp().Stats()
	assert.Check(t, is.Equal(s.Dropped(), uint64(0)), "%v", s)
}
