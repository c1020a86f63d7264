package hls_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
)

// member are the documented results of what a single value can do; the second is a
// number that some take.
func member(operation string, a value, n int) (form, *big.Int, error) {
	x := new(big.Int)
	bits := new(big.Int).And(a.Int, ones(a.width)) // as an unsigned number
	one := big.NewInt(1)
	yes := func(b bool) (form, *big.Int, error) { return form{1, false}, truth(b), nil }
	count := func(n int) (form, *big.Int, error) { return form{32, true}, big.NewInt(int64(n)), nil }
	switch operation {
	case "neg":
		return form{common(form{1, false}, a.form) + 1, true}, x.Neg(a.Int), nil
	case "not":
		return a.form, x.Not(a.Int), nil
	case "plus", "old", "parse":
		return a.form, a.Int, nil
	case "inc":
		return a.form, x.Add(a.Int, one), nil
	case "dec":
		return a.form, x.Sub(a.Int, one), nil
	case "zero":
		return yes(a.Sign() == 0)
	case "and_reduce":
		return yes(bits.Cmp(ones(a.width)) == 0)
	case "or_reduce":
		return yes(bits.Sign() != 0)
	case "xor_reduce":
		odd := false
		for i := range a.width {
			odd = odd != (bits.Bit(i) == 1)
		}
		return yes(odd)
	case "nand_reduce":
		return yes(true)
	case "sign":
		return yes(a.Sign() < 0)
	case "length":
		return count(a.width)
	case "zeros":
		return count(a.width - bits.BitLen())
	case "reverse":
		return a.form, reversed(bits, a.width), nil
	case "lrotate":
		x.Lsh(bits, uint(n))
		return a.form, x.Or(x, new(big.Int).Rsh(bits, uint(a.width-n))), nil
	case "bit":
		return yes(bits.Bit(n) == 1)
	case "set":
		return a.form, x.SetBit(bits, n, 1), nil
	case "clear":
		return a.form, x.SetBit(bits, n, 0), nil
	case "invert":
		return a.form, x.SetBit(bits, n, bits.Bit(n)^1), nil
	}
	return form{}, nil, fmt.Errorf("no member %s", operation)
}

func reversed(x *big.Int, width int) *big.Int {
	r := new(big.Int)
	for i := range width {
		r.SetBit(r, width-1-i, x.Bit(i))
	}
	return r
}

func TestMembersOfValues(t *testing.T) {
	t.Parallel()
	var list [][]string
	for _, name := range types() {
		list = append(list, []string{name})
	}
	program := build(t, standInHeaders(t), nightly.Of("-O0", "-O1"), "-DROUNDS=60", "-DTYPES="+calls("type", list),
		"testdata/members.cpp")
	lines := run(t, program)
	assert.Check(t, len(lines) >= 28*60*40, "%d lines", len(lines))
	for _, line := range lines {
		operation, v, rest, err := parseLine(line)
		assert.NilError(t, err, "%s", line)
		a, n := v[0], int(v[1].Int64())
		switch operation {
		case "text":
			assert.Equal(t, rest, a.Text(n), "%v in radix %d", a, n)
		case "int":
			want := v[2].form.hold(a.Int)
			assert.Assert(t, v[2].Cmp(want) == 0, "%v becomes %v, expected %v", a, v[2], want)
		case "double":
			got := math.Float64frombits(v[2].Uint64())
			want, _ := new(big.Float).SetInt(a.Int).Float64()
			if a.width <= 53 && got != want || math.Abs(got-want) > math.Abs(want)*1e-15 {
				t.Fatalf("%v becomes %v, expected %v", a, got, want)
			}
		default:
			f, want, err := member(operation, a, n)
			assert.NilError(t, err)
			if got := v[2]; got.form != f || got.Cmp(f.hold(want)) != 0 {
				t.Fatalf("%s of %v and %d = %v, expected %v %v", operation, a, n, got, f, f.hold(want))
			}
		}
	}
}

// part are bits of a value: from lo to hi, or backwards.
func part(a value, hi, lo int) *big.Int {
	bits := new(big.Int).And(a.Int, ones(a.width))
	n := max(hi, lo) - min(hi, lo) + 1
	r := new(big.Int).Rsh(bits, uint(min(hi, lo)))
	r.And(r, ones(n))
	if hi < lo {
		r = reversed(r, n)
	}
	return r
}

// replaced is a value with other bits in the place of some.
func replaced(a value, hi, lo int, by *big.Int) *big.Int {
	n, from := max(hi, lo)-min(hi, lo)+1, min(hi, lo)
	piece := new(big.Int).And(by, ones(n))
	if hi < lo {
		piece = reversed(piece, n)
	}
	r := new(big.Int).And(a.Int, ones(a.width))
	r.AndNot(r, new(big.Int).Lsh(ones(n), uint(from)))
	return a.form.hold(r.Or(r, piece.Lsh(piece, uint(from))))
}

func joined(high, low value) *big.Int {
	r := new(big.Int).Lsh(new(big.Int).And(high.Int, ones(high.width)), uint(low.width))
	return r.Or(r, new(big.Int).And(low.Int, ones(low.width)))
}

func TestPartsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	var list [][]string
	for n, pair := range pairs(1) {
		if nightly.Sampled(n, 5) {
			list = append(list, pair)
		}
	}
	program := build(t, standInHeaders(t), nightly.Of("-O0", "-O2"), "-DROUNDS=200", "-DPAIRS="+calls("pair", list),
		"testdata/parts.cpp")
	lines := run(t, program)
	seen := map[string]int{}
	for _, line := range lines {
		operation, v, _, err := parseLine(line)
		assert.NilError(t, err, "%s", line)
		seen[operation]++
		index := func(i int) int { return int(v[i].Int64()) }
		a, got := v[0], v[len(v)-1]
		var want *big.Int
		switch operation {
		case "get":
			want = part(a, index(1), index(2))
		case "length":
			want = big.NewInt(int64(max(index(1), index(2)) - min(index(1), index(2)) + 1))
		case "ones":
			p := part(a, index(1), index(2))
			want = truth(p.Cmp(ones(max(index(1), index(2))-min(index(1), index(2))+1)) == 0)
		case "any":
			want = truth(part(a, index(1), index(2)).Sign() != 0)
		case "odd":
			_, want, _ = member("xor_reduce", value{form{a.width, false}, part(a, index(1), index(2))}, 0)
		case "more":
			want = new(big.Int).Add(part(a, index(1), index(2)), big.NewInt(1))
			assert.Assert(t, got.form == (form{a.width + 1, false}), "%s: the sum has the form %v", line, got.form)
		case "put":
			want = replaced(a, index(1), index(2), v[3].Int)
		case "join":
			want = joined(a, v[1])
		case "join3":
			want = joined(value{form{a.width + v[1].width, false}, joined(a, v[1])}, v[2])
		case "split":
			want = truth(joined(v[1], v[2]).Cmp(a.Int) == 0)
			got.Int = big.NewInt(1)
		case "split3":
			n := index(3)
			want = part(a, v[2].width+n-1, v[2].width)
			got = v[1]
			low := part(a, v[2].width-1, 0)
			assert.Assert(t, v[2].form.hold(low).Cmp(v[2].Int) == 0,
				"%s: the lower part is %v, expected %v", line, v[2], low)
		case "parts":
			want = new(big.Int).Lsh(a.Int, uint(index(2)))
			want.Or(want, v[1].Int)
		case "swap":
			h := a.width / 2
			want = new(big.Int).Lsh(part(a, h-1, 0), uint(a.width-h))
			want.Or(want, part(a, a.width-1, h))
		case "bits":
			want = big.NewInt(int64(a.Bit(0)<<1 | v[1].Bit(0)))
		default:
			t.Fatalf("%s: nothing is known of it", line)
		}
		if want = got.form.hold(want); got.Cmp(want) != 0 {
			t.Fatalf("%s: %v, expected %v", line, got, want)
		}
	}
	for _, operation := range strings.Fields("get put length ones any odd more join join3 split split3 parts swap bits") {
		assert.Check(t, seen[operation] >= nightly.Of(1000, 2000), "%d lines for %s", seen[operation], operation)
	}
}
