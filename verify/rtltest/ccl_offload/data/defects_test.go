package datapath_test

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^Test(SlicesOfManyMoves|TheFirstSlice|FaultsOfDMAEngines|ADMAEngine|APlugin|AResetWaits)",
		"beat_counter", "byte_packer", "dma_reader", "dma_writer", "kernel_writer", "lane", "operand", "plugin_feed",
		"plugin_share", "slice_retire", "stream_cutter", "stream_fork")
}
