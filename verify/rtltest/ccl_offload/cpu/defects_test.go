package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// units are modules of the processor that have no bench of their own.
var units = []string{"rv32_align", "rv32_alu", "rv32_counters", "rv32_decode", "rv32_divider", "rv32_fetch",
	"rv32_multiplier", "rv32_posted", "rv32_registers", "rv32_trap"}

// TestDefectsOfUnits plants defects in them with -tb.defects, and runs random programs in lock step.
func TestDefectsOfUnits(t *testing.T) {
	if !block.Planting() {
		t.Skip("-tb.defects is not given")
	}
	sources, err := Sources(t.Context(), Own)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // each build is used once
	for _, unit := range units {
		at := slices.IndexFunc(sources, func(name string) bool { return filepath.Base(name) == unit+".sv" })
		if at < 0 {
			t.Fatalf("there is no %s", unit)
		}
		text, err := os.ReadFile(sources[at])
		if err != nil {
			t.Fatal(err)
		}
		block.Plant(t, "control_processor", unit, string(text), func(changed string) error {
			edited := slices.Clone(sources)
			edited[at] = filepath.Join(t.TempDir(), unit+".sv")
			if err := os.WriteFile(edited[at], []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			lib, err := build(t.Context(), Own, edited)
			if err != nil {
				return fmt.Errorf("%w: %w", block.ErrBuild, err)
			}
			_, err = pairWith(t, Own, lib.new(*firstSeed, ramBytes, "", "")).random(t, 200_000)
			return err
		})
	}
}
