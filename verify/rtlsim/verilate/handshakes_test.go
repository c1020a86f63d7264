package verilate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// TestBrokenPromisesStopTheSimulation plants what a stream must not do.
func TestBrokenPromisesStopTheSimulation(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	data, err := filepath.Abs("testdata")
	assert.NilError(t, err)
	var run func(seed, planted, cycles uint64) string
	assert.NilError(t, verilate.Build{
		Top: "driven", Sources: []string{filepath.Join(data, "driven.sv")},
		Shell: []string{filepath.Join(data, "streams.cpp")}, Careful: true,
	}.Bind(t.Context(), "", map[string]any{"run": &run}))
	for planted, want := range []string{
		"",
		"driven.out: what is offered goes before it is taken\n",
		"driven.out: payload changes while it waits, from ",
		"driven.out: payload changes while it waits, from ", // one bit
		"driven.out: a beat that is not the last keeps 1\n",
		"driven.out: a beat that is the last keeps b\n",
		"driven.out: a beat that is the last keeps 0\n",
		"driven.pair: what is offered goes before it is taken\n", // one of two
		"driven.pair: payload changes while it waits, from ",
		"driven.ask: what is offered goes before it is taken\n",
		"driven.ask: payload changes while it waits, from ",
	} {
		for seed := range uint64(3) {
			got := run(seed, uint64(planted), 1000)
			if want == "" && got != "" || !strings.HasPrefix(got, want) || strings.Count(got, "\n") > 1 {
				t.Errorf("defect %d, seed %d: it says %q, not %q", planted, seed, got, want)
			}
		}
	}
}

// TestChecksAreOfWhatIsOffered checks which streams are found, and that nothing is
// checked twice.
func TestChecksAreOfWhatIsOffered(t *testing.T) {
	const child = `module child (input wire clk, input wire rst, output logic out_valid, input wire out_ready, output logic [7:0] out_data); endmodule`
	for _, c := range []struct {
		name, text string
		want       []string // of the checks, in part
	}{
		{"nothing to wait for", `module m (input wire clk, output logic go_valid, output logic [3:0] go_word); endmodule`,
			nil},
		{"offered to the module", `module m (input wire clk, input wire x_valid, output logic x_ready); endmodule`, nil},
		{"no clock", `module m (output logic x_valid, input wire x_ready); endmodule`, nil},
		{"no reset", `module m (input wire clk, output logic x_valid, input wire x_ready); endmodule`, nil},
		{"other streams begin alike",
			`module m (input wire clk, rst, output logic a_valid, input wire a_ready, output logic a_b, output logic a_b_valid, input wire a_b_ready, output logic a_c, a_b_d); endmodule`,
			[]string{`.payload({a_c})`, `.payload({a_b, a_b_d})`}},
		{"AXI",
			`module m (input wire ap_clk, input wire ap_rst_n, output logic m_axi_awvalid, input wire m_axi_awready, output logic [63:0] m_axi_awaddr, output logic m_axi_wvalid); endmodule`,
			[]string{
				`.clk(ap_clk), .rst(!ap_rst_n), .excused(1'b0), .valid(m_axi_awvalid), .taken(m_axi_awready), .payload({m_axi_awaddr})`}},
		{"a request",
			`module m (input wire clk, rst, output x_pkg::peer_request_t peer_request, input wire x_pkg::peer_response_t peer_response); endmodule`,
			[]string{`.valid(peer_request.valid), .taken(peer_response.done), .payload({peer_request})`}},
		{"by an instance, all of it",
			child +
				` module m (input wire clk, rst, output logic out_valid, input wire out_ready, output logic [7:0] out_data); child c (.*); endmodule`,
			[]string{`bind child stream_check`}},
		{"by an instance that is wires", `module child (output logic out_valid, input wire out_ready); endmodule` +
			` module m (input wire clk, rst, output logic out_valid, input wire out_ready); child c (.*); endmodule`,
			[]string{`bind m stream_check`}},
		{"by an instance, in part",
			child +
				` module m (input wire clk, rst, output logic x_tvalid, input wire x_tready, output logic [3:0] x_tkeep, x_tuser, output logic x_tlast, input wire u);
			child #(.N(2)) c (.clk, .rst, .out_valid(x_tvalid), .out_ready(x_tready), .out_data({x_tkeep[3:0], x_tlast})); assign x_tuser = 1; endmodule`,
			[]string{`bind child stream_check`, `.taken(x_tready), .payload({x_tuser})`, `bind m keep_check`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := verilate.Checks(c.text)
			if n := strings.Count(got, "\nbind "); n != len(c.want) {
				t.Errorf("there are %d checks, not %d:\n%s", n, len(c.want), got)
			}
			for _, w := range c.want {
				assert.Check(t, is.Contains(got, w))
			}
		})
	}
}
