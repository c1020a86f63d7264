package rtlsim

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

func TestMessagesAreCountedWhereverTheyAreCut(t *testing.T) {
	payload := func(h *[headerBytes]byte) int { return int(binary.LittleEndian.Uint32(h[:])) }
	r := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		var stream []byte
		messages, bytes := uint64(1+r.IntN(20)), uint64(0)
		for range messages {
			size := r.IntN(2) * r.IntN(300)
			stream = binary.LittleEndian.AppendUint32(stream, uint32(size))
			stream = append(stream, make([]byte, headerBytes-4+size)...)
			bytes += uint64(size)
		}
		var f frames
		var gotMessages, gotBytes uint64
		for rest := stream; len(rest) > 0; {
			n := 1 + r.IntN(min(len(rest), 1<<r.IntN(10)))
			var m, b uint64
			f, m, b = f.add(rest[:n], payload)
			gotMessages, gotBytes, rest = gotMessages+m, gotBytes+b, rest[n:]
		}
		if gotMessages != messages || gotBytes != bytes || f.known != 0 || f.left != 0 {
			t.Fatalf("%d messages of %d bytes, not %d of %d; %d and %d are missing", gotMessages, gotBytes, messages,
				bytes, f.known, f.left)
		}
	}
}
