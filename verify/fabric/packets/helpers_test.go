package packets_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

// patient is how long tests wait for what must happen.
const patient = 10 * time.Second

// endpoints are those of a world on ports that nobody uses.
func endpoints(t testing.TB, ranks int) sim.Endpoints {
	t.Helper()
	for range 100 {
		e := sim.Endpoints{Port: 20000 + rand.IntN(10000), Ranks: ranks}
		free := true
		for rank := range ranks {
			l, err := net.Listen("tcp", e.EthernetOut(rank))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return e
		}
	}
	t.Fatal("there are no free ports")
	return sim.Endpoints{}
}

// framing is that of the message header: 0 and 1 have payload, 2 and 3 are headers
// alone.
func framing(h *[64]byte) int {
	if h[22] > 1 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(h[:]))
}

// open returns a port that is closed at the end of the test.
func open(t testing.TB, o packets.Options) *packets.Port {
	t.Helper()
	if o.Framing == nil {
		o.Framing = framing
	}
	p, err := packets.New(t.Context(), o)
	assert.NilError(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// openAll opens the ports of a world of so many ranks.
func openAll(t testing.TB, ranks int, o packets.Options) []*packets.Port {
	t.Helper()
	o.Endpoints = endpoints(t, ranks)
	var ports []*packets.Port
	for o.Rank = range ranks {
		ports = append(ports, open(t, o))
	}
	return ports
}

// message is a packet with a header that says how long it is.
func message(number uint32, payload []byte) *fabric.Packet {
	p := &fabric.Packet{Payload: payload}
	binary.LittleEndian.PutUint32(p.Header[:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(p.Header[12:], number)
	return p
}

func number(p *fabric.Packet) uint32 { return binary.LittleEndian.Uint32(p.Header[12:]) }

// noise is bytes that depend on a seed.
func noise(seed, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), 77))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// until waits for something that must happen.
func until(t testing.TB, what string, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(patient); !happens(); time.Sleep(100 * time.Microsecond) {
		assert.Assert(t, time.Now().Before(end), "%s: not within %v", what, patient)
	}
}

// send sends when there is room, and counts how often there was none.
func send(t testing.TB, p fabric.Port, session uint32, packet *fabric.Packet) (busy int) {
	t.Helper()
	until(t, "sending to rank "+strconv.Itoa(int(session)), func() bool {
		err := p.Send(session, packet)
		if err == fabric.ErrBusy {
			busy++
			return false
		}
		assert.NilError(t, err)
		return true
	})
	return busy
}

func receive(t testing.TB, p fabric.Port) *fabric.Packet {
	t.Helper()
	var packet *fabric.Packet
	until(t, "receiving", func() bool { packet = p.Receive(); return packet != nil })
	return packet
}

// same checks a packet against the one that was sent.
func same(t testing.TB, got *fabric.Packet, session uint32, want *fabric.Packet) {
	t.Helper()
	if got.Session != session || got.Header != want.Header || !bytes.Equal(got.Payload, want.Payload) {
		t.Fatalf("got packet %d of session %d with %d bytes, want %d of %d with %d", number(got), got.Session,
			len(got.Payload),
			number(want), session, len(want.Payload))
	}
}

// freed makes a packet count when it is released.
func freed(p *fabric.Packet, n *atomic.Int32) *fabric.Packet {
	p.Free = func() { n.Add(1) }
	return p
}
