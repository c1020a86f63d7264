package lanes_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// codec turns elements into bytes and back, one by one.
type codec[T any] struct {
	name string
	size int
	put  func([]byte, T)
	get  func([]byte) T
}

var le = binary.LittleEndian

var (
	f32 = codec[float32]{"float32", 4,
		func(b []byte, v float32) { le.PutUint32(b, math.Float32bits(v)) },
		func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) }}
	f64 = codec[float64]{"float64", 8,
		func(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) },
		func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }}
	i8 = codec[int8]{"int8", 1,
		func(b []byte, v int8) { b[0] = byte(v) },
		func(b []byte) int8 { return int8(b[0]) }}
	u8 = codec[uint8]{"uint8", 1,
		func(b []byte, v uint8) { b[0] = v },
		func(b []byte) uint8 { return b[0] }}
	i16 = codec[int16]{"int16", 2,
		func(b []byte, v int16) { le.PutUint16(b, uint16(v)) },
		func(b []byte) int16 { return int16(le.Uint16(b)) }}
	u16 = codec[uint16]{"uint16", 2, le.PutUint16, le.Uint16}
	i32 = codec[int32]{"int32", 4,
		func(b []byte, v int32) { le.PutUint32(b, uint32(v)) },
		func(b []byte) int32 { return int32(le.Uint32(b)) }}
	u32 = codec[uint32]{"uint32", 4, le.PutUint32, le.Uint32}
	i64 = codec[int64]{"int64", 8,
		func(b []byte, v int64) { le.PutUint64(b, uint64(v)) },
		func(b []byte) int64 { return int64(le.Uint64(b)) }}
	u64 = codec[uint64]{"uint64", 8, le.PutUint64, le.Uint64}
)

func (c codec[T]) bytes(s []T) []byte {
	out := make([]byte, len(s)*c.size)
	for i, v := range s {
		c.put(out[i*c.size:], v)
	}
	return out
}

func reduce(t testing.TB, function, element string) lanes.Reducer {
	t.Helper()
	f, ok := lanes.Reduce(function, element)
	assert.Assert(t, ok, "there is no %s of %s", function, element)
	return f
}

func convert(t testing.TB, from, to string) lanes.Converter {
	t.Helper()
	f, ok := lanes.Convert(from, to)
	assert.Assert(t, ok, "there is no conversion from %s to %s", from, to)
	return f
}

// functions are all reductions.
var functions = lanes.Functions()

// exact is a reduction by definition, of the bytes of elements.
func exact(t testing.TB, function, element string) func(a, b []byte) []byte {
	t.Helper()
	r, ok := ieee.ReductionOf(function)
	of, known := ieee.Types[element]
	assert.Assert(t, ok && known, "there is no reference for %s of %s", function, element)
	bits := func(b []byte) (v uint64) {
		for i, x := range b {
			v |= uint64(x) << (8 * i)
		}
		return v
	}
	return func(a, b []byte) []byte {
		return le.AppendUint64(nil, r.Of(of, bits(a), bits(b)))[:len(a)]
	}
}

// testReduce holds all reductions of all pairs of values against their definition.
func testReduce[T any](t *testing.T, c codec[T], values []T) {
	t.Helper()
	var a, b []T
	for _, x := range values {
		for _, y := range values {
			a, b = append(a, x), append(b, y)
		}
	}
	for _, function := range functions {
		checkReduce(t, function, c.name, c.size, c.bytes(a), c.bytes(b))
	}
}

// checkReduce holds a reduction against its definition.
func checkReduce(t *testing.T, function, element string, size int, a, b []byte) {
	t.Helper()
	want, got := exact(t, function, element), make([]byte, len(a))
	reduce(t, function, element)(got, a, b)
	for i := 0; i < len(a); i += size {
		x, y, g := a[i:i+size], b[i:i+size], got[i:i+size]
		if w := want(x, y); !bytes.Equal(g, w) {
			t.Fatalf("%s of %s: %x and %x give %x, want %x", function, element, x, y, g, w)
		}
	}
}

func testInteger[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](t *testing.T,
	c codec[T], limits ...T) {
	values := append([]T{0, 1, 2, 100}, limits...)
	r := rand.New(rand.NewPCG(1, uint64(c.size)))
	for range 80 {
		values = append(values, T(r.Uint64()))
	}
	testReduce(t, c, values)
}

func TestIntegers(t *testing.T) {
	testInteger(t, i8, math.MinInt8, math.MaxInt8, -1)
	testInteger(t, u8, math.MaxUint8)
	testInteger(t, i16, math.MinInt16, math.MaxInt16, -1)
	testInteger(t, u16, math.MaxUint16)
	testInteger(t, i32, math.MinInt32, math.MaxInt32, -1)
	testInteger(t, u32, math.MaxUint32)
	testInteger(t, i64, math.MinInt64, math.MaxInt64, -1)
	testInteger(t, u64, math.MaxUint64)
}

// bits32 and bits64 have zeros, subnormals, limits, infinities, quiet and
// signalling NaNs of both signs, and random patterns.
func bits32() (values []float32) {
	for _, b := range []uint32{0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x3F800000, 0x3F800001, 0x33800000, 0x34000000,
		0x4B800000, 0x7F000000, 0x7F7FFFFF, 0x7F7FFFFE, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF} {
		values = append(values, math.Float32frombits(b), math.Float32frombits(b|1<<31))
	}
	r := rand.New(rand.NewPCG(2, 32))
	for range 80 {
		values = append(values, math.Float32frombits(r.Uint32()), float32(r.NormFloat64()))
	}
	return values
}

func bits64() (values []float64) {
	for _, b := range []uint64{0, 1, 2, 1<<52 - 1, 1 << 52, 1<<52 + 1, 0x3FF << 52, 0x3FF<<52 + 1,
		0x3CA << 52, 0x3CB << 52,
		0x434 << 52, 0x7FE << 52, 0x7FF<<52 - 1, 0x7FF<<52 - 2, 0x7FF << 52, 0x7FF<<52 + 1, 0x7FF8 << 48, 1<<63 - 1} {
		values = append(values, math.Float64frombits(b), math.Float64frombits(b|1<<63))
	}
	r := rand.New(rand.NewPCG(2, 64))
	for range 80 {
		values = append(values, math.Float64frombits(r.Uint64()), r.NormFloat64())
	}
	return values
}

func TestFloats(t *testing.T) {
	testReduce(t, f32, bits32())
	testReduce(t, f64, bits64())
}

// A NaN must be found wherever it stands, also beside infinities.
func TestNaNAnywhere(t *testing.T) {
	for _, function := range functions {
		f := reduce(t, function, "float32")
		for n := 1; n < 20; n++ {
			for at := range n {
				a, b := make([]float32, n), make([]float32, n)
				for i := range a {
					a[i] = 1 // as 0 times infinity is NaN
				}
				a[at] = math.Float32frombits(0xFFABCDEF)
				b[n-1-at] = float32(math.Inf(-1))
				got := make([]byte, 4*n)
				f(got, f32.bytes(a), f32.bytes(b))
				for i := range n {
					isNaN := le.Uint32(got[4*i:]) == 0x7FC00000
					if isNaN != (i == at) {
						t.Fatalf("%s of %d elements with a NaN at %d: %x", function, n, at, got)
					}
				}
			}
		}
	}
}

var types = []string{
	"float16", "bfloat16", "float32", "float64",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Unaligned memory, long and short, with neighbours that must stay as they are.
func TestAlignment(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, element := range types {
		size, _ := lanes.ElementBytes(element)
		for _, function := range functions {
			f := reduce(t, function, element)
			for _, n := range []int{0, 1, 2, 3, 7, 8, 100, 4096/size - 1, 4096 / size, 4096/size + 1, 3000} {
				a, b, want := random(r, n*size), random(r, n*size), make([]byte, n*size)
				for i := 0; i < n*size; i += size { // one by one, so always aligned or always not
					f(want[i:i+size], a[i:i+size], b[i:i+size])
				}
				for offset := range 8 {
					x := append(make([]byte, offset, offset+n*size), a...)
					y := append(make([]byte, (offset*3)%8, 8+n*size), b...)[(offset*3)%8:]
					d := bytes.Repeat([]byte{0xA5}, n*size+16)
					f(d[offset:offset+n*size], x[offset:], y)
					if !bytes.Equal(d[offset:offset+n*size], want) {
						t.Fatalf("%s of %d %s at offset %d differs", function, n, element, offset)
					}
					if len(bytes.Trim(d[:offset], "\xA5"))+len(bytes.Trim(d[offset+n*size:], "\xA5")) != 0 {
						t.Fatalf("%s of %d %s at offset %d writes beside the result", function, n, element, offset)
					}
				}
			}
		}
	}
}

func TestAliasing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, element := range types {
		size, _ := lanes.ElementBytes(element)
		for _, function := range functions {
			f := reduce(t, function, element)
			for offset := range 2 {
				n := 3001 * size
				a, b := random(r, n+offset)[offset:], random(r, n+offset)[offset:]
				clone := func(s []byte) []byte { return append(make([]byte, offset, offset+n), s...)[offset:] }
				ab, aa := make([]byte, n), make([]byte, n)
				f(ab, a, b)
				f(aa, a, a)
				intoA, intoB, both := clone(a), clone(b), clone(a)
				f(intoA, intoA, b)
				f(intoB, a, intoB)
				f(both, both, both)
				for i, got := range [][]byte{intoA, intoB, both} {
					if want := [][]byte{ab, ab, aa}[i]; !bytes.Equal(got, want) {
						t.Errorf("%s of %s at offset %d differs where dst is %s", function, element, offset,
							[]string{"a", "b", "both"}[i])
					}
				}
			}
		}
	}
}

// Whole elements of the shortest operand are computed, and nothing else.
func TestLengths(t *testing.T) {
	f := reduce(t, "sum", "int32")
	d := []byte{9, 9, 9, 9, 9, 9, 9, 9, 9}
	f(d, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3}, []byte{1, 0, 0, 0, 2, 0, 0})
	if want := []byte{2, 0, 0, 0, 9, 9, 9, 9, 9}; !bytes.Equal(d, want) {
		t.Errorf("sum of 7 bytes gives %v, want %v", d, want)
	}
	f(nil, nil, nil)
	convert(t, "float16", "float32")(nil, []byte{1, 2})
}

func TestUnknown(t *testing.T) {
	for _, c := range [][2]string{{"sum", "int128"}, {"sum", ""}, {"minimum", "float32"}, {"", "int32"},
		{"SUM", "int32"}} {
		if f, ok := lanes.Reduce(c[0], c[1]); ok || f != nil {
			t.Errorf("there is a reduction %q of %q", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"float32", "float32"}, {"int32", "float32"}, {"float32", "int64"}, {"", "float16"}} {
		if f, ok := lanes.Convert(c[0], c[1]); ok || f != nil {
			t.Errorf("there is a conversion from %q to %q", c[0], c[1])
		}
	}
	if n, ok := lanes.ElementBytes("float8"); ok || n != 0 {
		t.Errorf("float8 has %d bytes", n)
	}
}

func TestElementBytes(t *testing.T) {
	for element, want := range map[string]int{
		"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1, "uint8": 1,
		"int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
	} {
		if got, ok := lanes.ElementBytes(element); !ok || got != want {
			t.Errorf("%s has %d bytes, %v; want %d", element, got, ok, want)
		}
	}
}

func TestConcurrent(t *testing.T) {
	f := reduce(t, "sum", "float16")
	for g := range 4 {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			t.Parallel()
			one := bytes.Repeat([]byte{0x00, 0x3C}, 5000)
			d := make([]byte, len(one)+1)[1:]
			for range 20 {
				if f(d, one, one); !bytes.Equal(d, bytes.Repeat([]byte{0x00, 0x40}, 5000)) {
					t.Fatal("1 + 1 is not 2")
				}
			}
		})
	}
}
