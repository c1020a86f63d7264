package platform

import (
	"slices"
	"sort"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

func (b *loader) types() {
	b.p.Types = slices.Clone(b.p.ABI.Types)
	for _, in := range b.block.Types {
		b.diags = append(b.diags, checkName(in.NameRange, "type", in.Name)...)
		beat := b.beatBytes()
		if b.within(in.Range, "The size of an element, in bytes,", in.Bytes, 1, beat) && beat%in.Bytes != 0 {
			b.errorf(in.Range, "Value out of range", "Elements divide a beat of %d bytes; %d does not.", beat, in.Bytes)
		}
		if b.typeNamed(in.Name) != nil {
			b.errorf(in.NameRange, "Duplicate name", "The type %q exists already.", in.Name)
			continue
		}
		align := value(in.Align, abi.NaturalAlign(in.Bytes))
		if align < 1 || align&(align-1) != 0 || in.Bytes%align != 0 {
			b.errorf(in.Range, "Value out of range",
				"The alignment of %s is a power of two that divides its %d bytes; %d is not.", in.Name, in.Bytes, align)
		}
		b.p.Types = append(b.p.Types, abi.Type{Name: in.Name, Doc: in.Doc, Bytes: in.Bytes, Align: align, Range: in.Range})
	}
	sort.Slice(b.p.Types, func(i, j int) bool { return b.p.Types[i].Name < b.p.Types[j].Name })
}

// checkTypes reports element types of the platform's own that no configuration
// will have: nothing could be done with them.
func (b *loader) checkTypes() {
	if b.diags.HasErrors() {
		return
	}
	used := map[string]bool{}
	if a := b.p.Arithmetic; a != nil {
		for _, f := range a.Functions {
			for _, t := range f.TDEST {
				used[t.Type] = true
			}
		}
	}
	if c := b.p.Compression; c != nil && c.Lanes > 0 {
		for _, conv := range c.Conversions {
			if !conv.OneWay {
				used[conv.From] = true
			}
		}
	}
	for _, t := range b.block.Types {
		if !used[t.Name] {
			b.errorf(t.Range, "Type without configuration",
				"Nothing can be done with %s: no function reduces it, and no conversion leads to it and back.", t.Name)
		}
	}
}

func (b *loader) typeNamed(name string) *abi.Type { return b.p.Type(name) }

// Type returns the element type of the platform with a name, or nil.
func (p *Platform) Type(name string) *abi.Type {
	for i := range p.Types {
		if p.Types[i].Name == name {
			return &p.Types[i]
		}
	}
	return nil
}

func (b *loader) checkType(rng hcl.Range, name string) bool {
	if b.typeNamed(name) != nil {
		return true
	}
	known := lang.Names(b.p.Types, func(t abi.Type) string { return t.Name })
	b.errorf(rng, "Unknown type", "The engine does not support %q. %s", name, lang.Choices(name, known))
	return false
}
