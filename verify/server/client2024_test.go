package server_test

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu"
)

const (
	rxCount, rxBytes = 16, 4096
	maxRendezvous    = 1 << 20
)

// configure2024 does what the C++ driver does before its first operation.
func (c *client) configure2024() {
	c.config(resetPeriph, 0)
	at := uint32(8)
	for range rxCount {
		addr := c.allocate(rxBytes, false)
		c.store(addr, make([]byte, rxBytes), false)
		c.write(at, 0, uint32(addr), uint32(addr>>32), 0, 0, 0, 0)
		at += 7 * 4
	}
	c.write(4, rxBytes)
	c.write(0, rxCount)
	for i := range uint32(3) {
		addr := c.allocate(maxRendezvous, false)
		c.write(0x1FD8+8*i, uint32(addr), uint32(addr>>32))
	}
	c.arithmetic(c.communicator(at, rxBytes))
	c.write(0x1FC4, 2, 32768, 3, 4, 32768)
	c.write(0x1FF4, 1)
	c.config(enablePkt, 0)
	c.config(setTimeout, 1000000)
	c.config(setMaxEager, rxBytes)
	c.config(setMaxRendezvous, maxRendezvous)
}

func TestClientOf2024(t *testing.T) {
	for _, network := range []string{"u55c_tcp", "u55c_udp"} {
		for _, ranks := range []int{2, 4} {
			t.Run(fmt.Sprint(network, " of ", ranks), func(t *testing.T) {
				if testing.Short() && ranks > 2 {
					t.Skip("short")
				}
				s := start(t, network, map[string]cty.Value{"host_memory": cty.True}, options{ranks: ranks})
				clients := s.all(t, true)
				together(t, "configure", clients, (*client).configure2024)
				id := clients[0].read(0x1FF8)
				assert.Check(t, id&3 == map[string]uint32{"u55c_tcp": 1, "u55c_udp": 0}[network] && id&(1<<3|1<<4) == 1<<3|1<<4,
					"hardware id %#x", id)
				together(t, "local", clients, func(c *client) { c.local(300) })
				for _, n := range []int{1, 250, 2000} { // in an rx buffer, and by rendezvous
					for _, host := range []bool{false, true} {
						together(t, fmt.Sprint(n, " elements, host ", host), clients, func(c *client) { c.collectives(n, host, false) })
					}
				}
				together(t, "compressed", clients, func(c *client) { c.collectives(2000, false, true) })
				assert.Check(t, clients[0].read(0x1FF0) != 0, "the performance counter is 0")
				together(t, "reset", clients, func(c *client) { c.config(resetPeriph, 0) })
				for _, at := range []uint32{0, 0x1FF4} {
					if v := clients[0].read(at); v != 0 {
						t.Errorf("0x%X is %d after a reset", at, v)
					}
				}
			})
		}
	}
}

// A client that ends without a word leaves calls behind, whose completions the
// next client that resets the engine must not take for its own.
func TestClientIsKilledAndComesAgain(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 2, engine: emu.Options{}})
	clients := s.all(t, true)
	together(t, "configure", clients, (*client).configure2024)
	c := clients[0]
	for range 3 { // nobody sends
		c.begin(call{scenario: opRecv, count: 10, comm: c.comm, peer: 1, tag: 3, arith: c.float})
	}
	assert.NilError(t, c.err)
	c.hangUp()
	waitFor(t, "the end of the connection", func() bool { return s.servers[0].Health().Clients == 0 })
	again := s.client(t, 0, true)
	clients[1].free = [2]uint64{}
	together(t, "configure again", []*client{again, clients[1]}, (*client).configure2024)
	together(t, "local", []*client{again, clients[1]}, func(c *client) { c.local(100) })
	got := s.servers[0].Health().CallsOpen
	assert.Check(t, got == 0, "%d calls are open", got)
}
