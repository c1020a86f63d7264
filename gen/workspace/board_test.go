package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestBoardIsOneFile adds a board by one file, and generates platforms with each kind of
// network for it: what follows from a board is derived from that file.
func TestBoardIsOneFile(t *testing.T) {
	dir := t.TempDir()
	board, err := os.ReadFile("testdata/x900.hcl")
	assert.NilError(t, err)
	put(t, filepath.Join(dir, "platforms/boards/x900.hcl"), string(board))
	for _, kind := range []string{"udp", "tcp", "rdma", "axis"} {
		put(t, filepath.Join(dir, "platforms/on_"+kind+".hcl"),
			fmt.Sprintf("platform \"on_%s\" {\n  board = \"x900\"\n\n  poe %q {}\n}\n", kind, kind))
	}
	w := opened(t, dir)
	_, err = w.Generate(t.Context(), Options{Selection: Selection{Only: "on_*"}})
	assert.NilError(t, err)
	for file, lines := range map[string][]string{
		"on_udp/vitis/link.cfg": {
			"slr=ccl_offload_0:SLR3", "slr=poe_0:SLR4", ":DDR[4]",
		},
		"on_udp/design.json": {"synthesis_results_noHBM", `"shell": "maker_x900_gen5x16_1"`,
			`"part": "xcx900-test-1-e"`},
		"on_tcp/vitis/link.cfg":         {"slr=ccl_offload_0:SLR3", ":DDR[5]"},
		"on_axis/vitis/link.cfg":        {"slr=ccl_offload_0:SLR3"},
		"on_rdma/coyote/CMakeLists.txt": {"set(FDEV_NAME x900_coyote)"},
		"on_tcp/driver/platform.go":     {`"xcx900-test-1-e"`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, "out", file))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, line := range lines {
			assert.Check(t, is.Contains(string(text), line), "%s has no", file)
		}
	}
}
