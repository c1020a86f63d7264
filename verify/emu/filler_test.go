package emu

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"
)

const fillerAt = 392 / 8 // byte of a header

// On TCP a large message to an engine of this make begins where the stream is whole beats
// long. Others, and who has said nothing yet, get nothing but messages.
func TestLargeMessagesBeginWithABeat(t *testing.T) {
	for name, test := range map[string]struct {
		platform string
		context  uint64 // of what the peer says
		fills    bool
	}{
		"own":            {"u55c_tcp", testContext, true},
		"another make":   {"u55c_tcp", 0, false},
		"UDP":            {"u55c_udp", testContext, false},
		"RDMA":           {"u55c_rdma", testContext, false},
		"own, earlier":   {"u280_2022", testContext, true},
		"other, earlier": {"u280_2022", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{platform: test.platform, raw: 2, buffers: 4})
			r.write(0, random(5, 3000))
			sends := func(sizes ...int) {
				for _, n := range sizes {
					r.set("move", "bytes", uint32(n))
					r.set("move", "destination", 1)
					r.issue("op0=memory", "result=network")
					w.run()
				}
			}
			level := 0
			receives := func(fills bool, sizes ...int) {
				t.Helper()
				for _, n := range sizes {
					p := w.raw[0].Receive()
					assert.Assert(t, p != nil, "a message of %d bytes does not come", n)
					if fills && n >= 1024 && level > 0 {
						pad := 64 - level
						want := make([]byte, 64)
						want[0], want[fillerAt] = byte(pad), 1
						assert.Check(t, bytes.Equal(p.Header[:], want) && bytes.Equal(p.Payload, bytes.Repeat([]byte{0xFF}, pad)),
							"behind %d bytes comes %X, %X, not a filler", level, p.Header, p.Payload)
						p.Release()
						level, p = 0, w.raw[0].Receive()
						assert.Assert(t, p != nil)
					}
					assert.Check(t, p.Header[fillerAt] == 0 && len(p.Payload) == n, "%d bytes come, want %d",
						len(p.Payload), n)
					p.Release()
					level = (level + n) % 64
				}
				assert.Check(t, w.raw[0].Receive() == nil, "more comes")
			}
			sizes := []int{100, 1024, 64, 2000, 5, 1023, 1024, 1100, 1024, 1024}
			sends(sizes...)
			receives(false, sizes...)
			w.send(w.raw[0], 0, head{count: 4, src: 1, context: test.context}, []byte("said"))
			w.run()
			sends(sizes...)
			receives(test.fills, sizes...)
		})
	}
}

// Nobody reads a filler. Only streams have them.
func TestFillersAreNotRead(t *testing.T) {
	for platform, knows := range map[string]bool{"u55c_tcp": true, "u280_2022": true, "u55c_udp": false,
		"u55c_rdma": false} {
		w, r := newRig(t, worldOptions{platform: platform, raw: 1, buffers: 2})
		h := head{count: 23}.bytes()
		h[fillerAt] = 1
		w.sendOn(w.raw[0], append(h[:], make([]byte, 23)...))
		w.run()
		bad := r.get("network", "events")&r.event("bad_packet") != 0
		assert.Check(t, bad != knows && r.get("rx", "free") == 2, "%s: a bad packet: %t, %d buffers", platform, bad,
			r.get("rx", "free"))
	}
}
