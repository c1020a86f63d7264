package synth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// join puts the netlists of parts in the places of their instances, which may have other parameters than the
// part was mapped with.
func (n *netlist) join(parts map[string]*netlist) *netlist {
	if len(parts) == 0 {
		return n
	}
	free := bit(2) // the first number that no net has
	for _, net := range n.Netnames {
		free = max(free, slices.Max(append(net.Bits, 0))+1)
	}
	for _, c := range n.Cells {
		for _, bits := range c.Connections {
			free = max(free, slices.Max(append(bits, 0))+1)
		}
	}
	all := &netlist{n.Ports, map[string]cell{}, maps.Clone(n.Netnames)}
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		if c := n.Cells[name]; parts[c.module()] == nil {
			all.Cells[name] = c
		} else {
			free = all.put(strings.TrimPrefix(name, `\`), c, parts[c.module()], free)
		}
	}
	return all
}

// put adds an instance of a part; nets inside of it get numbers from free on, and the next one is returned.
func (n *netlist) put(name string, instance cell, part *netlist, free bit) bit {
	outer := map[bit]bit{0: 0, 1: 1}
	// Inputs first: an output may be nothing but an input, or another output.
	for _, direction := range []string{"input", "output", "inout"} {
		for _, port := range slices.Sorted(maps.Keys(part.Ports)) {
			p := part.Ports[port]
			if p.Direction != direction {
				continue
			}
			for i, inner := range p.Bits {
				var to bit // nothing is connected
				if bits := instance.Connections[port]; i < len(bits) {
					to = bits[i]
				}
				if have, twice := outer[inner]; !twice {
					if to > 1 || direction == "input" {
						outer[inner] = to
					}
				} else if to > 1 && direction == "output" {
					n.Cells[fmt.Sprintf("%s.%s[%d]$buffer", name, port, i)] = cell{Type: "BUF",
						Directions:  map[string]string{"I": "input", "O": "output"},
						Connections: map[string][]bit{"I": {have}, "O": {to}}}
				}
			}
		}
	}
	renumber := func(bits []bit) []bit {
		out := make([]bit, len(bits))
		for i, b := range bits {
			to, known := outer[b]
			if !known {
				to = free
				outer[b] = to
				free++
			}
			out[i] = to
		}
		return out
	}
	for _, inner := range slices.Sorted(maps.Keys(part.Cells)) {
		c := part.Cells[inner]
		connections := make(map[string][]bit, len(c.Connections))
		for _, pin := range slices.Sorted(maps.Keys(c.Connections)) {
			connections[pin] = renumber(c.Connections[pin])
		}
		c.Connections = connections
		n.Cells[name+"."+inner] = c
	}
	for _, inner := range slices.Sorted(maps.Keys(part.Netnames)) {
		net := part.Netnames[inner]
		net.Bits = renumber(net.Bits)
		n.Netnames[name+"."+strings.TrimPrefix(inner, `\`)] = net
	}
	return free
}
