package hls_test

import (
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// half is the value of the bits of a binary16.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(fraction+1024, exponent-25)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

// nearest says whether no other half is nearer to x than the one of bits, and, if
// another is as near, that this one is even. So it needs no rounding of its own.
func nearest(bits uint16, x float64) bool {
	const largest, above = 65504, 65536 // what the next would be, were there one
	have := half(bits)
	if math.IsNaN(x) || math.IsNaN(have) {
		return math.IsNaN(x) && math.IsNaN(have)
	}
	if math.Signbit(x) != math.Signbit(have) {
		return false
	}
	x, have, bits = math.Abs(x), math.Abs(have), bits&0x7fff
	if math.IsInf(have, 0) {
		return x >= (largest+above)/2
	}
	if have == largest && x > have {
		return x < (largest+above)/2
	}
	for _, other := range []uint16{bits - 1, bits + 1} {
		if other >= 0x7c00 { // infinite, or below zero
			continue
		}
		d := math.Abs(x-have) - math.Abs(x-half(other))
		if d > 0 || d == 0 && bits%2 == 1 {
			return false
		}
	}
	return true
}

func TestHalvesAreRoundedToTheNearest(t *testing.T) {
	t.Parallel()
	lines := run(t, build(t, standInHeaders(t), "-O2", "-Wno-strict-aliasing", "testdata/halves.cpp"))
	assert.Check(t, len(lines) == 65536+6*20000, "%d lines", len(lines))
	for _, line := range lines {
		var operation string
		var a, b, c uint32
		_, err := fmt.Sscanf(line, "%s %x %x %x", &operation, &a, &b, &c)
		assert.NilError(t, err, "%s", line)
		x, y := half(uint16(a)), half(uint16(b))
		ok := true
		switch operation {
		case "float":
			f := float64(math.Float32frombits(b))
			ok = f == x && math.Signbit(f) == math.Signbit(x) && c == a || math.IsNaN(f) && math.IsNaN(x)
		case "+":
			ok = nearest(uint16(c), x+y)
		case "-":
			ok = nearest(uint16(c), x-y)
		case "*":
			ok = nearest(uint16(c), x*y)
		case "/":
			ok = nearest(uint16(c), x/y)
		case "<":
			ok = (c == 1) == (x < y)
		case "==":
			ok = (c == 1) == (x == y)
		}
		assert.Assert(t, ok, "%s, of %v and %v", line, x, y)
	}
}
