package synth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
	Netnames map[string]netname
}

type netname struct {
	Hidden     int `json:"hide_name"`
	Bits       []bit
	Attributes origin
}

// origin is where a cell or a net stands in the sources: file:line.
type origin struct {
	Src string `json:"src,omitempty"`
}

// cell is an instance of a primitive.
type cell struct {
	Type        string
	Parameters  map[string]string
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]bit
	Attributes  origin
}

// module is the name of the module that a cell is an instance of: yosys puts its parameters behind it.
func (c cell) module() string {
	if rest, ok := strings.CutPrefix(c.Type, "$paramod"); ok {
		return strings.Split(rest, `\`)[1]
	}
	return c.Type
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

var (
	place         = regexp.MustCompile(`^([^|]*):(\d+)\.(\d+)-[^|]*$`)
	instantiation = regexp.MustCompile(`^\w+\s*\(`)
	// What yosys names after a memory: cells that it is made of, and the register behind its reads.
	memoryCell   = regexp.MustCompile(`\.\d+\.\d+$`)
	readRegister = regexp.MustCompile(`\$\\([^$]*)\$rdreg\[\d+\]\$q`)
)

// short leaves what synthesis and timing use: no contents of memories, no names of nets that have better
// ones, and one place in the sources, which are below root.
func (n *netlist) short(root string, sources Sources) {
	// What a cell or a net stems from comes with the instances of modules that it lies in, in no order.
	line := func(src string) string {
		found := ""
		for part := range strings.SplitSeq(src, "|") {
			own, below := strings.CutPrefix(part, root)
			at := place.FindStringSubmatch(own)
			if !below || at == nil {
				continue
			}
			if here := at[1] + ":" + at[2]; found == "" || !sources.instantiates(at[1], at[2], at[3]) {
				found = here
			}
		}
		return found
	}
	for name, c := range n.Cells {
		c.Attributes.Src = line(c.Attributes.Src)
		maps.DeleteFunc(c.Parameters, func(name, _ string) bool { return strings.HasPrefix(name, "INIT") })
		n.Cells[name] = c
	}
	public := map[bit]bool{}
	for _, net := range n.Netnames {
		for _, b := range net.Bits {
			public[b] = public[b] || net.Hidden == 0
		}
	}
	maps.DeleteFunc(n.Netnames, func(_ string, net netname) bool {
		return net.Hidden != 0 && !slices.ContainsFunc(net.Bits, func(b bit) bool { return !public[b] })
	})
	files := map[string]string{} // by instances of modules
	for name, net := range n.Netnames {
		net.Attributes.Src = line(net.Attributes.Src)
		n.Netnames[name] = net
		if file, _, known := strings.Cut(net.Attributes.Src, ":"); known && net.Hidden == 0 {
			files[name[:max(strings.LastIndex(name, "."), 0)]] = file
		}
	}
	// Memories come without their place.
	declared := func(name string) string {
		module, own := name[:max(strings.LastIndex(name, "."), 0)], name[strings.LastIndex(name, ".")+1:]
		at := regexp.MustCompile(`(?m)^.*\blogic\b.*\b` + regexp.QuoteMeta(own) + `\s*\[`)
		if found := at.FindIndex(sources[files[module]]); found != nil {
			return fmt.Sprintf("%s:%d", files[module], 1+bytes.Count(sources[files[module]][:found[0]], []byte("\n")))
		}
		return ""
	}
	for name, c := range n.Cells {
		if isMemory(c.Type) && !hidden(name) {
			c.Attributes.Src = declared(memoryCell.ReplaceAllString(name, ""))
			n.Cells[name] = c
		}
	}
	for name, net := range n.Netnames {
		if m := readRegister.FindStringSubmatch(name); m != nil {
			net.Attributes.Src = declared(m[1])
			n.Netnames[name] = net
		}
	}
}

// instantiates tells whether the name of an instance stands at a line and column of a file, both from 1; yosys
// writes 0 where it knows none.
func (s Sources) instantiates(file, line, column string) bool {
	l, errL := strconv.Atoi(line)
	c, errC := strconv.Atoi(column)
	lines := bytes.Split(s[file], []byte("\n"))
	return errL == nil && errC == nil && l > 0 && l <= len(lines) && c > 0 && c <= len(lines[l-1]) &&
		instantiation.Match(lines[l-1][c-1:])
}

// names are the best name of each net: one that a source has, the shortest; and the lines that
// these stand in.
func (n *netlist) names() (name, line map[bit]string) {
	hidden := map[bit]int{}
	name, line = map[bit]string{}, map[bit]string{}
	for _, full := range slices.Sorted(maps.Keys(n.Netnames)) {
		net := n.Netnames[full]
		for i, b := range net.Bits {
			text := readRegister.ReplaceAllString(strings.TrimPrefix(full, `\`), "$1")
			if len(net.Bits) > 1 {
				text = fmt.Sprintf("%s[%d]", text, i)
			}
			old, found := name[b]
			if !found || net.Hidden < hidden[b] || net.Hidden == hidden[b] && len(text) < len(old) {
				name[b], line[b], hidden[b] = text, net.Attributes.Src, net.Hidden
			}
		}
	}
	return name, line
}

const carry4 = 4

// joinCarries makes CARRY8, which the device has, of every two CARRY4 in series, which yosys maps to.
func (n *netlist) joinCarries() *netlist {
	last := func(c cell) bit {
		if len(c.Connections["CO"]) == carry4 {
			return c.Connections["CO"][carry4-1]
		}
		return 0
	}
	chain := func(c cell) bool { return c.Type == "CARRY4" && last(c) > 1 }
	above := map[bit]string{} // by the carry that comes in
	below := map[bit]bool{}
	for name, c := range n.Cells {
		if c.Type != "CARRY4" {
			continue
		}
		if in := c.Connections["CI"]; len(in) == 1 && in[0] > 1 {
			above[in[0]] = name
		}
		if chain(c) {
			below[last(c)] = true
		}
	}
	if len(above) == 0 {
		return n
	}
	all := maps.Clone(n.Cells)
	for name, c := range n.Cells {
		if c.Type != "CARRY4" {
			continue
		}
		if in := c.Connections["CI"]; len(in) == 1 && below[in[0]] {
			continue // not the first of its chain
		}
		for {
			next, more := above[last(c)]
			if !more {
				break
			}
			top := n.Cells[next]
			both := cell{"CARRY8", nil, c.Directions, map[string][]bit{"CI": c.Connections["CI"],
				"CYINIT": c.Connections["CYINIT"]}, c.Attributes}
			for _, pin := range []string{"S", "DI", "O", "CO"} {
				both.Connections[pin] = slices.Concat(c.Connections[pin], top.Connections[pin])
			}
			all[name] = both
			delete(all, next)
			if name, more = above[last(top)]; !more {
				break
			}
			c = n.Cells[name]
		}
	}
	return &netlist{n.Ports, all, n.Netnames}
}
