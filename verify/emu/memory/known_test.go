package memory

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

func TestOnlyWhatIsKnownOrWasWrittenIsThere(t *testing.T) {
	const limit, block = 1 << 20, 16
	k := NewKnown(limit)
	for _, e := range [][2]uint64{{100, 20}, {200, 0}, {limit - 4, 4}} {
		assert.NilError(t, k.Add(e[0], e[1]))
	}
	engine := map[uint64]bool{120 / block: true, 128 / block: true, 512 / block: true} // blocks that it has written to
	written := func(addr uint64) uint64 {
		if engine[addr/block] {
			return addr/block*block + block
		}
		return 0
	}
	for _, test := range []struct {
		addr, bytes uint64
		there       bool
	}{
		{100, 20, true}, {100, 44, true}, {100, 45, false}, {99, 2, false}, {99, 1, false}, {112, 30, true}, {111, 33, true},
		{200, 1, false}, {200, 0, true}, {512, 16, true}, {511, 2, false}, {527, 2, false},
		{limit - 4, 4, true}, {limit - 5, 5, false}, {limit - 4, 5, false}, {limit, 0, true}, {limit + 1, 0, false},
		{1 << 63, 1 << 63, false},
	} {
		err := k.Check(test.addr, test.bytes, written)
		if (err == nil) != test.there || err != nil && !errors.Is(err, ErrNoMemory) {
			t.Errorf("%d bytes at %d: %v", test.bytes, test.addr, err)
		}
	}
	for _, e := range [][2]uint64{{limit, 1}, {limit - 4, 5}, {limit + 1, 0}, {1, ^uint64(0)}} {
		if err := k.Add(e[0], e[1]); !errors.Is(err, ErrFull) {
			t.Errorf("%d bytes at %d: %v", e[1], e[0], err)
		}
	}
}
