package synth

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// timed is the timing of a module m.
func timed(t *testing.T, text string) *Timing {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	n, err := mapped(t.Context(), "m", Sources{"m.sv": []byte(text)})
	assert.NilError(t, err)
	r, err := timeNetlist("m", n, 250)
	assert.NilError(t, err)
	return r
}

// The figures are sums by hand of what delays.hcl quotes. A wire of one sink takes 44 + 2*70, of two 44 + 3*70, of 32
// 44 + 7*70. Outputs are ports with a wire. The circuits stand side by side in one module, as yosys reads its library
// for each module.
func TestDelaysFollowByHand(t *testing.T) {
	circuits := []struct {
		what                      string
		width, words, logic, wire int
		begin, body               string // body leads from a to q
	}{
		{"a LUT of two inputs", 2, 32, 77 + 50 + 50 - 25, 184, "register a", "q <= {63'b0, a[0] ^ a[1]};"},
		// Each bit of a leads to a LUT, and to DI of its carry. S0 to CO7, two CARRY8 from CIN to CO7, CIN to O7.
		{"a sum of 32 bits", 64, 32, 77 + 50 + 15 + 199 + 2*(46+23) + 46 + 116 + 25 - 25, 254, "register a",
			"q <= {32'b0, a[63:32] + a[31:0]};"},
		{"a block RAM", 44, 1024, 1003 + 50 + 50 - 25, 184, "ramb36e2 memory", `if (a[43]) memory[a[42:33]] <= a[31:0];
read <= memory[a[42:33]];
q <= {63'b0, read[3] ^ a[32]};`},
		// 3 RAM32M16 of 7 times 2 bits: the bit of the address has 21 sinks, log2(21) = 4.392.
		{"a memory of LUTs", 42, 32, 77 + 150 + 50 - 25, 44 + 447, "register a", `if (a[41]) memory[a[36:32]] <= a[31:0];
q <= {32'b0, memory[{4'b0, a[40]}]};`},
	}
	ports, bodies := "", ""
	for i, c := range circuits {
		ports += fmt.Sprintf(", input wire [%d:0] in%d, output logic [63:0] out%[2]d", c.width-1, i)
		bodies += fmt.Sprintf("if (1) begin : lane%d\nlogic [%d:0] a;\nlogic [63:0] q;\nlogic [31:0] read;\n"+
			"logic [31:0] memory [%d];\nassign out%[1]d = q;\nalways_ff @(posedge clk) begin\na <= in%[1]d;\n%[4]s end end\n",
			i, c.width-1, c.words, c.body)
	}
	r := timed(t, "module m (input wire clk"+ports+");\n"+bodies+"endmodule\n")
	for i, c := range circuits {
		lane := fmt.Sprintf(" lane%d.", i)
		at := slices.IndexFunc(r.Paths, func(p EndPath) bool { return strings.Contains(p.Begin, lane) })
		assert.Assert(t, at >= 0, "%s: no paths: %+v", c.what, r)
		p := r.Paths[at]
		if p.Logic != c.logic || p.Wire != c.wire || !strings.HasPrefix(strings.Replace(p.Begin, lane, " ", 1), c.begin) ||
			p.Slack != 4000-c.logic-c.wire || p.EndLine == "" || !strings.HasPrefix(p.BeginLine, "m.sv:") {
			t.Errorf("%s: want logic %d, wire %d: %+v", c.what, c.logic, c.wire, p)
		}
	}
}

// Three LUTs of six inputs in a row, and the second one leads to a flip-flop, too, which lies beside it. The
// netlist is by hand: yosys takes MUXF7 where it can.
func TestAChainOfLUTs(t *testing.T) {
	lut := func(out bit, in bit) cell {
		return cell{Type: "LUT6", Directions: map[string]string{"I0": "input", "O": "output"},
			Connections: map[string][]bit{"I0": {in}, "O": {out}}}
	}
	register := func(out bit, in bit, line string) cell {
		return cell{Type: "FDRE", Directions: map[string]string{"C": "input", "D": "input", "Q": "output"},
			Connections: map[string][]bit{"C": {2}, "D": {in}, "Q": {out}}, Attributes: origin{line}}
	}
	n := &netlist{Cells: map[string]cell{"a": register(3, 0, "m.sv:1"), "x": lut(4, 3), "y": lut(5, 4), "z": lut(6, 5),
		"q": register(7, 6, "m.sv:2"), "half": register(8, 5, "m.sv:3")},
		Netnames: map[string]netname{"a": {Bits: []bit{3}}, "y": {Bits: []bit{5}}, "q": {Bits: []bit{7}},
			"half": {Bits: []bit{8}}}}
	r, err := timeNetlist("m", n, 300)
	assert.NilError(t, err)
	// 3333 ps; 2166 in logic.
	if r.Period != 3333 || r.Gate != 2166 || r.Ends != 2 || r.Late != 0 || r.Beyond != 0 || len(r.Paths) != 2 {
		t.Fatalf("%+v", r)
	}
	if p := r.Paths[0]; p.Logic != 77+3*150+50-25 || p.Wire != 184+184+254 || p.Begin != "register a" || p.End != "q.D" ||
		p.BeginLine != "m.sv:1" || p.EndLine != "m.sv:2" || p.Cells != "LUT 3" || len(p.Through) != 1 || p.Sinks != 2 {
		t.Errorf("%+v", p)
	}
	if p := r.Paths[1]; p.Logic != 77+2*150+50-25 || p.Wire != 184+184 || p.End != "half.D" {
		t.Errorf("%+v", p)
	}
	n.Cells["y"].Connections["I0"][0] = 6
	if _, err := timeNetlist("m", n, 300); err == nil || !strings.Contains(err.Error(), "loop through y") {
		t.Errorf("a loop: %v", err)
	}
	inverter := cell{Type: "INV", Directions: map[string]string{"I": "input", "O": "output"},
		Connections: map[string][]bit{"I": {4}, "O": {4}}}
	if _, err := timeNetlist("m", &netlist{Cells: map[string]cell{"x": inverter}}, 300); !errors.Is(err, ErrLoop) {
		t.Errorf("a loop of an inverter: %v", err)
	}
}

// A memory made of LUTs is written at address H and read at A.
func TestAddressesOfWritesEndPaths(t *testing.T) {
	n := &netlist{Cells: map[string]cell{
		"a": {Type: "FDRE", Directions: map[string]string{"Q": "output"}, Connections: map[string][]bit{"Q": {3}}},
		"memory": {Type: "RAM32M16", Directions: map[string]string{"ADDRA": "input", "ADDRH": "input", "DOA": "output"},
			Connections: map[string][]bit{"ADDRA": {4, 4, 4, 4, 4}, "ADDRH": {3, 4, 4, 4, 4}, "DOA": {5, 6}}}},
		Netnames: map[string]netname{"a": {Bits: []bit{3}}, "read": {Bits: []bit{5, 6}}}}
	r, err := timeNetlist("m", n, 250)
	if err != nil || len(r.Paths) != 1 || r.Paths[0].Logic != 77+117 || r.Paths[0].Wire != 184 ||
		!strings.HasSuffix(r.Paths[0].End, ".ADDRH") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestPlacesThatYosysDoesNotKnow(t *testing.T) {
	s := Sources{"m.sv": []byte("module m;\n    part #(.N(1)) inner (\n")}
	for at, want := range map[[2]string]bool{{"2", "19"}: true, {"2", "5"}: false, {"0", "0"}: false, {"2", "0"}: false,
		{"3", "1"}: false, {"9", "1"}: false} {
		assert.Check(t, is.Equal(s.instantiates("m.sv", at[0], at[1]), want), "%v", at)
	}
}

// Every input bit of CARRY8 has a delay to every output bit from its own on.
func TestCarriesHaveAllDelays(t *testing.T) {
	c := delays.Carry
	for _, rows := range [][][]int{c.SO, c.SCO, c.DIO, c.DICO} {
		for i, row := range rows {
			assert.Check(t, len(rows) == 8 && len(row) == 8-i, "%v", rows)
		}
	}
	assert.Check(t, len(c.CIO) == 8 && len(c.CICO) == 8 && len(c.AXO) == 8 && len(c.AXCO) == 8 && len(delays.LUT) == 6,
		"%+v", delays)
}

// A path that is made longer is the first one of the report, with the line of the register that it ends at.
func TestAPathThatGrowsIsNamed(t *testing.T) {
	text := `module m (input wire clk, input wire [31:0] in, output logic [31:0] near_q, output logic [31:0] far_q);
    logic [31:0] a, b;
    always_ff @(posedge clk) begin
        a <= in;
        b <= a;
    end
    always_ff @(posedge clk)
        near_q <= a + b;
    always_ff @(posedge clk)
        far_q <= LONG;
endmodule
`
	before := timed(t, strings.Replace(text, "LONG", "a ^ b", 1))
	after := timed(t, strings.Replace(text, "LONG", "((a + b) ^ (a << 1)) + b", 1))
	if p := before.Paths[0]; p.End != "near_q[31].D" && p.End != "near_q[29].D" || p.EndLine != "m.sv:7" ||
		p.BeginLine != "m.sv:3" {
		t.Errorf("before: %+v", p)
	}
	p := after.Paths[0]
	if !strings.HasPrefix(p.End, "far_q[") || p.EndLine != "m.sv:9" || p.Slack != 4000-p.Delay() ||
		after.Slack >= before.Slack || after.Logic <= before.Logic {
		t.Errorf("after: %+v", p)
	}
	sum := 0
	for _, n := range after.Bins {
		sum += n
	}
	assert.Check(t, sum == after.Ends && after.Ends >= 4*32 && after.Late == 0 && after.Beyond == 0, "%+v", after)
}

// The netlists of a part and of what is around it, joined, have the delays of the whole.
func TestPathsCrossBordersOfParts(t *testing.T) {
	text := `module part (input wire clk, input wire [31:0] x, output logic [31:0] sum, output logic [31:0] same);
    logic [31:0] held;
    always_ff @(posedge clk) held <= x;
    assign sum = held - x;
    assign same = x;
endmodule
`
	around := `module m (input wire clk, input wire [31:0] in, output logic [31:0] out, output logic [31:0] other);
    logic [31:0] a, sum, same;
    part inner (.clk(clk), .x(a), .sum(sum), .same(same));
    always_ff @(posedge clk) begin
        a <= in;
        out <= sum;
        other <= ~same;
    end
endmodule
`
	box := strings.Replace(text[:strings.Index(text, ");")], "module", "(* blackbox *) module", 1) + ");\nendmodule\n"
	whole := timed(t, text+around)
	i := slices.IndexFunc(whole.Paths, func(p EndPath) bool { return strings.HasPrefix(p.End, "inner.held[") })
	assert.Check(t, i >= 0 && whole.Paths[i].EndLine == "m.sv:3" && whole.Paths[0].EndLine == "m.sv:10",
		"a register stands in its own line, not in that of its module's instance: %+v", whole.Paths)
	n, err := mapped(t.Context(), "m", Sources{"m.sv": []byte(around), "part.sv": []byte(box)})
	assert.NilError(t, err)
	part, err := mapped(t.Context(), "part", Sources{"part.sv": []byte(text)})
	assert.NilError(t, err)
	r, err := timeNetlist("m", n.join(map[string]*netlist{"part": part}), 250)
	assert.NilError(t, err)
	assert.Check(t, r.Ends == whole.Ends && r.Logic == whole.Logic && r.Slack == whole.Slack,
		"joined: %d ends, %d, %d; whole: %d ends, %d, %d", r.Ends, r.Logic, r.Slack, whole.Ends, whole.Logic, whole.Slack)
	i = slices.IndexFunc(r.Paths, func(p EndPath) bool { return strings.HasPrefix(p.End, "other[") })
	if i < 0 || r.Paths[i].Wire != 44+70*2+111 { // a[0] has three sinks, one of them through a border and an inverter
		t.Errorf("%+v", r.Paths)
	}
	if p := r.Paths[0]; !strings.HasPrefix(p.End, "out[") || p.Begin != "register a[0]" {
		t.Errorf("%+v", p)
	}
}

func TestTimingIsShownWithItsChanges(t *testing.T) {
	path := EndPath{Path{Levels: 3, Begin: "register a<1>", End: "b.D", Through: []string{"c"}, Cells: "LUT 3",
		BeginLine: "a.sv:7", Logic: 2700, Wire: 1600}, -300, 32}
	now := Timing{Kernel: "k", Period: 4000, Gate: 2600, Ends: 40, Late: 32, Beyond: 32, Logic: 2700, Slack: -300,
		Bins: []int{8, 40: 32}, Paths: []EndPath{path, path}}
	was := now
	was.Slack, was.Beyond = -100, 40
	r := TimingReport{Platform: "p", Clock: 250, Kernels: []Timing{now, {Kernel: "other", Period: 4000}},
		Commit: "abc123", Base: []Timing{was}}
	var text, html bytes.Buffer
	assert.NilError(t, errors.Join(r.Text(&text, 1), r.Page(&html)))
	words := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{"since commit abc123", "k 40 -0.300 (-0.200) 4.300 (+0.200) 32 2.700 32 (-8)",
		"other 0 (new)", "1 slack -0.300 = 4.000 - logic 2.700 - wires 1.600 (63 % logic), 32 bits",
		"register a<1> (a.sv:7) -> b.D (?)", "4.0 ns 32 ####"} {
		assert.Check(t, strings.Contains(words, want), "there is no %q in\n%s", want, text.String())
	}
	assert.Check(t, !strings.Contains(words, " 2 slack"), "more than one path is shown:\n%s", text.String())
	for _, want := range []string{"a&lt;1&gt;", `<span class="more">-0.200</span>`, `<span class="less">-8</span>`,
		`fill="#b00">` + "\n<title>4.000 ns: 32</title>"} {
		assert.Check(t, is.Contains(html.String(), want), "there is no")
	}
}
