package rtlsim

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// cutter cuts and joins what comes on sessions at any bytes, as a TCP stack may that
// has sent again.
type cutter struct {
	r     *rand.Rand
	waits map[uint32][]byte
}

const (
	longestPiece = 1<<16 - 1 // that a stack notifies of at once
	muchWaiting  = 2 * longestPiece
)

func newCutter(seed uint64, number int32) *cutter {
	if seed == 0 {
		return nil
	}
	return &cutter{r: rand.New(rand.NewPCG(seed, uint64(number))), waits: map[uint32][]byte{}}
}

// add takes bytes of a session, and reports whether there are many.
func (c *cutter) add(session uint32, b []byte) (many bool) {
	c.waits[session] = append(c.waits[session], b...)
	return len(c.waits[session]) > muchWaiting
}

// sessions are those of which bytes wait, in an order that is always the same.
func (c *cutter) sessions() []uint32 { return slices.Sorted(maps.Keys(c.waits)) }

// give hands out pieces of a session's bytes until one is not taken, and reports
// whether none are left.
func (c *cutter) give(session uint32, push func(piece []byte) bool) (all bool) {
	b := c.waits[session]
	for len(b) > 0 {
		n := c.piece(len(b))
		if !push(b[:n:n]) {
			c.waits[session] = b
			return false
		}
		b = b[n:]
	}
	delete(c.waits, session)
	return true
}

// piece is how many of so many bytes go at once: few, some around the ends of beats,
// or up to all.
func (c *cutter) piece(most int) int {
	n := most
	switch c.r.IntN(8) {
	case 0:
		n = 1 + c.r.IntN(3)
	case 1, 2:
		n = 1 + c.r.IntN(200)
	case 3, 4:
		n = headerBytes*(1+c.r.IntN(70)) - 1 + c.r.IntN(3)
	case 5, 6:
		n = 1 + c.r.IntN(most)
	}
	return min(n, most, longestPiece)
}
