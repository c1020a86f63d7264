package emit

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestOnlyWhatTheRTLComputesIsBuilt(t *testing.T) {
	for _, c := range []struct {
		r    reductionView
		want bool
	}{
		{reductionView{Function: "sum", Type: "float16", TDEST: 0, Log2: 1, Own: true}, true},
		{reductionView{Function: "max", Type: "int64", TDEST: 3, Log2: 3, Own: true}, true},
		{reductionView{Function: "max", Type: "float64", TDEST: 3, Log2: 3, Own: true}, true},
		{reductionView{Function: "sum", Type: "bfloat16", TDEST: 0, Log2: 1, Own: false}, false},
		{reductionView{Function: "sum", Type: "int16", TDEST: 0, Log2: 1, Own: false}, false},
		{reductionView{Function: "sum", Type: "float32", TDEST: 0, Log2: 3, Own: true}, false}, // not ours by size
		{reductionView{Function: "product", Type: "float32", TDEST: 0, Log2: 2, Own: false}, false},
	} {
		assert.Check(t, is.Equal(c.r.Built(), c.want), "%+v is built", c.r)
	}
	assert.Check(t, is.Equal((reductionView{Code: 1, Codes: 3}).OneHot(), "3'b010"), "function 1 of 3")
	for _, c := range []struct {
		c              conversionView
		built          bool
		widens, narrow uint64
	}{
		{conversionView{"float32", "float16", 0, 2, 1}, true, 0, 1},
		{conversionView{"float16", "float32", 1, 1, 2}, true, 1, 0},
		{conversionView{"float64", "float32", 2, 3, 2}, false, 0, 1},
		{conversionView{"float32", "bfloat16", 3, 2, 1}, false, 0, 1},
	} {
		assert.Check(t, c.c.Built() == c.built && c.c.Widens() == c.widens && c.c.Narrows() == c.narrow,
			"%+v: built %v, widens %d, narrows %d", c.c, c.c.Built(), c.c.Widens(), c.c.Narrows())
	}
}

func TestRegistersOfArgumentsEndWithTheLastOne(t *testing.T) {
	v := registersView{{"src", "", 0x10, 64}, {"count", "", 0x28, 32}, {"last", "", 0x30, 64}}
	assert.Check(t, v.First() == 0x10 && v.Words() == 10, "%d words from %x", v.Words(), v.First())
}
