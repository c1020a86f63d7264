package main

import (
	"fmt"
	"strings"
)

// Spec is an option.
type Spec struct {
	Long   string // "kernel_frequency"; for Family options the part before the dot
	Short  string // "l"
	Takes  int    // how many values: 0, 1, or Many
	Family []string
	// Since and Until are the first and the last version that has it; "" for all.
	Since, Until string
	// Values, if any, are what it may be set to.
	Values []string
}

// Many is for options that take all words up to the next option, Optional for those that
// take one or none.
const (
	Many     = -1
	Optional = -2
)

// Table is the options of a tool.
type Table struct {
	Dash   string // before long names: "--", or "-" for Vivado's tools
	Specs  []Spec
	Inputs bool // whether there may be words that belong to no option
}

// Value is an option that was given.
type Value struct {
	Name   string // long name, with that of the family: "vivado.prop"
	Values []string
}

// Given are the arguments of a call.
type Given struct {
	Options []Value
	Inputs  []string
}

// Has reports whether an option was given.
func (g *Given) Has(name string) bool { return len(g.All(name)) > 0 || g.at(name) >= 0 }

func (g *Given) at(name string) int {
	for i, v := range g.Options {
		if v.Name == name {
			return i
		}
	}
	return -1
}

// All are the values of an option, of all its places.
func (g *Given) All(name string) []string {
	var all []string
	for _, v := range g.Options {
		if v.Name == name {
			all = append(all, v.Values...)
		}
	}
	return all
}

// Get is the last value of an option; "" if it was not given.
func (g *Given) Get(name string) string {
	all := g.All(name)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// Parse reads the arguments of a call to a version of the tool.
func (t *Table) Parse(args []string, version string) (*Given, error) {
	g := &Given{}
	for i := 0; i < len(args); i++ {
		word := args[i]
		if len(word) < 2 || word[0] != '-' {
			if !t.Inputs {
				return nil, fmt.Errorf("too many positional options: '%s'", word)
			}
			g.Inputs = append(g.Inputs, word)
			continue
		}
		name, value, attached := t.split(word)
		spec, full := t.find(name)
		if spec == nil || !spec.in(version) {
			return nil, fmt.Errorf("unrecognised option '%s'", word)
		}
		v := Value{Name: full}
		switch {
		case attached && spec.Takes == 0:
			return nil, fmt.Errorf("option '%s%s' does not take any arguments", t.Dash, full)
		case attached:
			v.Values = []string{value}
		case spec.Takes != 0:
			for i+1 < len(args) && (spec.Takes == Many || len(v.Values) < max(spec.Takes, -spec.Takes-1)) &&
				!t.option(args[i+1], version) {
				i++
				v.Values = append(v.Values, args[i])
			}
			if len(v.Values) == 0 && spec.Takes != Optional {
				return nil, fmt.Errorf("the required argument for option '%s%s' is missing", t.Dash, full)
			}
		}
		if err := spec.check(t.Dash+full, v.Values); err != nil {
			return nil, err
		}
		g.Options = append(g.Options, v)
	}
	return g, nil
}

// split takes an attached value off: --name=value, -nvalue.
func (t *Table) split(word string) (name, value string, attached bool) {
	if rest, ok := strings.CutPrefix(word, t.Dash); ok && (t.Dash == "--" || !strings.HasPrefix(rest, "-")) {
		if t.Dash == "--" {
			if name, value, ok := strings.Cut(rest, "="); ok {
				return name, value, true
			}
		}
		return rest, "", false
	}
	if t.Dash == "--" { // a short one
		for _, s := range t.Specs {
			if rest, ok := strings.CutPrefix(word[1:], s.Short); ok && s.Short != "" {
				if rest == "" || s.Takes != 0 {
					return s.Long, rest, rest != ""
				}
			}
		}
	}
	return "", "", false
}

func (t *Table) find(name string) (*Spec, string) {
	if name == "" {
		return nil, ""
	}
	head, tail, dotted := strings.Cut(name, ".")
	for i, s := range t.Specs {
		switch {
		case s.Family == nil && s.Long == name, t.Dash == "-" && s.Short == name:
			return &t.Specs[i], s.Long
		case s.Family != nil && dotted && s.Long == head:
			for _, f := range s.Family {
				if strings.EqualFold(f, tail) || f == "*" {
					return &t.Specs[i], head + "." + strings.TrimPrefix(tail, "*")
				}
			}
		}
	}
	return nil, ""
}

func (t *Table) option(word, version string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	name, _, _ := t.split(word)
	spec, _ := t.find(name)
	return spec != nil && spec.in(version)
}

func (s *Spec) in(version string) bool {
	return (s.Since == "" || version >= s.Since) && (s.Until == "" || version <= s.Until)
}

func (s *Spec) check(name string, values []string) error {
	for _, v := range values {
		ok := s.Values == nil
		for _, w := range s.Values {
			ok = ok || v == w
		}
		if !ok {
			return fmt.Errorf("the argument ('%s') for option '%s' is invalid. Valid values are: %s", v, name,
				strings.Join(s.Values, ", "))
		}
	}
	return nil
}
