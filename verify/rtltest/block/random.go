package block

import (
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

// NewRhythm is a random pace of one side of a stream: many are always active, others hardly.
func NewRhythm(r *rand.Rand) *pins.Rhythm {
	return &pins.Rhythm{Random: r.IntN, Pauses: []int{0, 0, 60, 150, 230}[r.IntN(5)]}
}

// RandomBytes returns n random bytes.
func RandomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// RandomLength is a random length of up to most bytes: most are short, and lengths
// around whole beats are frequent.
func RandomLength(r *rand.Rand, beat, most int) int {
	switch r.IntN(10) {
	case 0, 1:
		return beat * (1 + r.IntN(4))
	case 2, 3:
		return max(1, beat*(1+r.IntN(4))+r.IntN(3)-1)
	case 4:
		return 1 + r.IntN(most)
	}
	return 1 + r.IntN(200)
}

// Bit is 1 or 0.
func Bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// Stretches is when a side of a stream is active: stretches of nothing, of full rate and between.
type Stretches struct {
	Random *rand.Rand
	left   int
	often  int // of 4
}

// Next tells whether the stream is active in the next cycle.
func (s *Stretches) Next() bool {
	if s.left == 0 {
		s.left, s.often = 1+s.Random.IntN(40), s.Random.IntN(5)
	}
	s.left--
	return s.Random.IntN(4) < s.often
}

// Differs is an error for a value that is not the expected one.
func Differs(what string, got, want any) error {
	return fmt.Errorf("%s is %v, not %v", what, got, want)
}
