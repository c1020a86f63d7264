package standin

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// documented are the board platforms as UG1120 (Alveo Data Center Accelerator Card
// Platforms) has them.
var documented = []Shell{
	{Name: "xilinx_u50_gen3x16_xdma_5_202210_1", Part: "xcu50-fsvh2104-2-e", SLRs: 2,
		Memories: []Memory{{"HBM", 32, 256 << 10}, {"PLRAM", 4, 128}}},
	{Name: "xilinx_u55c_gen3x16_xdma_3_202210_1", Part: "xcu55c-fsvh2892-2L-e", SLRs: 3,
		Memories: []Memory{{"HBM", 32, 512 << 10}, {"PLRAM", 6, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u200_gen3x16_xdma_2_202110_1", Part: "xcu200-fsgd2104-2-e", SLRs: 3,
		Memories: []Memory{{"DDR", 4, 16 << 20}, {"PLRAM", 3, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u250_gen3x16_xdma_4_1_202210_1", Part: "xcu250-figd2104-2L-e", SLRs: 4,
		Memories: []Memory{{"DDR", 4, 16 << 20}, {"PLRAM", 4, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u280_gen3x16_xdma_1_202211_1", Part: "xcu280-fsvh2892-2L-e", SLRs: 3,
		Memories: []Memory{{"HBM", 32, 256 << 10}, {"DDR", 2, 16 << 20}, {"PLRAM", 6, 128}}},
}

// TestShippedBoards holds the shipped boards against the vendor's document. They need
// not have all memories of a card.
func TestShippedBoards(t *testing.T) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	shipped := map[string]Shell{}
	for _, b := range lib.Boards {
		shipped[b.Shell] = ShellOf(b)
	}
	for _, want := range documented {
		got := shipped[want.Name]
		assert.Check(t, got.Part == want.Part && got.SLRs == want.SLRs && len(got.Memories) != 0,
			"%+v, not %+v", got, want)
		for _, m := range got.Memories {
			assert.Check(t, slices.Contains(want.Memories, m), "%s: there is no memory %+v", want.Name, m)
		}
	}
}
