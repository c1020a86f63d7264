package datapath

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

const (
	beatBytes = 64
	mostBytes = 4096 // of a slice
)

// keepOf are the strobes of the first bytes of a beat.
func keepOf(n int) uint64 {
	if n >= beatBytes {
		return ^uint64(0)
	}
	return 1<<n - 1
}
