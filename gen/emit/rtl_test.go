package emit

import (
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
)

const svSources = "rtl/cclo_pkg.sv"

// svUser is a design that uses little of the package.
const svUser = `
module user (
    input  wire cclo_pkg::message_header_t header,
    output logic        last,
    output logic [31:0] tag
);
    assign tag = header.tag;
    assign last = ^header ^ (header.strm == cclo_pkg::PUT_STREAM_OFFSET) ^ (8'(header.count) == cclo_pkg::OPERATION_NOP);
endmodule
`

func TestPackageLints(t *testing.T) {
	program := tool(t, "verilator", "lint of the package and its layout check")
	everyDesign(t, func(t *testing.T, d *design.Design) {
		dir := onDisk(t, codeFiles(t, d))
		put(t, dir, "user.sv", svUser)
		for _, top := range []string{"rtl/cclo_layout_check.sv", "user.sv"} {
			assert.Check(t, is.Equal(run(t, dir, program, "--lint-only", "-Wall", svSources, top), ""), "%s", top)
		}
	})
}

func TestPackageSynthesises(t *testing.T) {
	program := tool(t, "yosys", "reading of the package for synthesis")
	everyDesign(t, func(t *testing.T, d *design.Design) {
		dir := onDisk(t, codeFiles(t, d))
		put(t, dir, "user.sv", svUser)
		for _, top := range []string{"cclo_layout_check", "user"} {
			file := map[string]string{"cclo_layout_check": "rtl/cclo_layout_check.sv", "user": "user.sv"}[top]
			if out := run(t, dir, program, "-q", "-p", "read_verilog -sv "+svSources+" "+file+"; hierarchy -check -top "+
				top+"; proc"); out != "" {
				t.Errorf("%s: %s", top, out)
			}
		}
	})
}

// TestLayoutCheckFails breaks the package in ways that the layout check is
// there for.
func TestLayoutCheckFails(t *testing.T) {
	verilator := tool(t, "verilator", "whether the layout check finds mistakes")
	files := codeFiles(t, codeDesign(t, "u55c_tcp"))
	pkg := string(files["rtl/cclo_pkg.sv"])
	for _, test := range []struct {
		name    string
		replace []string
		want    string
	}{
		{"member too wide", []string{"logic [22:0] bytes;", "logic [23:0] bytes;"}, "dma_command_t is not 104 bits wide"},
		{"member missing", []string{"logic        drr;", ""}, "Member 'drr' not found"},
		{"members swapped", []string{"_reserved_103_100;\n        logic [3:0]  tag;",
			"tag;\n        logic [3:0]  _reserved_103_100;"}, "dma_command_t.tag is not at bits 99:96"},
		{"members of one width swapped", []string{"drr;", "eof;", "eof;", "drr;"}, "dma_command_t.eof is not at bits 30:30"},
		{"parameter moved", []string{"DMA_COMMAND_TAG_LOW            = 32'd96", "DMA_COMMAND_TAG_LOW = 32'd97"},
			"dma_command_t.tag is not at bits 99:96"},
		{"parameter too narrow", []string{"DMA_COMMAND_ADDRESS_WIDTH      = 32'd64", "DMA_COMMAND_ADDRESS_WIDTH = 32'd63"},
			"dma_command_t.address is not at bits 95:32"},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken := strings.NewReplacer(test.replace...).Replace(pkg)
			if broken == pkg {
				t.Fatalf("the package has no %q", test.replace[0])
			}
			dir := onDisk(t, files)
			put(t, dir, "rtl/cclo_pkg.sv", broken)
			finds(t, dir, test.want, verilator, "--lint-only", "-Wno-WIDTH", svSources, "rtl/cclo_layout_check.sv")
			if !strings.HasSuffix(test.want, "wide") {
				return
			}
			t.Run("yosys", func(t *testing.T) {
				yosys := tool(t, "yosys", "whether yosys finds structs of a wrong width")
				finds(t, dir, "dma_command_t is not", yosys, "-q", "-p", "read_verilog -sv "+svSources+" rtl/cclo_layout_check.sv")
			})
		})
	}
}

// finds runs a program that is expected to refuse its input.
func finds(t *testing.T, dir, want, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.Check(t, err != nil && strings.Contains(string(out), want),
		"%v, want a complaint that %s:\n%s", err, want, out)
}
