package ieee

import "math"

// Narrowing is float32 to float16 for many numbers in order: rounding never goes
// down when numbers go up, so the float32 of each float16 follow one another, and
// it is enough to know where each float16 begins.
type Narrowing struct {
	begins [halfInfinity + 1]uint32 // the bits of the first float32
}

// NewNarrowing finds out where each float16 begins: at the middle between it and
// the one below, which goes to the even one of the two.
func NewNarrowing() *Narrowing {
	n := &Narrowing{}
	value := func(h int) float64 { // infinity counts as the number that would follow
		if h < 0x400 {
			return math.Ldexp(float64(h), -24)
		}
		return math.Ldexp(float64(h&0x3FF|0x400), h>>10-1-24)
	}
	for h := 1; h <= halfInfinity; h++ {
		middle := float32((value(h-1) + value(h)) / 2) // exact: one bit more than float16 has
		n.begins[h] = math.Float32bits(middle)
		if h%2 == 1 {
			n.begins[h]++
		}
	}
	return n
}

// Fill converts the float32 from first on, all of which have the same sign.
func (n *Narrowing) Fill(out []uint16, first uint32) {
	sign, magnitude := uint16(first>>31)<<15, first&^(1<<31)
	h := n.find(magnitude)
	for i := range out {
		m := magnitude + uint32(i)
		for h < halfInfinity && m >= n.begins[h+1] {
			h++
		}
		out[i] = sign | uint16(h)
		if m > 0xFF<<23 {
			out[i] = halfNaN
		}
	}
}

// find is the float16 of a magnitude that is not NaN.
func (n *Narrowing) find(magnitude uint32) int {
	low, high := 0, halfInfinity
	for low < high {
		if middle := (low + high + 1) / 2; n.begins[middle] <= magnitude {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
