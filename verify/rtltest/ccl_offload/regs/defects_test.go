package regs

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^TestInspection", "inspection")
	block.Plant(t, "^TestActivity", "activity")
	block.Plant(t, "^TestTrace", "trace")
}
