package plugins_test

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

var le = binary.LittleEndian

// element is a type of elements, as bits in the low end of a word.
type element struct {
	bytes  int
	format ieee.Format // of floating point
}

var elements = map[string]element{
	"float16":  {2, ieee.Float16},
	"bfloat16": {2, ieee.Format{Exponent: 8, Fraction: 7}},
	"float32":  {4, ieee.Float32},
	"float64":  {8, ieee.Float64},
	"int32":    {4, ieee.Format{}},
	"int64":    {8, ieee.Format{}},
}

func (e element) put(b []byte, v uint64) {
	switch e.bytes {
	case 2:
		le.PutUint16(b, uint16(v))
	case 4:
		le.PutUint32(b, uint32(v))
	default:
		le.PutUint64(b, v)
	}
}

// corners are values at which something changes: both ends of every range of
// exponents, with fractions that are even, odd, halves and beside these.
func (e element) corners() (values []uint64) {
	f, width := e.format, 8*e.bytes
	if f.Fraction == 0 {
		for _, v := range []uint64{0, 1, 2, 0xFFFF, 0x10000, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32} {
			values = append(values, v<<(64-width)>>(64-width), -v<<(64-width)>>(64-width), 1<<(width-1)-v,
				(1<<(width-1)+v)<<(64-width)>>(64-width))
		}
		return values
	}
	most, fractions := 1<<f.Exponent-1, uint64(1)<<f.Fraction-1
	for _, exponent := range []int{0, 1, 2, 3, most / 2, most/2 + 1, f.Fraction, f.Fraction + 1, f.Fraction + 2,
		f.Fraction + 3, most - 2, most - 1, most} {
		for _, fraction := range []uint64{0, 1, 2, fractions >> 1, fractions>>1 + 1, fractions>>1 + 2,
			fractions - 1, fractions} {
			v := uint64(min(exponent, most))<<f.Fraction | fraction
			values = append(values, v, v|f.Sign())
		}
	}
	return values
}

// pair is two random elements, of which many are close to each other, to ties, to
// subnormal numbers or to overflow.
func (e element) pair(r *rand.Rand, corners []uint64) (a, b uint64) {
	width := 8 * e.bytes
	random := func() uint64 { return r.Uint64() >> (64 - width) }
	corner := func() uint64 { return corners[r.IntN(len(corners))] }
	f := e.format
	a, b = random(), random()
	at := func(exponent int) uint64 { // random, with an exponent
		most := 1<<f.Exponent - 1
		return random()&^(uint64(most)<<f.Fraction) | uint64(min(max(exponent, 0), most))<<f.Fraction
	}
	switch way := r.IntN(8); {
	case way == 0:
		a, b = corner(), corner()
	case way == 1:
		b = corner()
	case way == 2: // cancels but for a few bits
		b = a ^ 1<<(width-1) ^ random()>>r.IntN(width)
	case f.Fraction == 0:
	case way == 3:
		a, b = at(r.IntN(3)), at(r.IntN(3))
	case way == 4:
		a, b = at(1<<f.Exponent-r.IntN(4)), at(1<<f.Exponent-r.IntN(4))
	case way < 7: // fractions that overlap, or a tie
		b = at(int(a>>f.Fraction&(1<<f.Exponent-1)) + r.IntN(2*f.Fraction+8) - f.Fraction - 4)
		if way == 6 {
			b &^= 1<<r.IntN(f.Fraction+1) - 1
		}
	}
	return a, b
}
