package verilate

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed stream_check.sv
var streamCheck string

//go:embed keep_check.sv
var keepCheck string

// Checks is SystemVerilog that checks the output streams of the modules in sources. It stops the simulation at
// the first stream whose valid drops or whose payload changes before ready, or whose tkeep has holes. It is empty
// if there are no streams.
func Checks(sources ...string) string {
	all := map[string]*module{}
	for _, text := range sources {
		for _, m := range parse(text) {
			all[m.name] = m
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasSuffix(name, "_bench") || strings.HasSuffix(name, "_tb") {
			continue // around what is tested
		}
		all[name].write(&text, all)
	}
	if text.Len() == 0 {
		return ""
	}
	return streamCheck + "\n" + keepCheck + "\n" + text.String()
}

// clocks and resets are the names that these have, with how they are said to be on.
var (
	clocks = []string{"clk", "ap_clk"}
	resets = [][2]string{{"rst", "rst"}, {"ap_rst_n", "!ap_rst_n"}}
)

// times are the clock of a module and when it is not reset; "" if it has none.
func (m *module) times() (clock, reset string) {
	for _, name := range clocks {
		if _, ok := m.signal(name); ok {
			clock = name
		}
	}
	for _, r := range slices.Backward(resets) {
		if _, ok := m.signal(r[0]); ok {
			reset = r[1]
		}
	}
	return clock, reset
}

func (m *module) write(text *strings.Builder, all map[string]*module) {
	clock, reset := m.times()
	if clock == "" || reset == "" { // nothing says when its streams begin
		return
	}
	var emptied []string
	for _, name := range emptying {
		if in, ok := m.signal(name); ok && in.direction == "input" && !in.vector {
			emptied = append(emptied, name)
		}
	}
	for _, s := range m.streams(all) {
		x := exceptions[m.name+"."+s.name]
		excused := "1'b0"
		if unless := slices.Concat(emptied, strings.Fields(x.unless)); len(unless) > 0 {
			excused = strings.Join(unless, " || ")
		}
		s.payload = slices.DeleteFunc(s.payload, func(name string) bool { return x.free || slices.Contains(x.loose, name) })
		common := fmt.Sprintf(".clk(%s), .rst(%s)", clock, reset)
		check := func(payload, instance string) {
			fmt.Fprintf(text,
				"bind %s stream_check #(.NAME(%q), .LANES($bits(%s)), .WIDTH($bits(%s) / $bits(%s))) handshake_%s (%s, "+
					".excused(%s), .valid(%s), .taken(%s), .payload(%s));\n",
				m.name, m.name+"."+s.name, s.valid, payload, s.valid, instance, common, excused, s.valid, s.taken, payload)
		}
		switch {
		case x.wish:
		case len(s.payload) == 0:
			check(s.valid, s.name)
		case s.lanes && x.shared:
			check("{$bits("+s.valid+"){"+strings.Join(s.payload, ", ")+"}}", s.name)
		case s.lanes:
			for _, p := range s.payload {
				check(p, s.name+"_"+p)
			}
		default:
			check("{"+strings.Join(s.payload, ", ")+"}", s.name)
		}
		if s.keep != "" && s.last != "" && !x.keep {
			fmt.Fprintf(text,
				"bind %s keep_check #(.NAME(%q), .EMPTY(%d), .LANES($bits(%s)), .WIDTH($bits(%s) / $bits(%s))) keep_%s (%s, "+
					".valid(%s), .keep(%s), .last(%s));\n",
				m.name, m.name+"."+s.name, number(x.empty), s.valid, s.keep, s.valid, s.name, common, s.valid, s.keep, s.last)
		}
	}
}

func number(v bool) int {
	if v {
		return 1
	}
	return 0
}
