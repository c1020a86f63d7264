package platform

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// KernelRegister is a register of a kernel, or a row of them, that is no argument.
type KernelRegister struct {
	Name, Doc string
	At        uint32 // bytes
	Width     int    // bits: 32, or 64 for two words, low first
	Count     int    // of a row, 1 for one alone
	Stride    uint32 // bytes from one of a row to the next
	Memory    string // the memory port that it holds an address for; "" if it is none
	Bits      []RegisterBit
	Range     hcl.Range
}

// RegisterBit is a bit of a register that has a name.
type RegisterBit struct {
	Name  string    `hcl:"name,label"`
	Doc   string    `hcl:"doc,optional"`
	At    int       `hcl:"at"`
	Range hcl.Range `hcl:",def_range"`
}

// maxRow bounds the registers of a row.
const maxRow = 1 << 16

func (b registerBlock) register() (KernelRegister, hcl.Diagnostics) {
	r := KernelRegister{
		Name: b.Name, Doc: b.Doc, At: b.At, Width: value(b.Width, 32), Count: value(b.Count, 1), Memory: b.Memory,
		Bits: b.Bits, Range: b.Range,
	}
	diags := checkName(b.Range, "register", b.Name)
	bad := func(format string, args ...any) {
		diags = append(diags, lang.Errorf(b.Range, "Value out of range", format, args...))
	}
	r.Stride = value(b.Stride, uint32(r.Width/8))
	switch {
	case r.Width != 32 && r.Width != 64:
		bad("The register %q is 32 or 64 bits wide, not %d.", r.Name, r.Width)
	case r.At%4 != 0:
		diags = append(diags, lang.Errorf(b.AtRange, "Value out of range",
			"Registers stand on multiples of 4 bytes; 0x%X is none.", r.At))
	case r.Count < 1 || r.Count > maxRow:
		bad("The row %q has %d registers; expected are 1 to %d.", r.Name, r.Count, maxRow)
	case r.Stride%4 != 0 || r.Stride < uint32(r.Width/8):
		bad("Registers of the row %q are %d bytes apart; expected are multiples of 4 bytes that hold %d bits.",
			r.Name, r.Stride, r.Width)
	}
	for i, bit := range b.Bits {
		diags = append(diags, checkName(bit.Range, "bit", bit.Name)...)
		if bit.At < 0 || bit.At >= r.Width {
			diags = append(diags, lang.Errorf(bit.Range, "Value out of range", "The register %q has bits 0 to %d, not %d.",
				r.Name, r.Width-1, bit.At))
		}
		for _, other := range b.Bits[:i] {
			switch {
			case other.Name == bit.Name:
				diags = append(diags, duplicate(bit.Range, "bit", bit.Name, other.Range))
			case other.At == bit.At:
				diags = append(diags, lang.Errorf(bit.Range, "Bits overlap", "The bits %q and %q of %q are both bit %d.",
					other.Name, bit.Name, r.Name, bit.At))
			}
		}
	}
	return r, diags
}

// checkDescribed checks registers that are no arguments against each other and
// against the arguments.
func (k *Kernel) checkDescribed() hcl.Diagnostics {
	var diags hcl.Diagnostics
	names := map[string]hcl.Range{}
	owner := map[uint32]string{}
	for _, a := range k.Arguments {
		names[a.Name] = a.Range
		for at := a.At; at < a.At+uint32(a.Width/8); at += 4 {
			owner[at] = a.Name
		}
	}
	ports := map[string]bool{}
	for _, p := range k.Ports {
		ports[p.Label] = true
	}
	for _, r := range k.Described {
		if prev, dup := names[r.Name]; dup {
			diags = append(diags, duplicate(r.Range, "register", r.Name, prev))
			continue
		}
		names[r.Name] = r.Range
		if r.Memory != "" && !ports[r.Memory] {
			diags = append(diags, lang.Errorf(r.Range, "Unknown port", "Kernel %s has no port %q. %s", k.ID, r.Memory,
				lang.Choices(r.Memory, sortedKeys(ports))))
		}
	words:
		for i := range uint32(r.Count) {
			for at := r.At + i*r.Stride; at < r.At+i*r.Stride+uint32(r.Width/8); at += 4 {
				if other, taken := owner[at]; taken {
					diags = append(diags, lang.Errorf(r.Range, "Registers overlap",
						"The registers %q and %q both have the word at 0x%X.", other, r.Name, at))
					break words
				}
				owner[at] = r.Name
			}
		}
	}
	return diags
}
