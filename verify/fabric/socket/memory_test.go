package socket_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"os/exec"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// TestInMemory runs the tests of TCP ports again, with memory in place of sockets between them.
func TestInMemory(t *testing.T) {
	if *inMemory || !shm.Supported {
		t.Skip("it is over memory already, or there is none")
	}
	out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TCP|Translate|Engines", "-socket.memory").
		CombinedOutput()
	assert.Check(t, err == nil, "%v\n%s", err, out)
}

// memoryPort is a port with an option, that listens.
func memoryPort(t *testing.T, m socket.Memory) *port {
	t.Helper()
	if !shm.Supported {
		t.Skip("there is no shared memory")
	}
	return newTCP(t, socket.Options{Memory: m})
}

// TestMemoryOrSockets: each pair finds what both sides have, whoever connects.
func TestMemoryOrSockets(t *testing.T) {
	if *inMemory {
		t.Skip("it says itself what is in memory")
	}
	for _, c := range []struct {
		x, y socket.Memory
		meet bool
	}{
		{socket.WithMemory, socket.WithMemory, true}, {socket.WithMemory, socket.NoMemory, true},
		{socket.NoMemory, socket.WithMemory, true}, {socket.WithMemory, socket.OnlyMemory, true},
		{socket.OnlyMemory, socket.OnlyMemory, true}, {socket.OnlyMemory, socket.NoMemory, false},
	} {
		x, y := memoryPort(t, c.x), memoryPort(t, c.y)
		route(x, y)
		if !c.meet {
			err := x.Send(1, numbered(1, nil))
			assert.NilError(t, err)
			y.quiet()
			continue
		}
		send(x, 1, numbered(1, []byte("there")))
		assert.Check(t, string(y.next().Payload) == "there")
		send(y, 0, numbered(2, []byte("back")))
		assert.Check(t, string(x.next().Payload) == "back")
	}
}

// filled is n bytes, of which those next to each other differ.
func filled(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// A message that does not fit into the ring is left to a goroutine, and comes whole.
func TestMemoryLargeMessages(t *testing.T) {
	x, y := memoryPort(t, socket.OnlyMemory), memoryPort(t, socket.OnlyMemory)
	route(x, y)
	for i, n := range []int{10, shm.RingBytes - header, shm.RingBytes, 3 << 20, 7} {
		want := filled(n)
		send(x, 1, numbered(i, bytes.Clone(want)))
		p := y.next()
		assert.Check(t, number(p) == i && bytes.Equal(p.Payload, want), "%d bytes", n)
	}
}

// Datagrams keep their sizes, which headers do not tell, and nobody waits for who is gone.
func TestDatagramsInMemory(t *testing.T) {
	open := func() *port {
		p, err := socket.Open(fabric.UDP, socket.Options{Memory: socket.OnlyMemory,
			Local: netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)}, true)
		assert.NilError(t, err)
		w := wrap(t, p, &logs{})
		w.at = p.LocalAddr()
		return w
	}
	if !shm.Supported {
		t.Skip("there is no shared memory")
	}
	x, y := open(), open()
	route(x, y)
	for i, n := range []int{0, 1, 4032} {
		send(x, 1, &fabric.Packet{Header: beat(99999, i), Payload: filled(n)})
		p := y.next()
		assert.Check(t, p.Header == beat(99999, i) && bytes.Equal(p.Payload, filled(n)), "%d bytes: %d, %x", n,
			len(p.Payload), p.Header)
	}
	assert.ErrorIs(t, x.Send(1, numbered(1, make([]byte, 4033))), socket.ErrPayload)
	assert.Check(t, x.Lossy() && x.MaxPayload() == 4032)
	assert.NilError(t, y.Close())
	eventually(t, "the loss of a packet", func() bool {
		assert.NilError(t, x.Send(1, numbered(1, nil)))
		return x.tcp().Stats().Lost > 0
	})
	_, ended := x.Closed()
	assert.Check(t, !ended, "a session of UDP has ended")
}

// A peer that writes rubbish into the memory ends its session, and nothing else.
func TestMemoryOfAStranger(t *testing.T) {
	x := memoryPort(t, socket.OnlyMemory)
	c, err := shm.Dial(t.Context(), "tcp/"+x.at.String())
	assert.NilError(t, err)
	defer c.Close()
	var hello, wrong [header]byte
	binary.LittleEndian.PutUint32(hello[40:], 0x7F000001)
	binary.LittleEndian.PutUint16(hello[44:], 9)
	hello[48] = 1
	copy(hello[56:], "cclhello")
	binary.LittleEndian.PutUint32(wrong[:], 0xFFFFFFFF) // bytes that follow
	_, err = c.Write(append(hello[:], wrong[:]...))
	assert.NilError(t, err)
	eventually(t, "the end of the session", func() bool {
		x.Receive()
		return x.logs.contain("message too large")
	})
}
