package moves_test

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^Test(MovesAreCut|RegistersKeep|SlicesCome)/^(u55c_udp|units)$", "dispatcher", "kernel_account",
		"move_channel", "move_check", "move_order", "move_queue", "move_registers", "move_status", "packet_count",
		"packet_cutter", "slice_size", "wait_limit")
}
