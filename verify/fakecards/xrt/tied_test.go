package xrt

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// ownMemory is that of an engine, in a test.
func ownMemory() *plain { return &plain{data: make([]byte, 3*compareBytes)} }

// TestTiedMemory has both sides change bytes, each its own.
func TestTiedMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	device := ownMemory()
	host := make([]byte, len(device.data))
	x := &tied{backing: device, shared: host, known: make([]byte, len(host))}
	want := make([]byte, len(host))
	for range 200 {
		for range r.IntN(50) {
			at := r.IntN(len(want))
			want[at] = byte(r.Uint32())
			if at%2 == 0 {
				host[at] = want[at]
			} else {
				device.data[at] = want[at]
			}
		}
		assert.NilError(t, x.push(t.Context()))
		assert.NilError(t, x.pull(t.Context()))
		assert.Assert(t, bytes.Equal(host, want) && bytes.Equal(device.data, want), "one of them has something else")
	}
}

// TestSharedBanks has two engines reach a bank, each with memory of its own.
func TestSharedBanks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	first, second := ownMemory(), ownMemory()
	all := &several{parts: []backing{first, second}, known: make([]byte, len(first.data))}
	want := make([]byte, len(first.data))
	for range 200 {
		offset := r.IntN(len(want))
		n := r.IntN(len(want) - offset)
		switch r.IntN(3) {
		case 0: // the host
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			copy(want[offset:], b)
			assert.NilError(t, all.write(t.Context(), b, uint64(offset)))
		default: // the engines, each in bytes of its own
			for i, m := range []*plain{first, second} {
				at := r.IntN(len(want)/2)*2 + i
				m.data[at] = byte(r.Uint32())
				want[at] = m.data[at]
			}
		}
		got := make([]byte, len(want))
		assert.NilError(t, all.read(t.Context(), got, 0))
		assert.Assert(t, bytes.Equal(got, want) && bytes.Equal(first.data, want) && bytes.Equal(second.data, want),
			"somebody has something else")
	}
}
