package platform

import (
	"math"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// KernelFact is a number that a kernel of others is built with and that no register
// says, for drivers.
type KernelFact struct {
	Name, Doc string
	Value     uint32
	Range     hcl.Range
}

func (b kernelBlock) facts() ([]KernelFact, hcl.Diagnostics) {
	var facts []KernelFact
	var diags hcl.Diagnostics
	names := blockNames{}
	for _, f := range b.Facts {
		diags = append(diags, names.take(f.Range, "fact", f.Name)...)
		if f.Value < 0 || f.Value > math.MaxUint32 {
			diags = append(diags, lang.Errorf(f.ValueRange, "Value out of range", "The fact %q is %d; expected are 0 to %d.",
				f.Name, f.Value, uint32(math.MaxUint32)))
			continue
		}
		facts = append(facts, KernelFact{f.Name, f.Doc, uint32(f.Value), f.Range})
	}
	return facts, diags
}
