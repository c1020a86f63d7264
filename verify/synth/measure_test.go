package synth

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func measured(t *testing.T, body string) (*Result, error) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return Measure(t.Context(), "m", Sources{"m.sv": []byte(body)}, nil)
}

// A sum of 64 bits is a LUT and eight CARRY8, and the comparison behind it with a
// constant of some bits a LUT more.
func TestAChainHasItsLevels(t *testing.T) {
	r, err := measured(t, `module m (input wire clk, input wire [63:0] in, output logic [63:0] out);
    logic [63:0] a, b, c;
    logic [15:0] kept [32];
    logic [4:0] at;
    assign out = c;
    always_ff @(posedge clk) begin
        a <= in;
        b <= a;
        c <= a + b;
        at <= in[4:0];
        kept[at] <= in[15:0];
    end
    (* keep *) logic [15:0] seen;
    always_ff @(posedge clk) seen <= kept[a[4:0]];
endmodule
`)
	assert.NilError(t, err)
	if r.Inside.Levels != 9 || !strings.HasPrefix(r.Inside.Begin, "register ") ||
		!strings.HasPrefix(r.Inside.End, "c[6") || !strings.Contains(r.Inside.Cells, "CARRY8 8") {
		t.Errorf("inside: %+v", r.Inside)
	}
	if r.In.Levels != 0 || !strings.HasPrefix(r.In.Begin, "port in") || r.Out.Levels != 0 || r.Out.Begin == "" ||
		r.Across.End != "" {
		t.Errorf("in %+v, out %+v, across %+v", r.In, r.Out, r.Across)
	}
	if r.Carry != 16 || r.FF < 3*64 || r.FF > 3*64+50 || r.LUT < 64+8 || r.LUT > 64+40 || r.DSP != 0 || r.URAM != 0 ||
		r.BRAM18 != 0 {
		t.Errorf("%+v", r.Use)
	}
}

func TestWhatHardwareCannotBeIsNamed(t *testing.T) {
	for _, c := range []struct{ what, body, name string }{
		{"a latch", "always_comb begin if (a) latched = b; end assign q = latched;", "latched"},
		{"two drivers", "assign fought = !a; assign fought = !b; assign q = fought ^ a;", "fought"},
		{"a loop", "assign looped = !(looped && a); assign q = looped;", "looped"},
	} {
		_, err := measured(t, "module m (input wire a, input wire b, output logic q);\nlogic "+c.name+
			";\n"+c.body+"\nendmodule\n")
		if err == nil || errors.Is(err, ErrNoYosys) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v", c.what, err)
		} else {
			t.Logf("%s: %v", c.what, err)
		}
	}
}
