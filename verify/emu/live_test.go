package emu

import (
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
)

// TestSegmentsOnUDP must each be one packet.
func TestSegmentsOnUDP(t *testing.T) {
	for segment, want := range map[uint32]string{1000: "", 1001: "DMA_SIZE", 0: "DMA_SIZE"} {
		w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1, net: fabric.Options{MaxPayload: 1000}})
		r.set("move", "destination", 1)
		r.set("move", "bytes", 5000)
		r.set("move", "segment_bytes", segment)
		r.issue("op0=memory", "result=network")
		w.run()
		code := uint32(0)
		if want != "" {
			code = r.bit(want)
		}
		r.completes(1, code)
	}
}
