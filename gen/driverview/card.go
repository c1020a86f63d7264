package driverview

import (
	"cmp"
	"slices"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
)

// Card is how a design lies on its card.
func Card(d *design.Design) (layout.Design, error) {
	hash, err := designjson.Hash(d)
	if err != nil {
		return layout.Design{}, err
	}
	out := layout.Design{Platform: d.Platform.Name, Board: d.Platform.Board.Name, Shell: d.Platform.Board.Shell,
		Hash: hash}
	for _, k := range d.Kernels() {
		of := layout.Kernel{Name: k.Name, Control: k.Control, Registers: registers(d, k)}
		for _, f := range k.Facts {
			of.Facts = append(of.Facts, layout.Value{Name: f.Name, Value: f.Value})
		}
		out.Kernels = append(out.Kernels, of)
	}
	banks := map[*design.Instance][]layout.Banks{}
	for _, m := range d.Memories {
		banks[m.Port.Instance] = append(banks[m.Port.Instance], layout.Banks{Port: m.Port.Name, Memory: m.Memory,
			First: m.First, Last: m.Last})
	}
	for _, in := range d.Instances {
		out.Instances = append(out.Instances, layout.Instance{
			Name: in.Name, Kernel: in.Kernel.Name, Role: in.Role, CCLO: in.Scope, SLR: in.SLR, Banks: banks[in],
		})
	}
	for _, s := range d.Streams {
		out.Streams = append(out.Streams, layout.Stream{
			From: s.From.Instance.Name + "." + s.From.Name, To: s.To.Instance.Name + "." + s.To.Name,
			Width: s.From.Width, TDEST: s.From.TDEST, Depth: s.Depth, CCLO: s.Scope, Group: s.Group,
		})
	}
	if d.Shell != nil && d.Shell.Driver != nil && d.CheckShell() == nil {
		out.Driver = []layout.Driver{shellDriver(d)}
	}
	return out, nil
}

// registers lists a kernel's registers by offset: its arguments, its register map,
// registers that its description adds, and the control register of its protocol.
func registers(d *design.Design, k *design.Kernel) []layout.Register {
	var out []layout.Register
	add := func(r layout.Register) {
		if !slices.ContainsFunc(out, func(known layout.Register) bool { return known.Name == r.Name }) {
			out = append(out, r)
		}
	}
	for _, a := range k.Arguments {
		r := layout.Register{Name: a.Name, At: a.At, Bits: a.Width, Address: a.Pointer()}
		if e := d.ABI().Enum(a.Enum); e != nil {
			for _, v := range e.Values {
				r.Values = append(r.Values, layout.Value{Name: v.Name, Value: v.Value})
			}
		}
		add(r)
	}
	for _, r := range k.Described {
		described := layout.Register{Name: r.Name, At: r.At, Bits: r.Width, Address: r.Memory != ""}
		if r.Count > 1 {
			described.Count, described.Stride = r.Count, r.Stride
		}
		for _, b := range r.Bits {
			described.Values = append(described.Values, layout.Value{Name: b.Name, Value: 1 << b.At})
		}
		add(described)
	}
	if k.Called() {
		control := layout.Register{Name: "control", Bits: 32}
		if set := d.ABI().BitSet("hostctrl_control"); set != nil {
			for _, b := range set.Bits {
				control.Values = append(control.Values, layout.Value{Name: b.Name, Value: 1 << b.At})
			}
		}
		add(control)
	}
	if m := d.ABI().RegisterMap(k.Registers); m != nil {
		for _, r := range m.Registers {
			of := layout.Register{Name: r.Name, At: r.At, Bits: r.Width}
			if r.Count > 1 {
				of.Count, of.Stride = r.Count, uint32(r.Width/8)
			}
			add(of)
		}
	}
	slices.SortStableFunc(out, func(a, b layout.Register) int { return cmp.Compare(a.At, b.At) })
	return out
}
