package arithmetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "reduce_ops_select", Folder: "reduce_ops"},
	block.Module{Name: "hp_compression_select", Folder: "hp_compression"},
)

// What platforms say about each TDEST.
func TestSelections(t *testing.T) {
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
