package emit

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/manual"
)

const (
	dissectorTemplate = "docs/ccl.lua.tmpl"
	// dissectedPorts is how many of the ports that ranks on one host have are the dissector's
	// without being asked.
	dissectedPorts = 64
)

// Dissector is the file docs/ccl.lua of a platform.
func Dissector(d *design.Design) ([]byte, error) { return dissectors.of(d.ABI()) }

// dissector renders what tells Wireshark the fields of messages: the same for all platforms
// of a generation.
func dissector(d *design.Design) (File, error) {
	text, err := dissectors.of(d.ABI())
	return File{Path: "docs/ccl.lua", Content: text, Inputs: generationInputs(d.ABI(), dissectorTemplate)}, err
}

var dissectors = perGeneration[[]byte]{build: func(g *abi.Generation) ([]byte, error) {
	layout, local := g.Layout(abi.MessageHeader), accl.LocalRanks(dissectedPorts)
	v := dissectorView{
		Source: g.Range.Filename, Generation: g.Name, Bytes: (layout.Width + 7) / 8,
		FirstPort: local[0].Port, LastPort: local[dissectedPorts-1].Port,
	}
	for _, f := range layout.Fields {
		v.add(g, f, f.Name, 0)
		if inner := g.Layout(manual.Referred("layout", f.Doc)); inner != nil {
			for _, part := range inner.Fields {
				v.add(g, part, f.Name+"."+part.Name, f.Low)
			}
		}
	}
	if e := g.Enum("message_type"); e != nil {
		for _, value := range e.Values {
			if slices.Contains(withPayload, value.Name) {
				v.Carrying = append(v.Carrying, value.Value)
			}
		}
	}
	v.Gaps = gaps(layout)
	text, err := execute(dissectorTemplate, v)
	if err != nil {
		return nil, fmt.Errorf("dissector of %s: %w", g.Name, err)
	}
	return text, nil
}}

// withPayload are the message types whose count is that of the bytes that follow the header.
var withPayload = []string{"eager", "rendezvous_data"}

// dissectorView is a generation's messages.
type dissectorView struct {
	Source, Generation  string
	Bytes               int // of a header
	FirstPort, LastPort uint16
	Fields              []dissectedField
	Gaps                []headerBits // that belong to no field
	Carrying            []uint32     // message types
}

// headerBits are up to 64 bits within the bytes At to At+Bytes-1, Shift bits from their lowest one.
type headerBits struct{ At, Bytes, Shift, Bits int }

func bitsAt(low, bits int) headerBits {
	h := headerBits{At: low / 8, Shift: low % 8, Bits: bits}
	h.Bytes = (h.Shift + bits + 7) / 8
	return h
}

// gaps are the bits of a layout without a field, in pieces that 8 bytes hold.
func gaps(l *abi.Layout) []headerBits {
	var found []headerBits
	next := 0
	for _, f := range append(slices.Clone(l.Fields), abi.Field{Low: l.Width}) {
		for next < f.Low {
			n := min(f.Low-next, 64-next%8)
			found = append(found, bitsAt(next, n))
			next += n
		}
		next = f.High + 1
	}
	return found
}

// dissectedField is a field of the header, or of a layout in one of these.
type dissectedField struct {
	headerBits
	Name, Title, Doc string
	Values           []abi.EnumValue
}

// Type is Wireshark's type of the field; one that 8 bytes do not hold is shown as bytes.
func (f dissectedField) Type() string {
	switch {
	case f.Bytes > 8:
		return "BYTES"
	case f.Bits > 32:
		return "UINT64"
	}
	return "UINT32"
}

func (v *dissectorView) add(g *abi.Generation, f abi.Field, name string, base int) {
	field := dissectedField{headerBits: bitsAt(base+f.Low, f.Bits()), Name: name, Title: f.Name, Doc: f.Doc}
	if e := g.Enum(manual.Referred("enum", f.Doc)); e != nil {
		field.Values = e.Values
	}
	v.Fields = append(v.Fields, field)
}
