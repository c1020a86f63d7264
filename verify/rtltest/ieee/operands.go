package ieee

import (
	"encoding/binary"
	"math/rand/v2"
)

// Bytes is the size of an element in memory.
func (t Type) Bytes() int { return t.Width() / 8 }

// Get reads the element at the beginning of a slice.
func (t Type) Get(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b[:t.Bytes()])
	return binary.LittleEndian.Uint64(word[:])
}

// Put writes an element at the beginning of a slice.
func (t Type) Put(b []byte, v uint64) {
	copy(b[:t.Bytes()], binary.LittleEndian.AppendUint64(nil, v))
}

// Corners are values at which something changes: both ends of every range of exponents, with
// fractions that are even, odd, halves and beside these.
func (t Type) Corners() (values []uint64) {
	if t.Bits > 0 {
		top := uint64(1) << (t.Bits - 1)
		for _, v := range []uint64{0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, top - 1,
			top, top + 1, 2*top - 1, 2*top - 2} {
			values = append(values, v&(top|(top-1)))
		}
		return values
	}
	f := t.Format
	most, all := 1<<f.Exponent-1, uint64(1)<<f.Fraction-1
	for _, exponent := range []int{0, 1, 2, 3, most / 2, most/2 + 1, most/2 + 2, f.Fraction, f.Fraction + 1,
		f.Fraction + 2, f.Fraction + 3, most - 2, most - 1, most} {
		for _, fraction := range []uint64{0, 1, 2, all >> 1, all>>1 + 1, all>>1 + 2, all - 1, all} {
			v := uint64(min(exponent, most))<<f.Fraction | fraction
			values = append(values, v, v|f.Sign())
		}
	}
	return values
}

// Pair is two random elements, with more corners and close ones than chance would give.
func (t Type) Pair(r *rand.Rand, corners []uint64) (a, b uint64) {
	width := t.Width()
	random := func() uint64 { return r.Uint64() >> (64 - width) }
	corner := func() uint64 { return corners[r.IntN(len(corners))] }
	a, b = random(), random()
	if t.Bits > 0 {
		switch r.IntN(8) {
		case 0:
			a, b = corner(), corner()
		case 1:
			b = corner()
		case 2:
			b = a ^ 1<<r.IntN(width)
		}
		return a, b
	}
	f, most := t.Format, 1<<t.Format.Exponent-1
	at := func(exponent int) uint64 { // random, with an exponent
		return random()&^(uint64(most)<<f.Fraction) | uint64(min(max(exponent, 0), most))<<f.Fraction
	}
	exponent := int(a>>f.Fraction) & most
	switch r.IntN(8) {
	case 0:
		a, b = corner(), corner()
	case 1:
		b = corner()
	case 2: // cancels but for a few units
		b = a ^ f.Sign() ^ random()>>r.IntN(width)
	case 3: // subnormal or infinite, or nearly
		a, b = at(r.IntN(3)), at(r.IntN(3))
		if r.IntN(2) == 0 {
			a, b = at(most-r.IntN(3)), at(most-r.IntN(3))
		}
	case 4: // ties, and sticky bits alone
		b = at(exponent - f.Fraction - 3 + r.IntN(5))
		if r.IntN(2) == 0 {
			b &^= 1<<r.IntN(f.Fraction+1) - 1
		}
	case 5, 6:
		b = at(exponent + r.IntN(2*f.Fraction+6) - f.Fraction - 3)
	}
	return a, b
}
