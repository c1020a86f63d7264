package emit

import "testing"

func TestOnlyWhatTheRTLComputesIsBuilt(t *testing.T) {
	for _, c := range []struct {
		r    reductionView
		want bool
	}{
		{reductionView{"sum", "float16", 0, 1}, true},
		{reductionView{"max", "int64", 3, 3}, true},
		{reductionView{"max", "float64", 3, 3}, true},
		{reductionView{"sum", "bfloat16", 0, 1}, false},
		{reductionView{"sum", "int16", 0, 1}, false},
		{reductionView{"sum", "float32", 0, 3}, false}, // not ours by size
		{reductionView{"product", "float32", 0, 2}, false},
	} {
		if got := c.r.Built(); got != c.want {
			t.Errorf("%+v is built: %v", c.r, got)
		}
	}
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
		if c.c.Built() != c.built || c.c.Widens() != c.widens || c.c.Narrows() != c.narrow {
			t.Errorf("%+v: built %v, widens %d, narrows %d", c.c, c.c.Built(), c.c.Widens(), c.c.Narrows())
		}
	}
}

func TestRegistersOfArgumentsEndWithTheLastOne(t *testing.T) {
	v := registersView{{"src", "", 0x10, 64}, {"count", "", 0x28, 32}, {"last", "", 0x30, 64}}
	if v.First() != 0x10 || v.Words() != 10 {
		t.Errorf("%d words from %x", v.Words(), v.First())
	}
}
