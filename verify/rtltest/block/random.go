package block

import (
	"fmt"
	"math/rand/v2"
)

// Rhythm says when a stream is active, at random, with stretches of nothing and
// of full rate between.
type Rhythm struct {
	Random func(n int) int
	Pauses int // of 256 cycles
	left   int
	now    int
}

// Next tells whether the stream is active in the next cycle.
func (r *Rhythm) Next() bool {
	if r.Pauses == 0 {
		return true
	}
	if r.left == 0 {
		r.left = 1 + r.Random(32)
		r.now = []int{0, r.Pauses, r.Pauses, 256}[r.Random(4)]
	}
	r.left--
	return r.Random(256) >= r.now
}

// NewRhythm is a random pace of one side of a stream: many are always active, others hardly.
func NewRhythm(r *rand.Rand) *Rhythm {
	return &Rhythm{Random: r.IntN, Pauses: []int{0, 0, 60, 150, 230}[r.IntN(5)]}
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

// Differs is an error for a value that is not the expected one.
func Differs(what string, got, want any) error {
	return fmt.Errorf("%s is %v, not %v", what, got, want)
}
