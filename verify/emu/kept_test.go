package emu

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

// TestWhatIsSentApartIsKept sends operand 0, keeps it in its inner form and brings
// operand 1 to memory, whether it is the memory that is lent for sending or not.
func TestWhatIsSentApartIsKept(t *testing.T) {
	const n, compressor, decompressor = 600, 0, 1
	// Values that are as good as compressed.
	numbers := func(from float32) (wide, half []byte) {
		var list []float32
		var packed []uint16
		for i := range n {
			list = append(list, from*float32(int(1)<<(i%8)))
			packed = append(packed, map[float32]uint16{1: 0x3C00, -1: 0xBC00}[from]+uint16(i%8)<<10)
		}
		half, _ = binary.Append(nil, binary.LittleEndian, packed)
		return floats(list...), half
	}
	wide0, half0 := numbers(1)
	wide1, half1 := numbers(-1)
	tests := []struct {
		name              string
		fields            []string
		op0, op1          []byte
		sent, kept, local []byte
	}{
		{"plain", nil, wide0, wide1, wide0, wide0, wide1},
		{"sent compressed", []string{"network_compressed"}, wide0, wide1, half0, wide0, wide1},
		{"operand 1 decompressed", []string{"op1_compressed"}, wide0, half1, wide0, wide0, wide1},
		{"sent compressed, operand 1 decompressed", []string{"network_compressed", "op1_compressed"}, wide0,
			half1, half0, wide0, wide1},
		{"operand 0 decompressed", []string{"op0_compressed"}, half0, wide1, wide0, wide0, wide1},
		{"operand 0 decompressed and compressed", []string{"op0_compressed", "network_compressed"}, half0,
			wide1, half0, wide0, wide1},
		{"all compressed", []string{"op0_compressed", "op1_compressed", "inner_compressed", "result_compressed",
			"network_compressed"}, half0, half1, half0, half0, half1},
		{"both compressed on the way", []string{"inner_compressed", "result_compressed", "network_compressed"}, wide0,
			wide1, half0, half0, half1},
		{"kept compressed, sent plain", []string{"op0_compressed", "op1_compressed", "inner_compressed", "result_compressed"},
			half0, half1, wide0, half0, half1},
	}
	for _, test := range tests {
		for _, kind := range []string{"eager", "rendezvous_data"} {
			t.Run(test.name+" "+kind, func(t *testing.T) {
				w, r := newRig(t, worldOptions{raw: 1, net: fabric.Options{MaxPayload: 1000}})
				// Unaligned, so that elements lie in two pages.
				const op0, op1, result, kept = pageBytes - 1402, 4*pageBytes - 3, 8*pageBytes - 5, 1<<33 + pageBytes - 1201
				r.write(op0, test.op0)
				r.write(op1, test.op1)
				frame := []byte{0xEE}
				for at, bytes := range map[uint64]int{result: len(test.local), kept: len(test.kept)} {
					r.write(at-1, frame)
					r.write(at+uint64(bytes), frame)
				}
				for name, v := range map[string]uint64{"op0_address": op0, "op1_address": op1, "result_address": result,
					"kept_address": kept} {
					r.set64("move", name, v)
				}
				r.set("move", "bytes", 4*n)
				r.set("move", "compressed_bytes", 2*n)
				r.set("move", "tdest", compressor|decompressor<<4)
				r.set("move", "destination", 1)
				r.issue(slices.Concat([]string{"op0=memory", "op1=memory", "result=apart", "keeps", "message_type=" + kind},
					test.fields)...)
				var sent []byte
				for w.run(); len(sent) < len(test.sent); w.run() {
					p := w.raw[0].Receive()
					if p == nil {
						t.Fatalf("only %d of %d bytes are sent", len(sent), len(test.sent))
					}
					sent = append(sent, p.Payload...)
					p.Release()
				}
				r.completes(1, 0)
				assert.Check(t, bytes.Equal(sent, test.sent), "something else is sent")
				for at, want := range map[uint64][]byte{result: test.local, kept: test.kept} {
					assert.Check(t, bytes.Equal(r.read(at-1, len(want)+2), slices.Concat(frame, want, frame)),
						"wrong bytes at 0x%X", at)
				}
				assert.Check(t, is.Equal(r.get64("move", "kept_address"), uint64(kept)), "the next is kept at 0x")
			})
		}
	}
}
