package emit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
)

// netlist is a rendered top level as its text has it.
type netlist struct {
	instances map[string]netInstance
	wires     map[string]int // bits
}

type netInstance struct {
	module     string
	parameters map[string]string
	pins       map[string]string // signals, without what adapts their width
	only       string            // the condition around it
}

var (
	netWire      = regexp.MustCompile(`^wire(?: \[(\d+):0\])? (\w+);$`)
	netHeader    = regexp.MustCompile(`^(\w+)(?: #\((.*)\))? (\w+) \($`)
	netParameter = regexp.MustCompile(`\.(\w+)\(([^)]*)\)`)
	netPin       = regexp.MustCompile(`^\.(\w+)(?:\((.*)\))?,?$`)
	netCast      = regexp.MustCompile(`^\d+'\((\w+)\)$`)
	netCondition = regexp.MustCompile(`^if \((.*)\) begin`)
)

// netlistOf reads the text of a top level; it knows nothing of how it was made.
func netlistOf(t *testing.T, text string) netlist {
	t.Helper()
	n := netlist{map[string]netInstance{}, map[string]int{}}
	var name, only string
	var current netInstance
	_, body, _ := strings.Cut(text, "\n);\n")
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if w := netWire.FindStringSubmatch(line); w != nil {
			if _, twice := n.wires[w[2]]; twice {
				t.Errorf("wire %s is declared twice", w[2])
			}
			high := 0
			if w[1] != "" {
				_, err := fmt.Sscan(w[1], &high)
				assert.NilError(t, err)
			}
			n.wires[w[2]] = high + 1
			continue
		}
		if c := netCondition.FindStringSubmatch(line); c != nil {
			only = c[1]
			continue
		}
		if line == "end" {
			only = ""
			continue
		}
		if h := netHeader.FindStringSubmatch(line); h != nil && name == "" {
			name = h[3]
			current = netInstance{h[1], map[string]string{}, map[string]string{}, only}
			for _, p := range netParameter.FindAllStringSubmatch(h[2], -1) {
				current.parameters[p[1]] = p[2]
			}
			continue
		}
		if line == ");" {
			_, twice := n.instances[name]
			assert.Check(t, !twice, "instance %s is there twice", name)
			n.instances[name] = current
			name = ""
			continue
		}
		if p := netPin.FindStringSubmatch(line); p != nil && name != "" {
			signal := p[2]
			if signal == "" {
				signal = p[1]
			}
			if c := netCast.FindStringSubmatch(signal); c != nil {
				signal = c[1]
			}
			current.pins[p[1]] = signal
		}
	}
	return n
}

// eachTop runs a test on the top level of every shipped platform, with each way
// to use its kernel stream and memories.
func eachTop(t *testing.T, test func(t *testing.T, d *design.Design, n netlist)) {
	for _, name := range designtest.Library(t).PlatformNames() {
		t.Run(name, func(t *testing.T) {
			d := designtest.Load(t, name, nil)
			test(t, d, netlistOf(t, filesOf(t, rtl, d)[topFile]))
		})
	}
	for _, c := range []struct {
		platform, variable string
		value              cty.Value
	}{
		{"u55c_tcp", "user_kernel", cty.StringVal("vadd_put")},
		{"u280_axis3x", "user_kernel", cty.StringVal("vadd_put")},
		{"u55c_udp", "host_memory", cty.True},
		{"u250_axis3x", "host_memory", cty.True},
		{"u55c_tcp", "hw_emu", cty.True},
	} {
		t.Run(c.platform+"/"+c.variable, func(t *testing.T) {
			d := designtest.Load(t, c.platform, map[string]cty.Value{c.variable: c.value})
			test(t, d, netlistOf(t, filesOf(t, rtl, d)[topFile]))
		})
	}
}

func TestTopLevelHasEveryInstanceOnce(t *testing.T) {
	eachTop(t, func(t *testing.T, d *design.Design, n netlist) {
		kernels := map[string]bool{}
		for _, i := range d.Instances {
			kernels[i.Kernel.Name] = true
			got, ok := n.instances[i.Name]
			if !ok || got.module != i.Kernel.Name {
				t.Errorf("instance %s of %s is not there, or of %q", i.Name, i.Kernel.Name, got.module)
				continue
			}
			if i.Role == "engine" && (got.parameters["INDEX"] != fmt.Sprint(i.Scope) ||
				got.parameters["MILLISECOND_CYCLES"] != "MILLISECOND_CYCLES") {
				t.Errorf("engine %s has the parameters %v", i.Name, got.parameters)
			}
			for _, p := range i.Ports {
				assert.Check(t, p.Protocol != design.AXIS || got.pins[p.Name+"_tvalid"] != "",
					"nothing is at %s.%s_tvalid", i.Name, p.Name)
			}
			assert.Check(t, i.Role != "engine" || got.only == "", "engine %s is only there if %s", i.Name, got.only)
		}
		count := 0
		for _, i := range n.instances {
			if kernels[i.module] {
				count++
			}
		}
		assert.Check(t, count == len(d.Instances), "%d instances of kernels, the design has %d", count, len(d.Instances))
	})
}

func TestTopLevelJoinsEveryStream(t *testing.T) {
	eachTop(t, func(t *testing.T, d *design.Design, n netlist) {
		users := map[string]string{} // the stream that a tvalid belongs to
		joined := map[*design.Port]bool{}
		for _, s := range d.Streams {
			joined[s.From], joined[s.To] = true, true
			name := fmt.Sprintf("%s.%s to %s.%s", s.From.Instance.Name, s.From.Name, s.To.Instance.Name, s.To.Name)
			from, to := n.instances[s.From.Instance.Name].pins, n.instances[s.To.Instance.Name].pins
			if s.From.Instance.Role == "poe" && s.To.Instance.Role == "poe" {
				continue // through a switch
			}
			for _, suffix := range []string{"tvalid", "tready", "tdata", "tkeep", "tlast", "tdest"} {
				sent, sends := from[s.From.Name+"_"+suffix]
				taken, takes := to[s.To.Name+"_"+suffix]
				taken, sent = n.pastHost(s.To, suffix, taken), n.pastHost(s.From, suffix, sent)
				switch {
				case sends && takes && sent != taken:
					t.Errorf("%s: %s is at one end and %s at the other", name, sent, taken)
				case suffix != "tready" && takes && !sends && taken != "'0" && taken != "'1":
					t.Errorf("%s: %s is taken, nothing is sent", name, taken)
				case sends && takes && n.wires[sent] == 0:
					t.Errorf("%s: there is no wire %s", name, sent)
				}
				if suffix == "tvalid" {
					assert.Check(t, sends && takes, "%s has no tvalid at an end", name)
					assert.Check(t, users[sent] == "", "%s and %s share %s", name, users[sent], sent)
					users[sent] = name
				}
			}
		}
		for _, i := range d.Instances {
			for _, p := range i.Ports {
				if p.Protocol != design.AXIS || joined[p] {
					continue
				}
				pins := n.instances[i.Name].pins
				if p.Output && pins[p.Name+"_tready"] != "1'b1" || !p.Output && pins[p.Name+"_tvalid"] != "'0" {
					t.Errorf("%s.%s has no stream, but something is connected to it", i.Name, p.Name)
				}
			}
		}
	})
}

// pastHost is the design's side of the simulation's host in an engine's call
// streams; elsewhere the signal itself.
func (n netlist) pastHost(p *design.Port, suffix, signal string) string {
	side := map[string]string{"s_axis_call_req": "call", "m_axis_call_ack": "ack"}[p.Name]
	for _, i := range n.instances {
		if side != "" && i.module == "sim_host_calls" && i.parameters["ID"] == fmt.Sprint(p.Instance.Scope) &&
			i.pins[side+"_"+suffix] == signal {
			return i.pins["design_"+side+"_"+suffix]
		}
	}
	return signal
}

func TestTheSwitchOfACardLeadsToTheEngineOfThatNumber(t *testing.T) {
	tested := false
	eachTop(t, func(t *testing.T, d *design.Design, n netlist) {
		members := map[string]string{} // by their number, from both ends of the ring
		for _, s := range d.Streams {
			if s.From.Instance.Role == "poe" && s.To.Instance.Role == "poe" {
				for _, i := range []*design.Instance{s.From.Instance, s.To.Instance} {
					members[n.instances[i.Name].parameters["ID"]] = i.Name
				}
			}
		}
		if len(members) == 0 {
			return
		}
		tested = true
		var pins map[string]string
		for _, i := range n.instances {
			if i.module == "axis_switch" {
				pins = i.pins
				assert.Check(t, i.parameters["N"] == fmt.Sprint(len(members)),
					"a switch of %s ports for %d engines", i.parameters["N"], len(members))
			}
		}
		for k := range len(members) {
			member := n.instances[members[fmt.Sprint(k)]].pins
			for side, port := range map[string]string{"s_": "net_tx_", "m_": "net_rx_"} {
				for _, suffix := range []string{"tvalid", "tready", "tdata", "tkeep", "tlast", "tdest"} {
					// The first is in the lowest bits, hence the last in the braces.
					together := strings.Split(strings.Trim(pins[side+suffix], "{}"), ", ")
					if len(together) != len(members) || together[len(members)-1-k] != member[port+suffix] ||
						n.wires[member[port+suffix]] == 0 {
						t.Errorf("port %d: %s%s of %v, the engine has %s", k, side, suffix, together, member[port+suffix])
					}
				}
			}
		}
	})
	assert.Check(t, tested, "no platform has a switch")
}

func TestEveryMemoryAndHostPortHasItsModel(t *testing.T) {
	eachTop(t, func(t *testing.T, d *design.Design, n netlist) {
		ports, hosts := map[string]bool{}, 0
		for _, i := range d.Instances {
			for _, p := range i.Ports {
				pins := n.instances[i.Name].pins
				switch {
				case p.Protocol == design.AXILite:
					host := n.at("sim_host_axil", "araddr", pins[p.Name+"_araddr"])
					if host == nil || host.parameters["ID"] != fmt.Sprint(hosts) || host.pins["wdata"] != pins[p.Name+"_wdata"] {
						t.Errorf("%s.%s is not that of host port %d", i.Name, p.Name, hosts)
					}
					hosts++
				case p.Protocol == design.AXI4 && i.Role != "poe":
					memory := n.at("sim_axi_memory", "s_axi_araddr", pins[p.Name+"_araddr"])
					space := 2 * i.Scope
					for _, m := range d.Memories {
						if m.Port == p && m.Memory == "HOST" {
							space++
						}
					}
					if memory == nil || memory.parameters["SPACE"] != fmt.Sprint(space) ||
						memory.pins["s_axi_wdata"] != pins[p.Name+"_wdata"] {
						t.Errorf("%s.%s has no memory, or another one than %d", i.Name, p.Name, space)
						continue
					}
					assert.Check(t, !ports[memory.parameters["PORT"]],
						"two memories have the number %s", memory.parameters["PORT"])
					ports[memory.parameters["PORT"]] = true
				}
			}
		}
	})
}

// at is the model with a signal at a pin.
func (n netlist) at(module, pin, signal string) *netInstance {
	for _, i := range n.instances {
		if i.module == module && signal != "" && i.pins[pin] == signal {
			return &i
		}
	}
	return nil
}

func TestAModuleHeaderIsReadOrRefused(t *testing.T) {
	good := "// module m (\nmodule mm (\n    input wire no\n);\nendmodule\n" +
		"module m #(\n    parameter int unsigned WIDTH = 8, // bits\n    parameter bit FAST = 1'b0\n) (\n" +
		"    input  wire ap_clk,\n\n    // Data.\n    output logic [511:0] a_tdata,\n    input wire [WIDTH-1:0] b_tdata, " +
		"// wide\n    input  [3:0]  c,\n    output logic d\n);\nendmodule\n"
	m, err := parseModule("m", []byte(good))
	assert.NilError(t, err)
	want := []pin{{"ap_clk", false, 1}, {"a_tdata", true, 512}, {"b_tdata", false, 0}, {"c", false, 4}, {"d", true, 1}}
	if fmt.Sprint(m.Pins) != fmt.Sprint(want) || len(m.Parameters) != 2 || !m.Parameters["WIDTH"] ||
		!m.Parameters["FAST"] {
		t.Errorf("pins %v, parameters %v", m.Pins, m.Parameters)
	}
	for _, c := range []struct {
		what, text string
		missing    bool
	}{
		{"no module", "", true},
		{"another module", "module mm (\n    input wire a\n);\n", true},
		{"a module in a comment", "// module m (\n//     input wire a\n// );\n", true},
		{"no end", "module m (\n    input wire a\n", false},
		{"no end of the parameters", "module m #(\n    parameter int A = 1\n", false},
		{"a port in both directions", "module m (\n    inout wire a\n);\n", false},
		{"two ports in a line", "module m (\n    input wire a, input wire b\n);\n", false},
		{"a list of names", "module m (\n    input wire a, b\n);\n", false},
		{"an array", "module m (\n    input wire a [4]\n);\n", false},
		{"two ranges", "module m (\n    input wire [1:0][3:0] a\n);\n", false},
		{"a macro", "module m (\n`ifdef X\n    input wire a\n`endif\n);\n", false},
		{"a type", "module m (\n    input engine_pkg::slice_t a\n);\n", false},
		{"a width beyond numbers", "module m (\n    input wire [99999999999999999999:0] a\n);\n", false},
		{"a parameter without a value", "module m #(\n    parameter int A\n) (\n    input wire a\n);\n", false},
		{"a port among parameters", "module m #(\n    input wire a\n) (\n    input wire a\n);\n", false},
	} {
		_, err := parseModule("m", []byte(c.text))
		assert.Check(t, err != nil && errors.Is(err, errNoModule) == c.missing, "%s: %v", c.what, err)
	}
}
