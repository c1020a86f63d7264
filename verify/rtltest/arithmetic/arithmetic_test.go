package arithmetic

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// element is a type of elements, as bits in the low end of a word.
type element struct {
	name     string
	bytes    int
	floating bool
	format   ieee.Format
}

var elements = func() map[string]element {
	all := map[string]element{}
	for _, name := range []string{"float16", "float32", "float64", "int32", "int64"} {
		t := ieee.Types[name]
		all[name] = element{name, t.Width() / 8, t.Bits == 0, t.Format}
	}
	return all
}()

func (e element) get(b []byte) uint64 {
	switch e.bytes {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (e element) put(b []byte, v uint64) {
	switch e.bytes {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// exact is a function by definition.
func (e element) exact(function string, a, b uint64) uint64 {
	r, _ := ieee.ReductionOf(function)
	return r.Of(ieee.Types[e.name], a, b)
}

var halves = sync.OnceValue(ieee.NewHalfRows)

// processor is what the processor's arithmetic has for functions that are slow by definition.
var processor = map[string]func(x, y float64) float64{
	"sum":  func(x, y float64) float64 { return x + y },
	"prod": func(x, y float64) float64 { return x * y },
}

// quick is exact by means that are fast enough for millions of pairs: the
// processor's floating point, or fixed point. A test compares them.
func (e element) quick(function string, a, b uint64) uint64 {
	native := processor[function]
	switch {
	case e.name == "float16":
		r, _ := ieee.ReductionOf(function)
		return uint64(r.Half(halves(), uint16(a), uint16(b)))
	case native == nil || !e.floating:
		return e.exact(function, a, b)
	}
	var result uint64
	if e.bytes == 4 {
		// float64 has more than twice the bits, so that rounding twice is like once.
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		result = uint64(math.Float32bits(float32(native(float64(x), float64(y)))))
	} else {
		result = math.Float64bits(native(math.Float64frombits(a), math.Float64frombits(b)))
	}
	if e.format.IsNaN(result) {
		return e.format.NaN()
	}
	return result
}

// cornersOf are the corners of each type.
var cornersOf = func() map[string][]uint64 {
	all := map[string][]uint64{}
	for name, e := range elements {
		all[name] = e.findCorners()
	}
	return all
}()

// corners are values at which something changes.
func (e element) corners() []uint64 { return cornersOf[e.name] }

func (e element) findCorners() (values []uint64) {
	if !e.floating {
		top := uint64(1) << (8*e.bytes - 1)
		for _, v := range []uint64{0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, top - 1,
			top, top + 1, 2*top - 1, 2*top - 2} {
			values = append(values, v&(top|(top-1)))
		}
		return values
	}
	f := e.format
	most, all := 1<<f.Exponent-1, uint64(1)<<f.Fraction-1
	for _, exponent := range []int{0, 1, 2, 3, most / 2, most/2 + 1, most/2 + 2, f.Fraction, f.Fraction + 1,
		f.Fraction + 2, f.Fraction + 3, most - 2, most - 1, most} {
		for _, fraction := range []uint64{0, 1, 2, all >> 1, all>>1 + 1, all>>1 + 2, all - 1, all} {
			v := uint64(exponent)<<f.Fraction | fraction
			values = append(values, v, v|f.Sign())
		}
	}
	return values
}

// pair is two random elements, with more corners and close ones than chance
// would give.
func (e element) pair(r *rand.Rand) (a, b uint64) {
	width := 8 * e.bytes
	random := func() uint64 { return r.Uint64() >> (64 - width) }
	corner := func() uint64 {
		c := e.corners()
		return c[r.IntN(len(c))]
	}
	a = random()
	if !e.floating {
		switch b = random(); r.IntN(8) {
		case 0:
			a, b = corner(), corner()
		case 1:
			b = corner()
		case 2:
			b = a ^ 1<<r.IntN(width)
		}
		return a, b
	}
	f := e.format
	exponent := func(of uint64, distance int) uint64 { // random, at a distance from another
		at := int(of>>f.Fraction&(1<<f.Exponent-1)) + distance
		return random()&^(uint64(1<<f.Exponent-1)<<f.Fraction) | uint64(min(max(at, 0), 1<<f.Exponent-1))<<f.Fraction
	}
	switch r.IntN(8) {
	case 0:
		return corner(), corner()
	case 1:
		b = corner()
	case 2: // cancels but for a few units
		b = a ^ f.Sign() ^ random()>>r.IntN(width)
	case 3: // subnormal, or nearly
		a, b = exponent(0, r.IntN(3)), exponent(0, r.IntN(3))
	case 4: // ties, and sticky bits alone
		b = exponent(a, -f.Fraction-3+r.IntN(5))
		if r.IntN(2) == 0 {
			b &^= 1<<r.IntN(f.Fraction+1) - 1
		}
	case 5, 6:
		b = exponent(a, r.IntN(2*f.Fraction+6)-f.Fraction-3)
	default:
		b = random()
	}
	return a, b
}

// The references agree with each other, and with the emulator.
func TestReferencesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 1))
	for name, e := range elements {
		for _, function := range declared(t) {
			emulated, ok := lanes.Reduce(function, name)
			if !ok {
				t.Fatalf("the emulator has no %s of %s", function, name)
			}
			for range 50_000 {
				a, b := e.pair(r)
				want := e.exact(function, a, b)
				if got := e.quick(function, a, b); got != want {
					t.Fatalf("%s of %s %x and %x: %x, and exactly %x", function, name, a, b, got, want)
				}
				x, y := make([]byte, e.bytes), make([]byte, e.bytes)
				e.put(x, a)
				e.put(y, b)
				if emulated(x, x, y); e.get(x) != want {
					t.Fatalf("%s of %s %x and %x: the emulator has %x, and exactly it is %x", function, name, a, b, e.get(x), want)
				}
			}
		}
	}
}
