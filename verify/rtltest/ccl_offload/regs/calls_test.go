package regs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// callWords are the offsets of the registers that are words of a call, in the
// order of a call.
func callWords(g *abi.Generation) (offsets []uint64, err error) {
	at := map[string]uint64{}
	for _, x := range g.RegisterMap("hostctrl").Registers {
		at[x.Name], at[x.Name+"_low"], at[x.Name+"_high"] = uint64(x.At), uint64(x.At), uint64(x.At)+4
	}
	for _, w := range g.Record("call").Words {
		o, ok := at[w.Name]
		if !ok {
			return nil, fmt.Errorf("no register has the word %s", w.Name)
		}
		offsets = append(offsets, o)
	}
	return offsets, nil
}

func TestVaddPutRegisters(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	var arguments []design.Argument
	for _, in := range d.Instances {
		if in.Kernel.ID == "vadd_put" {
			arguments = in.Kernel.Arguments
		}
	}
	first, last := uint64(1<<32), uint64(0)
	for _, a := range arguments {
		first, last = min(first, uint64(a.At)), max(last, uint64(a.At)+uint64(a.Width)/8)
	}
	var writable uint64
	for _, a := range arguments {
		writable |= (1<<(a.Width/32) - 1) << ((uint64(a.At) - first) / 4)
	}
	set.Check(t, "vadd_put_registers", func(b *block.Bench, r *rand.Rand) error {
		return host(b, r, first, int(last-first)/4, writable, 0, func(k *kernel) error {
			for _, a := range arguments {
				i, _ := k.word(uint64(a.At))
				want := k.arguments[i]
				if a.Width == 64 {
					want |= k.arguments[i+1] << 32
				}
				if got := b.Get(a.Name); got != want {
					return fmt.Errorf("%s is %X, not %X", a.Name, got, want)
				}
			}
			return nil
		})
	})
}
