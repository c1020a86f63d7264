package arithmetic

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

var set = block.NewSet(
	float("float16", ieee.Float16), float("float32", ieee.Float32), float("float64", ieee.Float64),
	block.Module{Name: "float32_to_float16", Folder: "hp_compression"},
	block.Module{Name: "float16_to_float32", Folder: "hp_compression"},
	block.Module{Name: "reduce_integer", Folder: "reduce_ops"},
	block.Module{Name: "reduce_ops_select", Folder: "reduce_ops"},
	block.Module{Name: "hp_compression_select", Folder: "hp_compression"},
)

// float is a unit for a format, and for what is narrower.
func float(format string, f ieee.Format) block.Module {
	return block.Module{
		Name: "float_unit", As: "float_unit_" + format, Folder: "reduce_ops", Parts: []string{"float_normaliser"},
		Params: map[string]string{
			"EXPONENT": fmt.Sprint(f.Exponent), "FRACTION": fmt.Sprint(f.Fraction), "PRODUCTS": "1'b1",
		},
	}
}

// pipeline follows what each stage holds: -1 for nothing that is known.
type pipeline []int

// next moves what the enabled stages take.
func (p pipeline) next(enable uint64, in int) {
	for i := len(p) - 1; i >= 0; i-- {
		switch {
		case enable>>i&1 == 0:
		case i == 0:
			p[0] = in
		default:
			p[i] = p[i-1]
		}
	}
}

// stages runs a module whose stages are enabled one by one, or all at once. New
// operands are set by offer, which returns their number, and is told what stages
// hold; what leaves is checked.
func stages(b *block.Bench, r *rand.Rand, depth, cycles int, offer func(p pipeline) int,
	check func(number int) error) error {
	p := make(pipeline, depth)
	for i := range p {
		p[i] = -1
	}
	all := uint64(1)<<depth - 1
	for cycle := range cycles {
		number := offer(p)
		enable := all
		if cycle%1000 > 700 { // stages on their own, as a pipeline never has them
			enable = r.Uint64() & all
		}
		b.Set("enable", enable)
		b.Step()
		if last := p[depth-1]; last >= 0 {
			if err := check(last); err != nil {
				return err
			}
		}
		p.next(enable, number)
	}
	return nil
}

// numbers makes operands of a format that decide something.
func numbers(r *rand.Rand, f ieee.Format) (a, b uint64) {
	mask := uint64(1)<<f.Exponent - 1
	random := func() uint64 { return r.Uint64() >> (64 - f.Width()) }
	special := func() uint64 {
		fraction := []uint64{0, 1, 1<<f.Fraction - 1, 1 << (f.Fraction - 1), 1<<(f.Fraction-1) + 1}[r.IntN(5)]
		exponent := []uint64{0, 1, 2, mask / 2, mask - 1, mask}[r.IntN(6)]
		return r.Uint64()&1<<(f.Width()-1) | exponent<<f.Fraction | fraction
	}
	switch a, b = random(), random(); r.IntN(8) {
	case 0:
		return special(), special()
	case 1:
		return a, special()
	case 2:
		return special(), a
	case 3: // nearly cancels
		return a, a ^ f.Sign() ^ random()>>r.IntN(f.Width())
	case 4: // a distance at which only the rounding changes
		near := int(a >> f.Fraction & mask)
		at := min(max(near-f.Fraction-3+r.IntN(5), 0), int(mask))
		b = b&^(mask<<f.Fraction) | uint64(at)<<f.Fraction
		if r.IntN(2) == 0 {
			b &^= 1<<r.IntN(f.Fraction+1) - 1
		}
	case 5: // subnormal or nearly
		return a&^(mask<<f.Fraction) | uint64(r.IntN(3))<<f.Fraction, b&^(mask<<f.Fraction) | uint64(r.IntN(3))<<f.Fraction
	case 6: // overflow or nearly
		return a | (mask&^1)<<f.Fraction, b&^(mask<<f.Fraction) | (mask-uint64(r.IntN(f.Fraction+4)))<<f.Fraction
	}
	return a, b
}

var formats = map[string]ieee.Format{"float16": ieee.Float16, "float32": ieee.Float32, "float64": ieee.Float64}

func TestUnitsOfFloatingPointAlone(t *testing.T) {
	for name, f := range formats {
		set.Check(t, "float_unit_"+name, alone(f))
	}
}

// factors are numbers whose products are often subnormal or nearly, or overflow, or ties.
func factors(r *rand.Rand, f ieee.Format) (a, b uint64) {
	a, b = numbers(r, f)
	most := int(uint64(1)<<f.Exponent - 1)
	exponent := int(a >> f.Fraction & uint64(most))
	at := []int{most/2 - exponent, most/2 - f.Fraction - exponent + r.IntN(f.Fraction+3),
		most + most/2 - exponent - 1 + r.IntN(3)}
	if way := r.IntN(5); way < len(at) {
		b = b&^(uint64(most)<<f.Fraction) | uint64(min(max(at[way], 0), most))<<f.Fraction
	}
	if r.IntN(3) == 0 { // few bits
		a &^= 1<<r.IntN(f.Fraction+1) - 1
		b &^= 1<<r.IntN(f.Fraction+1) - 1
	}
	return a, b
}

// alone checks a unit of ten stages with all formats that it has. The product of significands is there when
// the fifth stage takes it, and 0 for what is not a product.
func alone(widest ieee.Format) block.Run {
	type question struct {
		function string
		format   ieee.Format
		x, y     uint64
	}
	functions := []string{"sum", "max", "min", "prod"}
	return func(b *block.Bench, r *rand.Rand) error {
		var asked []question
		return stages(b, r, 10, 30_000, func(p pipeline) int {
			q := question{functions[r.IntN(4)], ieee.Float16, 0, 0}
			for _, f := range []ieee.Format{ieee.Float32, ieee.Float64} {
				if f.Width() <= widest.Width() && r.IntN(3) > 0 {
					q.format = f
				}
			}
			if q.x, q.y = numbers(r, q.format); q.function == "prod" {
				q.x, q.y = factors(r, q.format)
			}
			below := widest.Width() - q.format.Width()
			b.Set("size", uint64(bits.Len(uint(q.format.Width()/16))))
			b.Set("a", q.x<<below|r.Uint64()&(1<<below-1))
			b.Set("b", q.y<<below|r.Uint64()&(1<<below-1))
			b.Put("maximum", q.function == "max")
			b.Put("minimum", q.function == "min")
			b.Put("product", q.function == "prod")
			b.Set("significands", 0)
			if at := p[3]; at >= 0 && asked[at].function == "prod" {
				was := asked[at]
				product := new(big.Int).Mul(significand(was.format, was.x), significand(was.format, was.y))
				product.Lsh(product, uint(2*(widest.Fraction-was.format.Fraction)))
				bytes := product.FillBytes(make([]byte, (2*widest.Fraction+9)/8))
				slices.Reverse(bytes)
				b.SetBytes("significands", bytes)
			}
			asked = append(asked, q)
			return len(asked) - 1
		}, func(n int) error {
			q := asked[n]
			exact, _ := ieee.ReductionOf(q.function)
			got := b.Get("result") >> (widest.Width() - q.format.Width())
			if want := exact.Of(ieee.Type{Format: q.format}, q.x, q.y); got != want {
				return fmt.Errorf("%+v (%x, %x) is %x, not %x", q, q.x, q.y, got, want)
			}
			return nil
		})
	}
}

// significand is that of a number, with its leading bit.
func significand(f ieee.Format, number uint64) *big.Int {
	s := number & (1<<f.Fraction - 1)
	if number&f.Infinity() != 0 {
		s |= 1 << f.Fraction
	}
	return new(big.Int).SetUint64(s)
}

// convert checks a conversion.
func convert(from, to ieee.Format) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		var values []uint64
		cycles := 30_000
		if from == ieee.Float16 {
			cycles = 2 * ieee.Halves
		}
		return stages(b, r, 2, cycles, func(pipeline) int {
			v := uint64(len(values)) & (ieee.Halves - 1)
			if from != ieee.Float16 {
				if v, _ = numbers(r, from); r.IntN(2) == 0 { // an exponent that float16 has, or nearly
					v = v&^(0xFF<<23) | uint64(127-26+r.IntN(44))<<23
				}
				if r.IntN(4) == 0 { // ties and what is beside them
					v = v&^0xFFF | []uint64{0, 1, 0xFFF}[r.IntN(3)]
				}
			}
			b.Set("in", v)
			values = append(values, v)
			return len(values) - 1
		}, func(n int) error {
			if got, want := b.Get("out"), ieee.Convert(from, to, values[n]); got != want {
				return fmt.Errorf("%x becomes %x, not %x", values[n], got, want)
			}
			return nil
		})
	}
}

func TestConversionsAlone(t *testing.T) {
	set.Check(t, "float32_to_float16", convert(ieee.Float32, ieee.Float16))
	set.Check(t, "float16_to_float32", convert(ieee.Float16, ieee.Float32))
}

// What platforms say about each TDEST.
func TestSelectionsAlone(t *testing.T) {
	p := designtest.Load(t, "u55c_tcp", nil).Platform
	functions := p.ABI.Enum(abi.ReduceFunctions)
	log2 := map[string]uint64{"float16": 1, "float32": 2, "float64": 3, "int32": 2, "int64": 3}
	reductions := map[uint64][3]uint64{}
	for _, f := range p.Arithmetic.Functions {
		for _, of := range f.TDEST {
			one := [3]uint64{1 << functions.Value(f.Name).Value, 0, log2[of.Type]}
			if of.Type[0] == 'f' {
				one[1] = 1
			}
			reductions[uint64(of.TDEST)] = one
		}
	}
	set.Check(t, "reduce_ops_select", func(b *block.Bench, _ *rand.Rand) error {
		for tdest := range uint64(256) {
			b.Set("tdest", tdest)
			b.Settle()
			if got := [3]uint64{b.Get("operation"), b.Get("floating"), b.Get("size")}; got != reductions[tdest] {
				return fmt.Errorf("TDEST %d asks for %v, not %v", tdest, got, reductions[tdest])
			}
		}
		return nil
	})
	conversions := map[uint64][2]uint64{}
	for _, c := range p.Compression.Conversions {
		if c.From == "float32" && c.To == "float16" {
			conversions[uint64(c.TDEST)] = [2]uint64{1, 0}
		} else if c.From == "float16" && c.To == "float32" {
			conversions[uint64(c.TDEST)] = [2]uint64{0, 1}
		}
	}
	set.Check(t, "hp_compression_select", func(b *block.Bench, _ *rand.Rand) error {
		for tdest := range uint64(16) {
			b.Set("tdest", tdest)
			b.Settle()
			if got := [2]uint64{b.Get("narrow"), b.Get("widen")}; got != conversions[tdest] {
				return fmt.Errorf("TDEST %d asks for %v, not %v", tdest, got, conversions[tdest])
			}
		}
		return nil
	})
}
