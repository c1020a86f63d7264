package emit

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
)

const (
	wordBits = 32
	byteBits = 8
)

func layoutGroup(l *abi.Layout) group {
	out := group{Kind: layoutKind, Name: l.Name, Doc: l.Doc, Layout: l}
	out.add(l.Range, "Bits.", uint64(l.Width), decimal, l.Name, "width")
	for _, f := range l.Fields {
		out.add(f.Range, f.Doc, uint64(f.Low), decimal, l.Name, f.Name, "low")
		out.add(f.Range, "", uint64(f.Bits()), decimal, l.Name, f.Name, "width")
		word, shift := f.Low/wordBits, f.Low%wordBits
		if l.Width > wordBits {
			out.add(f.Range, "", uint64(word), decimal, l.Name, f.Name, "word").Word = true
		}
		if f.High/wordBits == word {
			out.add(f.Range, "", uint64(shift), decimal, l.Name, f.Name, "shift").Word = true
			out.add(f.Range, "", (1<<f.Bits()-1)<<shift, mask, l.Name, f.Name, "mask").Word = true
		}
	}
	return out
}

// bitField is a field of a layout, or the reserved bits between two.
type bitField struct {
	abi.Field
	Reserved bool
}

// reserved names the bits of a layout that no field does. Descriptions have no
// names that begin with an underscore.
func reserved(high, low int) bitField {
	return bitField{abi.Field{Name: fmt.Sprintf("_reserved_%d_%d", high, low), High: high, Low: low}, true}
}

// filled lists the fields of a layout from bit 0 up, with what is reserved
// between them.
func filled(l *abi.Layout) []bitField {
	var out []bitField
	next := 0
	for _, f := range l.Fields {
		if f.Low > next {
			out = append(out, reserved(f.Low-1, next))
		}
		out = append(out, bitField{f, false})
		next = f.High + 1
	}
	if next < l.Width {
		out = append(out, reserved(l.Width-1, next))
	}
	return out
}

// natural reports whether a struct of C has the layout: whole words, and
// fields that are integers at their natural alignment.
func natural(l *abi.Layout) bool {
	align := wordBits
	for _, f := range l.Fields {
		if !slices.Contains([]int{8, 16, 32, 64}, f.Bits()) || f.Low%f.Bits() != 0 {
			return false
		}
		align = max(align, f.Bits())
	}
	return len(l.Fields) > 0 && l.Width%align == 0
}
