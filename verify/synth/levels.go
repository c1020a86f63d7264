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
	Cells      string   // what lies on it: LUT 5, CARRY8 2
	// Lines of the sources that begin and end stand in, where they are known.
	BeginLine, EndLine string `json:",omitempty"`
	// Delay in cells, with clock-to-Q and setup, and in wires, in ps; the most sinks of a net.
	Logic, Wire, Sinks int
}

// Delay is that of all of it, in ps.
func (p Path) Delay() int { return p.Logic + p.Wire }

// timing is the graph of a netlist. A node is a net of one bit.
type timing struct {
	name   map[bit]string
	line   map[bit]string // of the source, where it is known
	drives map[bit][]edge // by the net that comes in
	enters map[bit]int    // how many edges
	driver map[bit]string // cell or port
	source map[bit]output // if it is a cell
	sinks  map[bit]int
	flops  map[bit]int // sinks that are inputs D of flip-flops
	begins map[bit]begin
	ends   []end
	order  []bit // every net after those that it follows
}

// begin is where a path begins, and end where it ends.
type begin struct {
	what, line string
	port       bool
	delay      delay
}

type edge struct {
	from, to bit
	delay    delay
	by       string // type of cell
}

type end struct {
	at         bit
	what, line string
	port       bool
	delay      delay
}

// output is what drives a net: a type of cell, its pin, and the net that it only leads on.
type output struct {
	cell, pin string
	behind    bit
}

// newTiming follows all nets; loops and doubly driven nets are errors.
func newTiming(n *netlist) (*timing, error) {
	n = n.joinCarries()
	t := &timing{drives: map[bit][]edge{}, enters: map[bit]int{}, driver: map[bit]string{}, source: map[bit]output{},
		sinks: map[bit]int{}, flops: map[bit]int{}, begins: map[bit]begin{}}
	t.name, t.line = n.names()
	t.count(n)
	for _, name := range slices.Sorted(maps.Keys(n.Ports)) {
		p := n.Ports[name]
		for i, b := range p.Bits {
			at := fmt.Sprintf("port %s", name)
			if len(p.Bits) > 1 {
				at = fmt.Sprintf("port %s[%d]", name, i)
			}
			if p.Direction == "input" {
				t.driver[b], t.begins[b] = at, begin{at, t.line[b], true, delay{}}
			} else if b > 1 {
				t.ends = append(t.ends, end{b, at, t.line[b], true, delay{wire: wire(t.load(b))}})
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

// count finds drivers and sinks of all nets.
func (t *timing) count(n *netlist) {
	for _, p := range n.Ports {
		for _, b := range p.Bits {
			if p.Direction == "output" {
				t.sinks[b]++
			}
		}
	}
	for _, c := range n.Cells {
		for pin, bits := range c.Connections {
			for _, b := range bits {
				if c.Directions[pin] == "output" {
					t.source[b] = output{cell: c.Type, pin: pin}
					if in := c.Connections["I"]; transparent(c.Type) && len(in) == 1 {
						t.source[b] = output{c.Type, pin, in[0]}
					}
					continue
				}
				t.sinks[b]++
				if pin == "D" && kindOf(c).registers > 0 {
					t.flops[b]++
				}
			}
		}
	}
}

// load is how many sinks a net has, with those of the net that it leads on.
func (t *timing) load(b bit) int {
	n := t.sinks[b]
	behind := t.source[b].behind
	for hops := 0; behind > 1 && hops < 16; hops++ { // loops are found later
		n += t.sinks[behind] - 1
		behind = t.source[behind].behind
	}
	return n
}

// connect is the delay from the output that drives a net to an input of a cell: fixed if both lie in one slice, else a
// wire. One flip-flop lies beside what drives its D.
func (t *timing) connect(b bit, c cell, input string) delay {
	from, site := t.source[b], delays.Site
	lut := strings.HasPrefix(from.cell, "LUT") || lutMemories[from.cell] > 0
	mux, chain := strings.HasPrefix(from.cell, "MUXF"), strings.HasPrefix(from.cell, "CARRY")
	d := delay{wire: wire(t.load(b))}
	switch {
	case mux:
		d.logic = site.MuxOut
	case chain && from.pin == "O":
		d.logic = site.SumOut
	}
	switch {
	case transparent(c.Type):
		return delay{}
	case strings.HasPrefix(c.Type, "MUXF") && input != "S" && (lut || mux):
		if lut {
			return delay{logic: site.LUTToMux}
		}
		return delay{}
	case strings.HasPrefix(c.Type, "CARRY") && input == "S":
		if lut {
			return delay{logic: site.LUTToCarry}
		}
		d.logic += delays.LUT[0] + site.LUTToCarry // a LUT that only leads through
	case strings.HasPrefix(c.Type, "CARRY") && input == "DI" && lut && t.sinks[b] == 1:
		return delay{}
	case strings.HasPrefix(c.Type, "CARRY") && input == "CI" && chain:
		return delay{logic: site.CarryToCarry}
	case input == "D" && kindOf(c).registers > 0:
		switch beside := t.flops[b] == 1; {
		case beside && lut:
			return delay{logic: site.LUTToFF}
		case beside && mux:
			return delay{logic: site.MuxToFF}
		case beside && chain && from.pin == "O":
			return delay{logic: site.SumToFF}
		case beside && chain:
			return delay{}
		}
		d.logic += site.BypassToFF
	}
	return d
}

// add puts a cell into the graph.
func (t *timing) add(name string, c cell) error {
	k := kindOf(c)
	if k.latch {
		self, _ := t.outputName(c)
		return fmt.Errorf("%w: %s", ErrLatch, self)
	}
	self, line := t.outputName(c)
	line = orElse(c.Attributes.Src, line)
	if isMemory(c.Type) && !hidden(name) {
		self = memoryCell.ReplaceAllString(name, "")
	}
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
				what := "register " + t.name[to]
				if k.registers == 0 {
					what = strings.ToLower(c.Type) + " " + orElse(self, t.name[to])
				}
				t.begins[to] = begin{what, line, false, delay{logic: launch(c, output)}}
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
						t.drives[f] = append(t.drives[f], edge{f, to, delay.plus(t.connect(f, c, input)), c.Type})
						t.enters[to]++
					}
				}
			}
		}
	}
	if k.begins {
		for input, bits := range c.Connections {
			if c.Directions[input] == "input" && !clock(input) &&
				(k.through == nil || writeAddress(c.Type, input) || !address(k, c, input)) {
				for _, b := range bits {
					if b > 1 {
						d := t.connect(b, c, input)
						d.logic += setup(c, input)
						t.ends = append(t.ends, end{b, fmt.Sprintf("%s.%s", self, input), line, false, d})
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

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func clock(pin string) bool {
	return pin == "C" || pin == "CLK" || pin == "WCLK" || strings.HasPrefix(pin, "CLK")
}

// outputName names a cell by what it drives, with the line of that.
func (t *timing) outputName(c cell) (best, line string) {
	for output, bits := range c.Connections {
		if c.Directions[output] != "output" {
			continue
		}
		for _, b := range bits {
			if name := t.name[b]; name != "" && (best == "" || hidden(best) && !hidden(name) || hidden(best) == hidden(name) &&
				(len(name) < len(best) || len(name) == len(best) && name < best)) {
				best, line = name, t.line[b]
			}
		}
	}
	return best, line
}

// hidden tells whether yosys made up a name.
func hidden(name string) bool { return name == "" || strings.Contains(name, "$") }

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

// arrive finds when nets arrive, in what a measure takes of delays, and by what edges. Of
// begins only those that are wanted count.
func (t *timing) arrive(measure func(delay) int, wanted func(begin) bool) (map[bit]int, map[bit]edge) {
	arrival := map[bit]int{}
	from := map[bit]edge{}
	for _, b := range t.order {
		if at, begins := t.begins[b]; begins && wanted(at) {
			// What is read of a memory may come later than what it holds.
			if then := measure(at.delay); arrival[b] <= then {
				arrival[b] = then
				delete(from, b)
			}
		}
		here, reached := arrival[b]
		if !reached {
			continue
		}
		for _, e := range t.drives[b] {
			at, found := arrival[e.to]
			if then := here + measure(e.delay); !found || then > at {
				arrival[e.to], from[e.to] = then, e
			}
		}
	}
	return arrival, from
}

// longest is the path with most levels that begins at ports or registers, and ends there.
func (t *timing) longest(fromPort, toPort bool) Path {
	arrival, from := t.arrive(halves, func(b begin) bool { return b.port == fromPort })
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
	return t.path(at, from)
}

// path follows a path back from its end.
func (t *timing) path(at end, from map[bit]edge) Path {
	p := Path{End: at.what, EndLine: at.line}
	d := at.delay
	cells := map[string]int{}
	b := at.at
	for {
		p.Sinks = max(p.Sinks, t.load(b))
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
		d = d.plus(e.delay)
		b = e.from
	}
	slices.Reverse(p.Through)
	d = d.plus(t.begins[b].delay)
	p.Begin, p.BeginLine = t.begins[b].what, t.begins[b].line
	p.Levels, p.Logic, p.Wire = (d.levels+level-1)/level, d.logic, d.wire
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, cells[name]))
	}
	p.Cells = strings.Join(parts, ", ")
	return p
}
