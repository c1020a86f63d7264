package xrt

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

// frame is a request as it goes over the socket.
func frame(f function, payload []byte, arguments ...uint64) []byte {
	b := binary.NativeEndian.AppendUint32(nil, wireMagic)
	b = binary.NativeEndian.AppendUint32(b, uint32(f))
	for i := range 4 {
		v := uint64(0)
		if i < len(arguments) {
			v = arguments[i]
		}
		b = binary.NativeEndian.AppendUint64(b, v)
	}
	b = binary.NativeEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.NativeEndian.AppendUint32(b, 0)
	return append(b, payload...)
}

func dial(t testing.TB, s *Server) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", s.Socket())
	assert.NilError(t, err)
	t.Cleanup(func() { c.Close() })
	assert.NilError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	return c
}

func answers(t testing.TB, c net.Conn) int {
	t.Helper()
	b, err := io.ReadAll(c)
	var timeout net.Error
	assert.Assert(t, !errors.As(err, &timeout) || !timeout.Timeout(), "the connection stays open")
	return len(b) / replyBytes
}

// TestTheEndWaitsForNobody closes a server while somebody has connected and says nothing,
// and somebody else has said half of something.
func TestTheEndWaitsForNobody(t *testing.T) {
	s, err := Serve(t.Context(), nil)
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	dial(t, s)
	half := dial(t, s)
	_, err = half.Write(frame(hello, nil, 7, wireVersion)[:5])
	assert.NilError(t, err)
	served := dial(t, s) // those before have been accepted when this one has an answer
	_, err = served.Write(frame(hello, nil, 8, wireVersion))
	assert.NilError(t, err)
	_, err = io.ReadFull(served, make([]byte, replyBytes))
	assert.NilError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- s.Close() }()
	select {
	case err := <-ended:
		assert.Check(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestDamagedRequests sees that what is no request ends its connection, and no other.
func TestDamagedRequests(t *testing.T) {
	s := serve(t, Card{})
	c := load(t, s)
	card := c.open(0)
	greeting := frame(hello, nil, 7, wireVersion)
	changed := func(b []byte, at int, v uint32) []byte {
		binary.NativeEndian.PutUint32(b[at:], v)
		return b
	}
	cases := map[string]struct {
		sent    []byte
		replies int
	}{
		"no greeting":       {frame(probe, nil), 0},
		"another version":   {frame(hello, nil, 7, 2), 0},
		"another beginning": {changed(frame(hello, nil, 7, wireVersion), 0, 1), 0},
		"text":              {[]byte("GET / HTTP/1.1\r\nHost: somebody who means another server\r\n\r\n"), 0},
		"half a greeting":   {greeting[:20], 0},
		"two greetings":     {append(frame(hello, nil, 7, wireVersion), greeting...), 1},
		"no function":       {append(frame(hello, nil, 7, wireVersion), frame(functions, nil)...), 1},
		"half a request":    {append(frame(hello, nil, 7, wireVersion), frame(probe, nil)[:47]...), 1},
		"too many bytes":    {append(frame(hello, nil, 7, wireVersion), changed(frame(probe, nil), 40, 1)...), 1},
		"too few bytes": {append(frame(hello, nil, 7, wireVersion),
			frame(deviceLoadXclbinUUID, make([]byte, 15), 1)...), 1},
		"a name too long": {append(frame(hello, nil, 7, wireVersion),
			changed(frame(deviceOpenByBDF, nil), 40, maxName+1)...), 1},
		"a file too large": {append(frame(hello, nil, 7, wireVersion),
			changed(frame(deviceLoadXclbin, nil), 40, 1<<31)...), 1},
		"a file that is cut": {append(frame(hello, nil, 7, wireVersion),
			changed(frame(deviceLoadXclbin, nil, 1), 40, 1<<30)...), 1},
		"a request, and junk": {append(append(frame(hello, nil, 7, wireVersion), frame(probe, nil)...), "xyz"...), 2},
	}
	for name, damaged := range cases {
		conn := dial(t, s)
		_, err := conn.Write(damaged.sent)
		assert.NilError(t, err)
		assert.NilError(t, conn.(*net.UnixConn).CloseWrite())
		n := answers(t, conn)
		assert.Check(t, n == damaged.replies, "%s: %d replies", name, n)
	}
	eventually(t, "the server says so", func() bool { return len(s.Faults()) == len(cases) })
	for _, err := range s.Faults() {
		assert.Check(t, is.ErrorIs(err, errFrame))
	}
	n, _ := c.do("xclProbe")
	assert.Check(t, n == 1, "%d cards", n)
	c.ok("xrtDeviceClose", card)
}

// TestRandomRequests has functions called with any arguments: each gets a reply.
func TestRandomRequests(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	file := image(t, d, "")
	s := serve(t, Card{Design: d, Loaded: file})
	r := rand.New(rand.NewPCG(7, 8))
	interesting := []uint64{0, 1, 2, 7, 0xFFF, 4096, 1 << 20, 1 << 28, 1 << 29, 1 << 31, 1<<32 - 1,
		1 << 40, 1 << 63, 1<<64 - 1}
	conn := dial(t, s)
	send := func(b []byte) {
		t.Helper()
		_, err := conn.Write(b)
		assert.NilError(t, err)
		head := make([]byte, replyBytes)
		if _, err := io.ReadFull(conn, head); err != nil {
			t.Fatalf("no reply to % X: %v", b[:48], err)
		}
		_, err = io.CopyN(io.Discard, conn, int64(binary.NativeEndian.Uint32(head[16:])))
		assert.NilError(t, err)
	}
	send(frame(hello, nil, 7, wireVersion))
	for range 5000 {
		f := probe + function(r.IntN(int(functions-probe)))
		var arguments []uint64
		for range 4 {
			v := interesting[r.IntN(len(interesting))]
			if r.IntN(2) == 0 {
				v = 0x1000 + r.Uint64N(40) // a handle
			}
			arguments = append(arguments, v)
		}
		if f == boAlloc && arguments[1] > 1<<20 {
			arguments[1] &= 1<<20 - 1
		}
		var payload []byte
		switch {
		case names[f].exactly:
			payload = make([]byte, names[f].bytes)
			copy(payload, file[416:432])
		case f == deviceLoadXclbin:
			payload = file[:r.IntN(len(file)+1)]
		default:
			payload = make([]byte, r.IntN(50))
		}
		send(frame(f, payload, arguments...))
	}
	conn.Close()
	faults := s.Faults()
	assert.Check(t, len(faults) == 0, "%v", faults)
}
