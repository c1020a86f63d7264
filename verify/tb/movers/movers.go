// Package movers has benches of the modules that moves go through, from the
// registers to the DMA engines, each with a model in plain Go.
package movers

import (
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/tb/pins"
)

const (
	platform  = "u55c_tcp"
	queues    = 4
	beatBytes = 64
	mostBytes = 4096 // of a slice
)

// rhythm is when a side of a stream is active.
func rhythm(r *rand.Rand) *pins.Rhythm {
	return &pins.Rhythm{Random: r.IntN, Pauses: []int{0, 0, 60, 150, 230}[r.IntN(5)]}
}

// bytesOf are random bytes.
func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// lengthOf is a length of a slice: most are short, and those around whole beats
// are frequent.
func lengthOf(r *rand.Rand) int {
	switch r.IntN(10) {
	case 0, 1:
		return beatBytes * (1 + r.IntN(4))
	case 2, 3:
		return max(1, beatBytes*(1+r.IntN(4))+r.IntN(3)-1)
	case 4:
		return 1 + r.IntN(mostBytes)
	}
	return 1 + r.IntN(200)
}

// codes are the bits of return codes, by name.
func codes() (map[string]uint64, error) {
	d, err := pins.Design(platform)
	if err != nil {
		return nil, err
	}
	bits := map[string]uint64{}
	for _, b := range d.ABI().BitSet(abi.ReturnCode).Bits {
		bits[b.Name] = 1 << b.At
	}
	return bits, nil
}

// differs says that something is not as it ought to be.
func differs(what string, got, want any) error {
	return fmt.Errorf("%s is %v, not %v", what, got, want)
}

func flag(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}
