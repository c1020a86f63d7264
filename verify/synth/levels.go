package synth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

var (
	// ErrLoop is wrapped by errors about combinational loops.
	ErrLoop = errors.New("a combinational loop")
	// ErrDrivers is wrapped by errors about nets that two cells drive.
	ErrDrivers = errors.New("more than one driver")
	// ErrLatch is wrapped by errors about latches.
	ErrLatch = errors.New("a latch")
)

// Path is a longest path of a module.
type Path struct {
	Levels     int
	Begin, End string   // registers with their pins, or ports
	Through    []string // nets with names between them, in order
	Cells      string   // what lies on it: LUT 5, CARRY4 4
}

// timing is the graph of a netlist. A node is a net of one bit.
type timing struct {
	name   map[bit]string
	drives map[bit][]edge // by the net that comes in
	enters map[bit]int    // how many edges
	driver map[bit]string // cell or port
	begins map[bit]begin
	ends   []end
	order  []bit // every net after those that it follows
}

// begin is where a path begins, and end where it ends.
type begin struct {
	what string
	port bool
}

type edge struct {
	from, to bit
	delay    int
	by       string // type of cell
}

type end struct {
	at   bit
	what string
	port bool
}

// newTiming follows all nets; loops and doubly driven nets are errors.
func newTiming(n *netlist) (*timing, error) {
	t := &timing{name: n.names(), drives: map[bit][]edge{}, enters: map[bit]int{}, driver: map[bit]string{},
		begins: map[bit]begin{}}
	for _, name := range slices.Sorted(maps.Keys(n.Ports)) {
		p := n.Ports[name]
		for i, b := range p.Bits {
			at := fmt.Sprintf("port %s", name)
			if len(p.Bits) > 1 {
				at = fmt.Sprintf("port %s[%d]", name, i)
			}
			if p.Direction == "input" {
				t.driver[b], t.begins[b] = at, begin{at, true}
			} else if b > 1 {
				t.ends = append(t.ends, end{b, at, true})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		if err := t.add(name, n.Cells[name]); err != nil {
			return nil, err
		}
	}
	return t, t.sort()
}

// add puts a cell into the graph.
func (t *timing) add(name string, c cell) error {
	k := kindOf(c)
	if k.latch {
		return fmt.Errorf("%w: %s", ErrLatch, t.outputName(c))
	}
	self := t.outputName(c)
	for output, bits := range c.Connections {
		if c.Directions[output] != "output" {
			continue
		}
		for o, to := range bits {
			if to <= 1 {
				continue
			}
			if other, twice := t.driver[to]; twice {
				return fmt.Errorf("%w of %s: %s and %s", ErrDrivers, t.name[to], other, name)
			}
			t.driver[to] = name
			if k.begins {
				what := "register"
				if k.registers == 0 {
					what = strings.ToLower(c.Type)
				}
				t.begins[to] = begin{what + " " + t.name[to], false}
			}
			if k.through == nil {
				continue
			}
			for input, from := range c.Connections {
				if c.Directions[input] != "input" {
					continue
				}
				for i, f := range from {
					if delay, follows := k.through(input, i, output, o); follows && f > 1 {
						t.drives[f] = append(t.drives[f], edge{f, to, delay, c.Type})
						t.enters[to]++
					}
				}
			}
		}
	}
	if k.begins {
		for input, bits := range c.Connections {
			if c.Directions[input] == "input" && !clock(input) && (k.through == nil || !address(k, c, input)) {
				for _, b := range bits {
					if b > 1 {
						t.ends = append(t.ends, end{b, fmt.Sprintf("%s.%s", self, input), false})
					}
				}
			}
		}
	}
	return nil
}

// address tells whether an input of a memory only leads through it.
func address(k kind, c cell, input string) bool {
	for output, d := range c.Directions {
		if _, follows := k.through(input, 0, output, 0); d == "output" && follows {
			return true
		}
	}
	return false
}

func clock(pin string) bool {
	return pin == "C" || pin == "CLK" || pin == "WCLK" || strings.HasPrefix(pin, "CLK")
}

// outputName names a cell by what it drives.
func (t *timing) outputName(c cell) string {
	best := ""
	for output, bits := range c.Connections {
		if c.Directions[output] != "output" {
			continue
		}
		for _, b := range bits {
			if name := t.name[b]; name != "" && (best == "" || hidden(best) && !hidden(name) || hidden(best) == hidden(name) &&
				(len(name) < len(best) || len(name) == len(best) && name < best)) {
				best = name
			}
		}
	}
	return best
}

// hidden tells whether yosys made up a name.
func hidden(name string) bool { return strings.Contains(name, "$") }

// sort brings the nets into an order.
func (t *timing) sort() error {
	left := maps.Clone(t.enters)
	nets := map[bit]bool{}
	for b := range t.driver {
		nets[b] = true
	}
	for b := range t.drives {
		nets[b] = true
	}
	for _, b := range slices.Sorted(maps.Keys(nets)) {
		if left[b] == 0 {
			t.order = append(t.order, b)
		}
	}
	for i := 0; i < len(t.order); i++ {
		for _, e := range t.drives[t.order[i]] {
			if left[e.to]--; left[e.to] == 0 {
				t.order = append(t.order, e.to)
			}
		}
	}
	if len(t.order) == len(nets) {
		return nil
	}
	return fmt.Errorf("%w through %s", ErrLoop, strings.Join(t.loop(left), ", "))
}

// loop finds nets that wait for each other.
func (t *timing) loop(left map[bit]int) []string {
	before := map[bit]bit{}
	for b := range left {
		if left[b] == 0 {
			continue
		}
		for _, e := range t.drives[b] {
			if left[e.to] > 0 && (before[e.to] == 0 || b < before[e.to]) {
				before[e.to] = b
			}
		}
	}
	at := slices.Min(slices.Collect(maps.Keys(before)))
	for range before { // into the loop
		at = before[at]
	}
	var names []string
	for b, first := at, true; first || b != at; b, first = before[b], false {
		names = append(names, t.name[b])
	}
	public := slices.DeleteFunc(slices.Clone(names), hidden)
	if len(public) > 0 {
		names = public
	}
	slices.Sort(names)
	return names
}

// longest is the longest path that begins at ports or registers, and ends there.
func (t *timing) longest(fromPort, toPort bool) Path {
	arrival := map[bit]int{}
	from := map[bit]edge{}
	for _, b := range t.order {
		if at, begins := t.begins[b]; begins && at.port == fromPort {
			if _, found := arrival[b]; !found { // what is read of a memory may come later than what it holds
				arrival[b] = 0
			}
		}
		here, reached := arrival[b]
		if !reached {
			continue
		}
		for _, e := range t.drives[b] {
			at, found := arrival[e.to]
			if then := here + e.delay; !found || then > at {
				arrival[e.to], from[e.to] = then, e
			}
		}
	}
	var at end
	found := -1
	for _, e := range t.ends {
		a, reached := arrival[e.at]
		if reached && e.port == toPort && (a > found || a == found && e.what < at.what) {
			found, at = a, e
		}
	}
	if found < 0 {
		return Path{}
	}
	return t.path(found, at, from)
}

// path follows a path back from its end.
func (t *timing) path(delay int, at end, from map[bit]edge) Path {
	p := Path{Levels: (delay + level - 1) / level, End: at.what}
	cells := map[string]int{}
	b := at.at
	for {
		e, more := from[b]
		if !more {
			break
		}
		if name := t.name[b]; !hidden(name) {
			p.Through = append(p.Through, name)
		}
		if strings.HasPrefix(e.by, "LUT") {
			e.by = "LUT"
		}
		cells[e.by]++
		b = e.from
	}
	slices.Reverse(p.Through)
	p.Begin = t.begins[b].what
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, cells[name]))
	}
	p.Cells = strings.Join(parts, ", ")
	return p
}
