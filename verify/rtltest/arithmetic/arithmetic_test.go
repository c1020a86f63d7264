package arithmetic

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// element is a type of elements, as bits in the low end of a word.
type element struct {
	ieee.Type
	name    string
	corners []uint64
}

var elements = func() map[string]element {
	all := map[string]element{}
	for _, name := range []string{"float16", "float32", "float64", "int32", "int64"} {
		t := ieee.Types[name]
		all[name] = element{t, name, t.Corners()}
	}
	return all
}()

func (e element) pair(r *rand.Rand) (a, b uint64) { return e.Pair(r, e.corners) }

// exact is a function by definition.
func (e element) exact(function string, a, b uint64) uint64 {
	r, _ := ieee.ReductionOf(function)
	return r.Of(e.Type, a, b)
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
	case native == nil || e.Bits > 0:
		return e.exact(function, a, b)
	}
	var result uint64
	if e.Bytes() == 4 {
		// float64 has more than twice the bits, so that rounding twice is like once.
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		result = uint64(math.Float32bits(float32(native(float64(x), float64(y)))))
	} else {
		result = math.Float64bits(native(math.Float64frombits(a), math.Float64frombits(b)))
	}
	if e.Format.IsNaN(result) {
		return e.Format.NaN()
	}
	return result
}

// The references agree with each other, and with the emulator.
func TestReferencesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 1))
	for name, e := range elements {
		for _, function := range declared(t) {
			emulated, ok := lanes.Reduce(function, name)
			assert.Assert(t, ok, "the emulator has no %s of %s", function, name)
			for range 50_000 {
				a, b := e.pair(r)
				want := e.exact(function, a, b)
				if got := e.quick(function, a, b); got != want {
					t.Fatalf("%s of %s %x and %x: %x, and exactly %x", function, name, a, b, got, want)
				}
				x, y := make([]byte, e.Bytes()), make([]byte, e.Bytes())
				e.Put(x, a)
				e.Put(y, b)
				if emulated(x, x, y); e.Get(x) != want {
					t.Fatalf("%s of %s %x and %x: the emulator has %x, and exactly it is %x", function, name, a, b, e.Get(x), want)
				}
			}
		}
	}
}
