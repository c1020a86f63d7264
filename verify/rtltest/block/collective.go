package block

import "math/rand/v2"

// Collective is which one a message belongs to.
type Collective struct{ Number, Count, Shape uint64 }

// RandomCollective is mostly the same one; others are older, newer, or differ in a bit.
func RandomCollective(r *rand.Rand) Collective {
	c := Collective{0, 10, 0x30}
	switch r.IntN(8) {
	case 0:
		c.Number = []uint64{0xFFFFFFFF, 0xFFFFFFFE, 0x80000001}[r.IntN(3)]
	case 1:
		c.Number = []uint64{1, 0x7FFFFFFF, 0x80000000}[r.IntN(3)]
	case 2:
		c.Count ^= 1 << r.IntN(32)
	case 3:
		c.Shape ^= 1 << r.IntN(32)
	}
	return c
}

// Before tells whether ranks have agreed on numbers since: the upper half counts agreements, and wraps around.
func (c Collective) Before(o Collective) bool { return int16(c.Number>>16)-int16(o.Number>>16) < 0 }

// SetCollective sets an input that has number, count and shape.
func (b *Bench) SetCollective(port string, c Collective) {
	b.Set(port+".number", c.Number)
	b.Set(port+".count", c.Count)
	b.Set(port+".shape", c.Shape)
}

// Collective is what stands at a port that has number, count and shape.
func (b *Bench) Collective(port string) Collective {
	return Collective{b.Get(port + ".number"), b.Get(port + ".count"), b.Get(port + ".shape")}
}
