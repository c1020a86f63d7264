package emu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
)

// patterns are n bytes of elements of which many are special: zeros, infinities, NaNs
// with any payload, subnormals, the largest, and near neighbours.
func patterns(seed uint64, n, element int) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := random(seed, n)
	mantissa := map[int]int{2: 10, 4: 23, 8: 52}[element]
	for at := 0; mantissa > 0 && at+element <= n; at += element {
		var v [8]byte
		copy(v[:], b[at:at+element])
		bits := binary.LittleEndian.Uint64(v[:])
		fraction := uint64(1)<<mantissa - 1
		exponent := (uint64(1)<<(8*element-1) - 1) &^ fraction
		switch rng.IntN(8) {
		case 0:
			bits &^= exponent // subnormal
		case 1:
			bits |= exponent // NaN
		case 2:
			bits = bits&^fraction | exponent // infinity
		case 3:
			bits &^= exponent | fraction // zero
		case 4:
			bits = bits&^(exponent|fraction) | exponent/2&exponent | bits&3 // near a power of two
		case 5:
			bits = bits&^exponent | exponent>>1&exponent | bits&fraction // about 1
		}
		binary.LittleEndian.PutUint64(v[:], bits)
		copy(b[at:at+element], v[:])
	}
	return b
}

// compilerOrSkip skips a test where there is no C++ compiler.
func compilerOrSkip(t testing.TB) {
	t.Helper()
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
}

// TestReferencePluginsAreThoseOfTheLanes holds the shipped plugins in C++ against the
// built-in lanes, which are exact, to the bit.
func TestReferencePluginsAreThoseOfTheLanes(t *testing.T) {
	compilerOrSkip(t)
	d := designtest.Load(t, "u50_udp", nil) // has all functions
	d.PluginsAs(platform.SourceHLS)
	r := newWorld(t, worldOptions{engines: 1, design: d}).rigs[0]
	if err := r.openPlugins(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer r.closePlugins()
	const bytesEach = 64 * 500
	for _, fn := range d.Platform.Arithmetic.Functions {
		for _, f := range fn.TDEST {
			reduce, ok := r.functions.reduction(uint32(f.TDEST))
			want, known := lanes.Reduce(fn.Name, f.Type)
			if !ok || !known {
				t.Fatalf("%s of %s is missing", fn.Name, f.Type)
			}
			for seed := range uint64(4) {
				n := bytesEach + int(seed)*reduce.bytes
				a, b := patterns(seed, n, reduce.bytes), patterns(seed+50, n, reduce.bytes)
				got, expected := make([]byte, n), make([]byte, n)
				reduce.fn(got, a, b)
				want(expected, a, b)
				differ(t, fn.Name+" of "+f.Type, got, expected, reduce.bytes, a, b)
			}
		}
	}
	for lane := range d.Platform.Compression.Lanes {
		for _, conv := range d.Platform.Compression.Conversions {
			c, ok := r.functions.conversion(lane, uint32(conv.TDEST))
			want, known := lanes.Convert(conv.From, conv.To)
			if !ok || !known {
				t.Fatalf("%s to %s is missing", conv.From, conv.To)
			}
			for seed := range uint64(4) {
				n := bytesEach/4 + int(seed)*5
				src := patterns(seed, n*c.from, c.from)
				got, expected := make([]byte, n*c.to), make([]byte, n*c.to)
				c.fn(got, src)
				want(expected, src)
				differ(t, conv.From+" to "+conv.To, got, expected, c.to, src)
			}
		}
	}
	if r.functions.plugins.failed != 0 {
		t.Errorf("a plugin has failed: %+v", r.pluginStats())
	}
}

// differ reports the first element that is not as expected.
func differ(t *testing.T, what string, got, want []byte, element int, in ...[]byte) {
	t.Helper()
	for i := 0; i*element < len(want); i++ {
		if bytes.Equal(got[i*element:(i+1)*element], want[i*element:(i+1)*element]) {
			continue
		}
		size := len(in[0]) / (len(want) / element)
		t.Errorf("%s: element %d is %x, expected %x, of", what, i, got[i*element:(i+1)*element],
			want[i*element:(i+1)*element])
		for _, operand := range in {
			t.Logf("%x", operand[i*size:(i+1)*size])
		}
		return
	}
}
