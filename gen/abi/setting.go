package abi

import (
	"fmt"
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// setting is a value and where it was written. A list has the places of its
// elements.
type setting struct {
	value    cty.Value // cty.NilVal if it could not be used
	rng      hcl.Range
	elements []hcl.Range
	block    string // the abi block that it stands in
}

// strings are the elements of a list, none if it could not be used.
func (s setting) strings() []string {
	if s.value == cty.NilVal {
		return nil
	}
	var out []string
	for _, e := range s.value.AsValueSlice() {
		out = append(out, e.AsString())
	}
	return out
}

// element is the place of an element of a list.
func (s setting) element(i int) hcl.Range {
	if i < len(s.elements) {
		return s.elements[i]
	}
	return s.rng
}

// whole returns the number if it is a whole one of at most 64 bits.
func (s setting) whole() (uint64, bool) {
	f := s.value.AsBigFloat()
	n, accuracy := f.Uint64()
	return n, accuracy == big.Exact
}

// written shows a number as messages do: small ones in decimal, others also
// in hexadecimal, as interfaces are documented.
func written(n uint64) string {
	if n < 10 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (0x%X)", n, n)
}

// place names a line, with its file if that differs from where the message
// points to.
func place(rng, from hcl.Range) string {
	if rng.Filename == from.Filename {
		return fmt.Sprintf("line %d", rng.Start.Line)
	}
	return fmt.Sprintf("%s, line %d", rng.Filename, rng.Start.Line)
}
