package emu

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Engines of another make know no rendezvous, except on RDMA, where the network
// does it.
func TestForeignEnginesAreKnownByOptionOrByTheirFirstMessage(t *testing.T) {
	for platform, can := range map[string]bool{"u55c_tcp": true, "u55c_udp": true, "u55c_rdma": false} {
		w := newWorld(t, worldOptions{platform: platform, engines: 1, raw: 3, buffers: 4,
			engine: Options{Foreign: []uint32{3}}})
		r := w.rigs[0]
		foreign := func(rank uint32) bool {
			r.set("move", "source", rank)
			return r.get("rendezvous", "foreign") == 1
		}
		for rank, want := range []bool{false, false, false, can} {
			assert.Check(t, is.Equal(foreign(uint32(rank)), want), "%s: rank %d is foreign", platform, rank)
		}
		w.send(w.raw[0], 0, head{count: 4, src: 1, context: testContext}, []byte("ours"))
		w.send(w.raw[1], 0, head{count: 6, src: 2}, []byte("theirs"))
		w.run()
		for rank, want := range []bool{false, false, can, can} {
			assert.Check(t, is.Equal(foreign(uint32(rank)), want), "%s: after messages, rank %d is foreign", platform, rank)
		}
		assert.Check(t, !foreign(17), "%s: a rank that there is not is foreign", platform)
	}
}
