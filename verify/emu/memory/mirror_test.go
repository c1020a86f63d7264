package memory_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/emu/memory"
)

func TestFindIsTheAllocationOfAnAddress(t *testing.T) {
	a := memory.NewAllocator(1 << 20)
	at := uint64(0x5010)
	first, _, err := a.Take(5000, nil) // 0 to 8192
	if err != nil || first != 0 {
		t.Fatal(first, err)
	}
	if _, _, err := a.Take(4096, &at); err != nil { // 0x5000 to 0x7000
		t.Fatal(err)
	}
	for addr, want := range map[uint64]memory.Extent{
		0: {From: 0, To: 8192}, 8191: {From: 0, To: 8192}, 8192: {}, 0x4FFF: {},
		0x5000: {From: 0x5000, To: 0x7000}, 0x6FFF: {From: 0x5000, To: 0x7000}, 0x7000: {}, 1 << 40: {},
	} {
		if got, ok := a.Find(addr); got != want || ok != (want.To > 0) {
			t.Errorf("0x%X: %+v, %t", addr, got, ok)
		}
	}
	assert.NilError(t, a.Give(memory.Extent{From: 0, To: 8192}))
	if _, ok := a.Find(0); ok {
		t.Error("found after it was given back")
	}
}

// device is memory with allocations, and what was written to it.
type device struct {
	data   []byte
	writes int
	broken error
}

func (d *device) mirror(allocated ...memory.Extent) *memory.Mirror {
	return memory.NewMirror(func(addr uint64) (memory.Extent, bool) {
		for _, e := range allocated {
			if addr >= e.From && addr < e.To {
				return e, true
			}
		}
		return memory.Extent{}, false
	}, func(b []byte, addr uint64) error {
		copy(b, d.data[addr:])
		return d.broken
	}, func(b []byte, addr uint64) error {
		d.writes += copy(d.data[addr:], b)
		return d.broken
	})
}

// view is what a pointer points to.
func view(pointer uint64, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&pointer))), n)
}

// TestMirrorFollowsBothSides changes both sides at random places, each its own.
func TestMirrorFollowsBothSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const n = 5 * 4096
	d := &device{data: make([]byte, 10*4096)}
	m := d.mirror(memory.Extent{From: 4096, To: 4096 + n})
	pointer, err := m.Map(4096 + 100)
	assert.Assert(t, err == nil && (pointer-100)%4096 == 0, "0x%X, %v", pointer, err)
	other, err := m.Map(4096 + 5000)
	assert.Assert(t, err == nil && other == pointer+4900,
		"one allocation has two copies: 0x%X and 0x%X, %v", pointer, other, err)
	host, want := view(pointer-100, n), make([]byte, n)
	for round := range 50 {
		changed := 0
		for range rng.IntN(40) {
			from := rng.IntN(n)
			to := min(n, from+1+rng.IntN(9000))
			for i := from; i < to; i++ {
				if v := byte(rng.Uint32()); i%2 == 0 { // the host's bytes
					if host[i] != v {
						changed++
					}
					host[i], want[i] = v, v
				}
			}
			i := rng.IntN(n/2)*2 + 1 // the device's
			want[i] = byte(rng.Uint32())
			d.data[4096+i] = want[i]
		}
		before := d.writes
		if round%3 == 0 {
			assert.NilError(t, m.WriteBack())
			assert.Assert(t, d.writes-before <= changed,
				"round %d: %d bytes written, %d were changed", round, d.writes-before, changed)
		} else if err := m.Refresh(); err != nil || !bytes.Equal(host, want) {
			t.Fatalf("round %d: the host has other data, %v", round, err)
		}
		assert.Assert(t, bytes.Equal(d.data[4096:4096+n], want), "round %d: the device has other data", round)
	}
	if !bytes.Equal(d.data[:4096], make([]byte, 4096)) || !bytes.Equal(d.data[4096+n:], make([]byte, 4*4096)) {
		t.Error("written outside of the allocation")
	}
}

func TestMirrorRefuses(t *testing.T) {
	d := &device{data: make([]byte, 1<<16)}
	m := d.mirror(memory.Extent{From: 0, To: 4096})
	if _, err := m.Map(4096); !errors.Is(err, memory.ErrNoMemory) {
		t.Errorf("an address in no allocation: %v", err)
	}
	for _, at := range []int{-4096, -1, 4096, 8191} {
		m := d.mirror(memory.Extent{From: 0, To: 4096})
		pointer, err := m.Map(0)
		assert.NilError(t, err)
		view(pointer-4096, 3*4096)[4096+at] = 1
		assert.Check(t, is.ErrorIs(m.WriteBack(), memory.ErrOutside), "a write at %d", at)
		assert.Check(t, is.ErrorIs(m.Refresh(), memory.ErrOutside), "a write at %d", at)
	}
	pointer, err := m.Map(10)
	assert.NilError(t, err)
	view(pointer, 1)[0] = 1
	d.broken = errors.New("no such memory")
	assert.Check(t, is.ErrorIs(m.WriteBack(), d.broken))
	if _, err := d.mirror(memory.Extent{From: 0, To: 4096}).Map(0); !errors.Is(err, d.broken) {
		t.Error(err)
	}
}
