package server_test

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
)

// segment is small enough for a datagram of 2022, which has 1536 bytes.
const segment = 1024

// tables2022 writes what the Python driver writes, in its order.
func (c *client) tables2022() {
	if ready := c.read(0x1FF4); ready != 0 {
		c.fail("the engine is configured already: %d", ready)
	}
	at := uint32(4)
	for range rxCount {
		addr := c.allocate(segment, false)
		c.write(at, 0, uint32(addr), uint32(addr>>32), segment, 0, 0, 0, 0)
		at += 8 * 4
	}
	c.write(0, rxCount)
	c.arithmetic(c.communicator(at, segment))
	c.write(0x1FF4, 1)
	c.config(setTimeout, 1000000)
	c.config(enablePkt, 0)
	c.config(setMaxSegments, segment)
	c.config(setStackType, 1) // TCP, which is its default
}

// open2022 also opens the port and the connections, as the driver's constructor does.
func (c *client) open2022() {
	c.tables2022()
	c.do(call{scenario: opConfig, function: openPort, comm: c.comm, tag: tagAny})
	c.do(call{scenario: opConfig, function: openCon, comm: c.comm, tag: tagAny})
}

func design2022(t testing.TB, name string) *design.Design {
	t.Helper()
	return designtest.Of(t, designtest.Library(t).With("udp_2022", []byte(designtest.UDP2022)), name, nil)
}

func TestClientOf2022(t *testing.T) {
	for _, platform := range []string{"u280_2022", "udp_2022"} {
		t.Run(platform, func(t *testing.T) {
			s := startDesign(t, design2022(t, platform), options{ranks: 2})
			clients := s.all(t, false)
			for _, c := range clients { // its constructor does all of that, and a program has one after the other
				together(t, "open", []*client{c}, (*client).open2022)
			}
			together(t, "local", clients, func(c *client) { c.local(300) })
			for _, n := range []int{1, 100, 2000} {
				together(t, fmt.Sprint(n, " elements"), clients, func(c *client) { c.collectives(n, false, false) })
			}
			together(t, "compressed", clients, func(c *client) { c.collectives(500, false, true) })
			// Another client finds the engine in use, and a reset frees it.
			other := s.client(t, 0, false)
			assert.Check(t, is.Equal(other.read(0x1FF4), uint32(1)), "config-ready is not 1")
			together(t, "reset", clients, func(c *client) { c.config(resetPeriph, 0) })
			assert.Check(t, other.read(0x1FF4) == 0 && other.err == nil, "config-ready after a reset: %v", other.err)
		})
	}
}

// A client that waits for its call holds up nobody, and leaves the call to the engine when it
// is gone.
func TestClientIsGoneInABlockingCall(t *testing.T) {
	s := startDesign(t, design2022(t, "u280_2022"), options{ranks: 2})
	clients := s.all(t, false)
	together(t, "configure", clients, (*client).tables2022)
	const n = 10
	c, sender := clients[0], clients[1]
	out := c.allocate(4*n, false)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = c.request(call{scenario: opRecv, count: n, comm: c.comm, peer: 1, tag: tagAny, arith: c.float,
			res: out}.message())
	}()
	waitFor(t, "the call", func() bool { return s.servers[0].Health().CallsOpen == 1 })
	other := s.client(t, 0, false)
	other.do(call{scenario: opNop}) // while the other one waits
	c.hangUp()
	<-gone
	waitFor(t, "the end of the connection", func() bool { return s.servers[0].Health().Clients == 1 })
	got := s.servers[0].Health().CallsOpen
	assert.Check(t, got == 1, "%d calls are open, and the one that was started goes on", got)
	code := other.code(call{scenario: 99})
	assert.Check(t, code == 1<<14, "return code %#x of an unknown operation", code)
	sender.do(call{scenario: opSend, count: n, comm: sender.comm, peer: 0, tag: tagAny, arith: sender.float,
		op0: sender.floats(elements(1, n), false)})
	assert.NilError(t, sender.err)
	waitFor(t, "the end of the call", func() bool { return s.servers[0].Health().CallsOpen == 0 })
	code = other.read(0x1FFC)
	assert.Check(t, code == 1<<14, "a client reads %#x, the return code of one that is gone", code)
	other.expect("recv", out, false, n, func(i int) float32 { return element(1, i) })
	assert.Check(t, other.err)
}
