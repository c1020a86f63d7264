package synth_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/synth"
)

var which = flag.String("tb.synth", "small",
	"kernels that are elaborated by yosys: small (all but the engine, on one platform each), all, or names of kernels "+
		"with commas between")

const (
	limit = 10 * time.Minute // of a kernel
	// distributed is how many bits a memory without registered reads may have:
	// beyond, it ought to be block RAM.
	distributed = 1 << 14
)

func wanted(k synth.Kernel) bool {
	switch *which {
	case "all":
		return true
	case "small":
		return !strings.HasPrefix(k.ID, "ccl_offload")
	}
	for name := range strings.SplitSeq(*which, ",") {
		if k.ID == name {
			return true
		}
	}
	return false
}

func TestEveryKernelIsReadByYosys(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	seen := map[string]bool{}
	check := func(name string, d *design.Design) {
		files, err := synth.Rendered(d)
		assert.NilError(t, err)
		own, err := synth.KernelsOf(d, files)
		assert.Check(t, err)
		for _, k := range own {
			key := k.Sources.Key(k.Module)
			if *which == "small" {
				key = k.ID
			}
			if wanted(k) && !seen[key] {
				seen[key] = true
				t.Run(name+"/"+k.ID, func(t *testing.T) {
					t.Parallel()
					elaborate(t, k)
				})
			}
		}
	}
	for _, name := range designtest.Library(t).PlatformNames() {
		check(name, designtest.Load(t, name, nil))
	}
	check("host memory", designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True}))
	check("user kernel", designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}))
	if len(seen) == 0 {
		t.Errorf("no kernel is %q", *which)
	}
}

func elaborate(t *testing.T, k synth.Kernel) {
	sources, err := verilate.Place(k.Sources)
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	memories, err := synth.Elaborate(ctx, t.TempDir(), k.Module, sources...)
	assert.NilError(t, err)
	for _, m := range memories {
		bits := m.Width * m.Words
		assert.Check(t, !m.Unregistered || bits <= distributed,
			"%s: %d bits are read without a register, no block RAM can be made of them", m.Name, bits)
		if bits > distributed {
			t.Logf("%s: %d words of %d bits", m.Name, m.Words, m.Width)
		}
	}
}

func TestWhatHardwareCannotBeIsRefused(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ what, body string }{
		{"a latch", "always_comb begin if (a) q = b; end"},
		{"two drivers", "assign q = a; assign q = b;"},
		{"nothing that drives", "logic nobody; assign q = a && nobody;"},
		{"a loop", "logic s; assign s = !(s && a); assign q = s;"},
		{"a module that is missing", "missing m (.a, .b, .q);"},
		{"a port that is missing", "part p (.a, .missing(b), .q);"},
		{"what yosys does not read", "always_comb begin unique if (a) q = b; else q = a; end import p::*;"},
	} {
		dir := t.TempDir()
		text := "module part(input wire a, output wire q);\nassign q = a;\nendmodule\nmodule m (input wire a, input wire " +
			"b, output logic q);\n" + c.body + "\nendmodule\n"
		file := filepath.Join(dir, "m.sv")
		assert.NilError(t, os.WriteFile(file, []byte(text), 0o644))
		if _, err := synth.Elaborate(t.Context(), dir, "m", file); err == nil || errors.Is(err, synth.ErrNoYosys) {
			t.Errorf("%s: %v", c.what, err)
		} else {
			t.Logf("%s: %v", c.what, err)
		}
	}
}

func TestMemoriesAreTold(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	text := `module m (input wire clk, input wire write, input wire [5:0] at, input wire [11:0] data, output logic [11:0] now, output logic [11:0] later);
    logic [11:0] quick [64];
    logic [11:0] block [64];
    assign now = quick[at];
    always_ff @(posedge clk) begin
        if (write) quick[at] <= data;
        if (write) block[at] <= data;
        else later <= block[at];
    end
endmodule
`
	file := filepath.Join(dir, "m.sv")
	assert.NilError(t, os.WriteFile(file, []byte(text), 0o644))
	got, err := synth.Elaborate(t.Context(), dir, "m", file)
	assert.NilError(t, err)
	want := []synth.Memory{{Name: "m.block", Width: 12, Words: 64},
		{Name: "m.quick", Width: 12, Words: 64, Unregistered: true}}
	assert.Check(t, len(got) == 2 && got[0] == want[0] && got[1] == want[1], "%+v, want %+v", got, want)
}
