package cpu

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^TestRandomProgramsInLockStep$", "rv32_align", "rv32_alu", "rv32_counters", "rv32_decode",
		"rv32_divider", "rv32_fetch", "rv32_multiplier", "rv32_posted", "rv32_registers", "rv32_trap", "rv32_core")
}
