package synth

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// bit is a net of one bit as yosys numbers them: 0 and 1 are constants or nothing.
type bit int

func (b *bit) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return nil
	}
	return json.Unmarshal(text, (*int)(b))
}

// netlist is a module of cells of the FPGA.
type netlist struct {
	Ports map[string]struct {
		Direction string
		Bits      []bit
	}
	Cells    map[string]cell
	Netnames map[string]struct {
		Hidden int `json:"hide_name"`
		Bits   []bit
	}
}

// cell is an instance of a primitive.
type cell struct {
	Type        string
	Parameters  map[string]string
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]bit
}

func readNetlist(text []byte, module string) (*netlist, error) {
	var all struct{ Modules map[string]*netlist }
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("what yosys made of %s: %w", module, err)
	}
	n := all.Modules[module]
	if n == nil {
		return nil, fmt.Errorf("yosys made no module %s", module)
	}
	return n, nil
}

// names are the best name of each net: one that a source has, the shortest.
func (n *netlist) names() map[bit]string {
	type named struct {
		name   string
		hidden int
	}
	best := map[bit]named{}
	for _, name := range slices.Sorted(maps.Keys(n.Netnames)) {
		net := n.Netnames[name]
		for i, b := range net.Bits {
			text := strings.TrimPrefix(name, `\`)
			if len(net.Bits) > 1 {
				text = fmt.Sprintf("%s[%d]", text, i)
			}
			old, found := best[b]
			if !found || net.Hidden < old.hidden || net.Hidden == old.hidden && len(text) < len(old.name) {
				best[b] = named{text, net.Hidden}
			}
		}
	}
	out := make(map[bit]string, len(best))
	for b, name := range best {
		out[b] = name.name
	}
	return out
}
