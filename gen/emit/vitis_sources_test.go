package emit

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
)

func TestUsesOfASource(t *testing.T) {
	for text, want := range map[string][]string{
		"    skid_buffer #(.WIDTH(8)) first (\n":                     {"skid_buffer"},
		"    rv32_ram ram (.*);\n":                                   {"rv32_ram"},
		"    lane lanes [3:0] (\n":                                   {"lane"},
		"    fifo #(\n        .WIDTH(3)\n    ) targets (\n":          {"fifo"},
		"assign x = move_pkg::SIZE + rv32_pkg::WORD;\n":              {"move_pkg", "rv32_pkg"},
		"localparam int N = cclo_pkg::CALL_WORDS;\n":                 {"cclo_pkg"},
		"assign y = x; // as move_pkg::SIZE says\n":                  nil,
		"    // fifo first (\n":                                      nil,
		"assign fifo = x;\n":                                         nil,
		"    logic [3:0] lane;\n":                                    nil,
		"cclo_pkg::dma_command_t command;\n":                         {"cclo_pkg"},
		"a = move_pkg::A;\nb = move_pkg::B;\nfifo one (\nfifo two (": {"move_pkg", "fifo"},
	} {
		got := usedUnits([]byte(text))
		assert.Check(t, slices.Equal(got, want), "%q uses %q, and not %q", text, got, want)
	}
}

func TestSourcesOfAKernel(t *testing.T) {
	file := func(path, text string) File { return File{Path: path, Content: []byte(text)} }
	set := newSourceSet([]File{
		file("rtl/k/k.sv", "    middle m (\n    other o (\n"), file("rtl/k/middle.sv", "x = low_pkg::X;\n    leaf l (\n"),
		file("rtl/k/leaf.sv", "y = low_pkg::Y;\n"), file("rtl/k/low_pkg.sv", "z = base_pkg::Z;\n"),
		file("rtl/base_pkg.sv", ""), file("rtl/k/idle.sv", ""),
	})
	got, err := kernelSources(set, &design.Kernel{ID: "k", Name: "k"})
	if want := []string{"rtl/base_pkg.sv", "rtl/k/low_pkg.sv", "rtl/k/leaf.sv", "rtl/k/middle.sv",
		"rtl/k/k.sv"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("sources %q, %v; not %q", got, err, want)
	}
	_, err = kernelSources(set, &design.Kernel{ID: "k", Name: "missing"})
	assert.Check(t, err != nil && err.Error() == "kernel k: there is no file rtl/k/missing.sv",
		"a kernel without a top: %v", err)
	twice := newSourceSet([]File{file("rtl/k/k.sv", "    leaf l (\n"), file("rtl/a/leaf.sv", ""),
		file("rtl/b/leaf.sv", "")})
	_, err = kernelSources(twice, &design.Kernel{ID: "k", Name: "k"})
	assert.Check(t, err != nil && err.Error() == "kernel k: leaf may be any of rtl/a/leaf.sv, rtl/b/leaf.sv",
		"a module in two files: %v", err)
}
