package rtlsim

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// TestWritesGoWithTheirDoneMessage holds writes back until a header says that all
// of their buffer were sent, by its address or by the end of the data.
func TestWritesGoWithTheirDoneMessage(t *testing.T) {
	w, err := newWrites(designtest.Load(t, "u55c_rdma", nil))
	assert.NilError(t, err)
	const session, src = 3, 5
	var done [headerBytes]byte
	w.set(&done, headerType, w.done)
	w.set(&done, headerCount, 150)
	w.set(&done, "src", src)
	other := done
	w.set(&other, headerType, w.data)

	block := func(v byte, n int) []byte { return bytes.Repeat([]byte{v}, n) }
	for _, test := range []struct {
		name  string
		vaddr uint64
	}{{"the address of the buffer", 1000}, {"where the data ended", 1150}} {
		t.Run(test.name, func(t *testing.T) {
			w.hold(session, write{1000, false, block(9, 100)}) // given up
			w.hold(session, write{1000, false, block(1, 100)})
			w.hold(session, write{1000, true, block(7, 100)}) // other memory
			w.hold(session, write{5000, false, block(8, 50)}) // another buffer
			w.hold(session, write{1100, false, block(2, 50)})
			w.hold(session+1, write{1100, false, block(6, 50)})
			if got := w.complete(session, &other); got != nil {
				t.Fatalf("%d packets before the data were complete", len(got))
			}
			w.set(&done, headerVaddr, test.vaddr)
			packets := w.complete(session, &done)
			assert.Assert(t, len(packets) == 2, "%d packets, not 2", len(packets))
			for i, want := range []write{{1000, false, block(1, 100)}, {1100, false, block(2, 50)}} {
				p := packets[i]
				address, host, ok := w.written(&p.Header)
				assert.Check(t, ok && address == want.address && !host && bytes.Equal(p.Payload, want.bytes),
					"packet %d: address %d, host memory %v, written %v, %d bytes", i, address, host, ok, len(p.Payload))
				if n, seq, from := w.get(&p.Header, headerCount), w.get(&p.Header, headerSeq), w.get(&p.Header, "src"); n != uint64(
					len(want.bytes)) || seq != uint64(i) || from != src {
					t.Errorf("packet %d: count %d, number %d, from %d", i, n, seq, from)
				}
			}
			if again := w.complete(session, &done); len(again) != 0 {
				t.Errorf("%d packets go twice", len(again))
			}
			clear(w.held)
		})
	}
}
