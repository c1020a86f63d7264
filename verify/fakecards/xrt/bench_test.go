package xrt

import (
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
)

// BenchmarkRead reads a register.
func BenchmarkRead(b *testing.B) {
	d := designtest.Load(b, "u55c_udp", nil)
	s := serve(b, Card{Design: d, Loaded: image(b, d, "")})
	c := load(b, s)
	xcl, unit := c.unit(c.open(0), "external_dma_1port:extdma_0_0")
	for b.Loop() {
		c.read(xcl, unit, 0x10)
	}
}

// BenchmarkSync syncs 16 MiB to an engine.
func BenchmarkSync(b *testing.B) {
	d := designtest.Load(b, "u55c_udp", nil)
	h := Start(b, d, 1, HostOptions{})
	c := load(b, h.Server)
	const size = 16 << 20
	buffer := c.must("xrtBOAlloc", c.open(0), size, 0, 0)
	c.must("xrtBOMap", buffer)
	b.SetBytes(size)
	for b.Loop() {
		c.ok("xrtBOSync", buffer, toDevice, size, 0)
	}
}
