package block

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// port is a port of a module. Its value stands in the words of the inputs or
// outputs of a step.
type port struct {
	Name   string
	Input  bool
	At     int // first word
	Fields map[string]field
}

// field is a part of a port; "" is the whole.
type field struct{ Low, Width int }

// description is what there is to know of a module.
type description struct {
	Clock, Reset string
	In, Out      int // words
	Ports        []port
	Consts       map[string]uint64
}

type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// types are those of a netlist, by number.
type types map[string]node

// number reads a constant of Verilator: 4'h3, 32'sh40.
func number(text string) (uint64, bool) {
	_, digits, ok := strings.Cut(text, "'")
	if !ok {
		return 0, false
	}
	digits = strings.TrimPrefix(digits, "s")
	digits, ok = strings.CutPrefix(digits, "h")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 16, 64)
	return v, err == nil
}

// expand notes a field of a type and all that are in it. It returns its width.
func (t types) expand(id, path string, low int, fields map[string]field) (int, error) {
	n, ok := t[id]
	if !ok {
		return 0, fmt.Errorf("%s has a type that nobody knows", path)
	}
	width := 0
	switch n.XMLName.Local {
	case "basicdtype":
		left, _ := strconv.Atoi(n.attr("left"))
		right, _ := strconv.Atoi(n.attr("right"))
		width = left - right + 1
	case "refdtype", "enumdtype":
		return t.expand(n.attr("sub_dtype_id"), path, low, fields)
	case "structdtype":
		for i := len(n.Nodes) - 1; i >= 0; i-- {
			m := n.Nodes[i]
			name := m.attr("name")
			if path != "" {
				name = path + "." + name
			}
			w, err := t.expand(m.attr("sub_dtype_id"), name, low+width, fields)
			if err != nil {
				return 0, err
			}
			width += w
		}
	case "packarraydtype":
		bounds := n.Nodes[0].Nodes
		left, _ := number(bounds[0].attr("name"))
		right, _ := number(bounds[1].attr("name"))
		for i := right; i <= left; i++ {
			w, err := t.expand(n.attr("sub_dtype_id"), fmt.Sprintf("%s[%d]", path, i), low+width, fields)
			if err != nil {
				return 0, err
			}
			width += w
		}
	default:
		return 0, fmt.Errorf("%s is a %s", path, n.XMLName.Local)
	}
	fields[path] = field{low, width}
	return width, nil
}

// describe reads what Verilator says of a module.
func describe(text []byte, top string) (*description, error) {
	var root node
	if err := xml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	d := &description{Consts: map[string]uint64{}}
	all := types{}
	var netlist node
	for _, n := range root.Nodes {
		if n.XMLName.Local == "netlist" {
			netlist = n
		}
	}
	for _, n := range netlist.Nodes {
		if n.XMLName.Local == "typetable" {
			for _, t := range n.Nodes {
				all[t.attr("id")] = t
			}
		}
	}
	for _, n := range netlist.Nodes {
		prefix := ""
		switch {
		case n.XMLName.Local == "package":
			prefix = n.attr("name") + "::"
		case n.XMLName.Local != "module" || n.attr("topModule") == "":
			continue
		}
		for _, v := range n.Nodes {
			if v.XMLName.Local != "var" {
				continue
			}
			if len(v.Nodes) == 1 && v.Nodes[0].XMLName.Local == "const" {
				if c, ok := number(v.Nodes[0].attr("name")); ok {
					d.Consts[prefix+v.attr("origName")] = c
				}
			}
			if v.attr("dir") == "" || prefix != "" {
				continue
			}
			if err := d.add(all, v); err != nil {
				return nil, fmt.Errorf("%s: %w", top, err)
			}
		}
	}
	if len(d.Ports) == 0 {
		return nil, fmt.Errorf("%s has no ports", top)
	}
	return d, nil
}

// add adds a port.
func (d *description) add(all types, v node) error {
	name := v.attr("origName")
	switch name {
	case "clk", "ap_clk", "aclk":
		d.Clock = name
		return nil
	case "rst", "ap_rst_n", "aresetn", "rst_n":
		d.Reset = name
		return nil
	}
	p := port{Name: name, Input: v.attr("dir") == "input", Fields: map[string]field{}}
	width, err := all.expand(v.attr("dtype_id"), "", 0, p.Fields)
	if err != nil {
		return fmt.Errorf("port %s: %w", name, err)
	}
	total := &d.Out
	if p.Input {
		total = &d.In
	}
	p.At = *total
	*total += (width + 31) / 32
	d.Ports = append(d.Ports, p)
	return nil
}

func (d *description) text() string {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // maps, strings and numbers
	}
	return string(text)
}
