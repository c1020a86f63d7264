package layout

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestRecords(t *testing.T) {
	r := Record{Name: "pair", Fields: []Field{{"low", 0, 0, 24}, {"high", 0, 32, 32}, {"all", 1, 0, 64}}}
	words := make([]uint64, r.Length())
	want := Values{"low": 0x123456, "high": 0x89ABCDEF, "all": 0xFEDCBA9876543210}
	if err := r.Put(words, want); err != nil || !slices.Equal(words, []uint64{0x89ABCDEF00123456, 0xFEDCBA9876543210}) {
		t.Errorf("%X, %v", words, err)
	}
	got := r.Get(words)
	assert.Check(t, maps.Equal(got, want), "%X", got)
	for text, values := range map[string]Values{"no field middle": {"middle": 1},
		"low of pair has 24 bits": {"low": 1 << 24}} {
		assert.Check(t, is.ErrorContains(r.Put(words, values), text), "%v", values)
	}
}

func TestWhatADriverDoesNotHave(t *testing.T) {
	d := Driver{Shell: "coyote"}
	_, call := d.Call("reset")
	_, register := d.Register("reset")
	_, window := d.Window("reset")
	for _, err := range []error{call, register, window} {
		if err == nil || !strings.Contains(err.Error(), "the shell coyote has no") ||
			!strings.Contains(err.Error(), " reset") {
			t.Error(err)
		}
	}
	_, there := d.Reach("poe_0")
	assert.Check(t, !there, "there is none")
}
