package fabric_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

const header = 64

var kinds = []fabric.Kind{fabric.UDP, fabric.TCP, fabric.RDMA}

// eachKind runs a test on networks of each kind.
func eachKind(t *testing.T, test func(t *testing.T, kind fabric.Kind)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) { test(t, kind) })
	}
}

// world returns a network with ports at 10.0.0.1:5001, 10.0.0.2:5002, …
func world(t testing.TB, kind fabric.Kind, n int, o fabric.Options) (*fabric.Net, []fabric.Port) {
	t.Helper()
	net := fabric.NewNet(kind, o)
	var ports []fabric.Port
	for i := range n {
		p, session, err := net.Port(ip(i), port(i))
		assert.Assert(t, err == nil && session == uint32(i), "port %d has session %d, %v", i, session, err)
		ports = append(ports, p)
	}
	return net, ports
}

func ip(i int) uint32   { return 10<<24 | uint32(i+1) }
func port(i int) uint16 { return uint16(5001 + i) }

// numbered is a packet that carries a number.
func numbered(n, payload int) *fabric.Packet {
	p := &fabric.Packet{Payload: make([]byte, payload)}
	binary.LittleEndian.PutUint64(p.Header[:], uint64(n))
	return p
}

func number(p *fabric.Packet) int { return int(binary.LittleEndian.Uint64(p.Header[:])) }

func send(t testing.TB, p fabric.Port, session int, packets ...*fabric.Packet) {
	t.Helper()
	for _, packet := range packets {
		err := p.Send(uint32(session), packet)
		assert.Assert(t, err == nil, "sending packet %d to %d: %v", number(packet), session, err)
	}
}

func receiveAll(p fabric.Port) (packets []*fabric.Packet) {
	for packet := p.Receive(); packet != nil; packet = p.Receive() {
		packets = append(packets, packet)
	}
	return packets
}

// receives takes all that a port can receive, which must be the packets with these numbers.
func receives(t testing.TB, p fabric.Port, want ...int) {
	t.Helper()
	got := numbers(receiveAll(p))
	assert.Check(t, slices.Equal(got, want), "received %v, not %v", got, want)
}

func numbers(packets []*fabric.Packet) []int {
	out := []int{}
	for _, p := range packets {
		out = append(out, number(p))
	}
	return out
}

// balanced checks the counters of a link on which nothing is on its way.
func balanced(t *testing.T, s fabric.Stats) {
	t.Helper()
	assert.Check(t, is.Equal(s.Sent+s.Duplicated, s.Delivered+s.Dropped), "the counters do not add up: %+v", s)
}
