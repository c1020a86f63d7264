package hls_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
)

const ownTypes = `
platform "own_types" {
  board = "u55c"
  poe "tcp" {}
  type "bfloat16" { bytes = 2 }
  arithmetic "reduce_ops" {
    function "sum" { tdest = { bfloat16 = 0 } }
  }
}
`

// edges are numbers at which rounding changes: the halves between neighbours of both
// formats, the ends of their ranges, infinities and NaNs.
func edges() []uint32 {
	var out []uint32
	for exponent := uint32(95); exponent < 150; exponent++ {
		for _, mantissa := range []uint32{0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001,
			0x18000, 0x7FEFFF, 0x7FF000, 0x7FF001, 0x7FFFFF} {
			out = append(out, exponent<<23|mantissa)
		}
	}
	out = append(out, 0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x7F800000, 0x7F800001,
		0x7FC00000, 0x7FFFFFFF)
	for _, v := range out {
		out = append(out, v|1<<31)
	}
	return out
}

// TestNumbersConvertAsTheDriverDoes: every 16-bit number, and binary32 numbers at all
// edges and at random.
func TestNumbersConvertAsTheDriverDoes(t *testing.T) {
	numbers := edges()
	random := rand.New(rand.NewPCG(6, 2026))
	for range 200_000 {
		numbers = append(numbers, random.Uint32())
	}
	dir := bindingHeaders(t, designtest.Made(t, "own_types", map[string]string{"own_types.hcl": ownTypes}))
	source(t, dir, "numbers.cpp")
	program := buildKernel(t, dir, []string{"numbers.cpp"})
	in := make([]byte, 0, 4*len(numbers))
	for _, v := range numbers {
		in = binary.LittleEndian.AppendUint32(in, v)
	}
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	assert.NilError(t, err)
	want := 4 * (2<<16 + 6*len(numbers))
	assert.Assert(t, len(out) == want, "%d bytes, want %d", len(out), want)
	next := func() uint32 {
		v := binary.LittleEndian.Uint32(out)
		out = out[4:]
		return v
	}
	check := func(what string, of, got, want uint32) {
		assert.Check(t, is.Equal(got, want), "%s of %#x", what, of)
	}
	for i := range uint32(1 << 16) {
		check("float of float16", i, next(), math.Float32bits(accl.Float16(i).Float32()))
		check("float of bfloat16", i, next(), math.Float32bits(accl.BFloat16(i).Float32()))
		if t.Failed() {
			return
		}
	}
	for _, v := range numbers {
		f := math.Float32frombits(v)
		check("float16", v, next(), uint32(accl.ToFloat16(f)))
		check("bfloat16", v, next(), uint32(accl.ToBFloat16(f)))
		check("float32", v, next(), v)
		wide := next()
		if f == f { // widening makes NaNs quiet
			check("float64", v, wide, v)
		}
		check("int32", v, next(), v)
		check("int64", v, next(), v)
		if t.Failed() {
			return
		}
	}
}
