// Package sending has benches of the small modules of the data half and of the
// common blocks, each with a model in plain Go.
package sending

import "math/rand/v2"

// rhythm says when a side of a stream is active: at random, with stretches of
// nothing and of full rate between.
type rhythm struct {
	r     *rand.Rand
	left  int
	often int // of 4
}

func (p *rhythm) next() bool {
	if p.left == 0 {
		p.left, p.often = 1+p.r.IntN(40), p.r.IntN(5)
	}
	p.left--
	return p.r.IntN(4) < p.often
}

// beatBytes is how much a beat holds.
const beatBytes = 64

// bytesOf are random bytes.
func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// lengthOf is a length of a slice: most are short, some are as long as can be, and
// those around whole beats are frequent.
func lengthOf(r *rand.Rand) int {
	switch r.IntN(8) {
	case 0:
		return beatBytes * (1 + r.IntN(4))
	case 1:
		return max(1, beatBytes*(1+r.IntN(4))+r.IntN(3)-1)
	case 2:
		return 1 + r.IntN(4096)
	}
	return 1 + r.IntN(200)
}

// keepOf are the strobes of the first bytes of a beat.
func keepOf(n int) uint64 {
	if n >= beatBytes {
		return ^uint64(0)
	}
	return 1<<n - 1
}
