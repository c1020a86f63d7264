package coyote_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/synth"
)

// application are the rendered sources of the shipped platform with RDMA, by the
// paths below coyote/src.
func application(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := emit.Platform(designtest.Load(t, "u55c_rdma", nil))
	assert.NilError(t, err)
	sources := map[string][]byte{}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Path, "coyote/src/"); ok {
			sources[name] = f.Content
		}
	}
	return sources
}

// place writes files, and returns the paths of SystemVerilog, packages first.
func place(t testing.TB, files map[string][]byte) []string {
	t.Helper()
	dir := t.TempDir()
	var list []string
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		assert.NilError(t, os.WriteFile(file, text, 0o644))
		if path.Ext(name) == ".sv" {
			list = append(list, file)
		}
	}
	rank := func(name string) int {
		switch base := filepath.Base(name); {
		case base == "lynx.sv":
			return 0
		case base == "cclo_pkg.sv":
			return 1
		case strings.HasSuffix(base, "_pkg.sv"):
			return 2
		case base == "user_logic.sv":
			return 4
		}
		return 3
	}
	slices.SortFunc(list, func(a, b string) int {
		if r := rank(a) - rank(b); r != 0 {
			return r
		}
		return strings.Compare(a, b)
	})
	return list
}

// module is one of the application under test.
func module(t testing.TB, top string, params map[string]string) *block.Bench {
	t.Helper()
	files := map[string][]byte{}
	for name, text := range application(t) {
		if base := path.Base(name); path.Ext(base) == ".sv" {
			files[base] = text
		}
	}
	sources, err := verilate.Place(files)
	assert.NilError(t, err)
	set := block.NewSet(block.Module{Name: top, Params: params, Sources: sources, Streams: true})
	return set.Start(t, top, 7)
}

// shellSources are the application's with what it sees of the shell.
func shellSources(t testing.TB) map[string][]byte {
	t.Helper()
	files := application(t)
	for _, name := range []string{"lynx.sv", "user_logic.sv"} {
		text, err := os.ReadFile(filepath.Join("shell", name))
		assert.NilError(t, err)
		files["shell/"+name] = text
	}
	return files
}

// Warnings that the shell's own interfaces cause, of which an application uses a
// part.
var waived = "`verilator_config\nlint_off -rule DECLFILENAME\nlint_off -rule UNUSEDSIGNAL -file \"*lynx.sv\"\n" +
	"lint_off -rule UNUSEDPARAM -file \"*lynx.sv\"\nlint_off -rule UNDRIVEN -file \"*lynx.sv\"\nlint_off -rule " +
	"UNUSEDSIGNAL -file \"*user_logic.sv\"\n" +
	"lint_off -rule UNDRIVEN -file \"*user_logic.sv\"\nlint_off -rule MULTITOP\nlint_off -rule IMPORTSTAR\n"

func lint(t *testing.T, top string, files map[string][]byte) error {
	t.Helper()
	sources := place(t, files)
	waiver := filepath.Join(t.TempDir(), "waived.vlt")
	assert.NilError(t, os.WriteFile(waiver, []byte(waived), 0o644))
	// vfpga_top.svh is included.
	for _, s := range sources {
		if filepath.Base(s) == "user_logic.sv" {
			text, err := os.ReadFile(s)
			assert.NilError(t, err)
			top := strings.ReplaceAll(string(text), "`include \"vfpga_top.svh\"", string(files["vfpga_top.svh"]))
			assert.NilError(t, os.WriteFile(s, []byte(top), 0o644))
		}
	}
	return verilate.Lint(t.Context(), top, nil, append([]string{waiver}, sources...)...)
}

func TestClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	t.Run("kernels", func(t *testing.T) {
		t.Parallel()
		assert.NilError(t, lint(t, "coyote_top", application(t)))
	})
	t.Run("shell", func(t *testing.T) {
		t.Parallel()
		assert.NilError(t, lint(t, "user_wrapper", shellSources(t)))
	})
	// What must not pass.
	for n, c := range []struct{ name, file, old, new string }{
		{"a name of the shell's", "hdl/coyote_commands.sv", "cclo_fifo #(", "fifo #("},
		{"a stream that is missing", "vfpga_top.svh", "axis_host_send[2]", "axis_host_send[3]"},
		{"a field that is missing", "vfpga_top.svh", "sq_wr.data.vaddr", "sq_wr.data.address"},
		{"a pin that is missing", "vfpga_top.svh", ".rq_wr_data(cclo_rq_wr),", ""},
		{"a queue the wrong way", "vfpga_top.svh", "cq_rd.ready = 1'b1;", "cq_rd.valid = 1'b1;"},
		{"a request of other widths", "hdl/coyote_pkg.sv", "logic [47:0] vaddr;", "logic [46:0] vaddr;"},
	} {
		if !nightly.Sampled(n, 3) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := shellSources(t)
			text := string(files[c.file])
			assert.Assert(t, is.Contains(text, c.old), "%s has no", c.file)
			files[c.file] = []byte(strings.ReplaceAll(text, c.old, c.new))
			assert.Check(t, lint(t, "user_wrapper", files) != nil, "nothing was found")
		})
	}
}

// Synthesis reads less of the language than Verilator.
func TestSynthesis(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	files := map[string][]byte{}
	for name, text := range application(t) {
		base := path.Base(name)
		if strings.HasPrefix(base, "coyote_") && base != "coyote_top.sv" ||
			slices.Contains([]string{"cclo_pkg.sv", "cclo_fifo.sv", "skid_buffer.sv", "round_robin.sv"}, base) {
			files[base] = text
		}
	}
	sources := place(t, files)
	for _, top := range []string{"coyote_dma", "coyote_rdma", "coyote_requests", "coyote_control"} {
		_, err := synth.Elaborate(t.Context(), t.TempDir(), top, sources...)
		assert.Check(t, err, "%s", top)
	}
}
