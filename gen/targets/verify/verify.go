// Package verify holds the targets below verify: import it with
// "mage:import verify" beside package develop.
package verify

import (
	"context"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Proofs proves handshakes of the hardware's parts with yosys and z3, for all inputs
// and any number of cycles, and that proofs of broken parts fail.
func Proofs(ctx context.Context,
	only *string, // blocks, as names with commas between (all)
) error {
	return command.Run(ctx, "proofs", nil, "only", only)
}

// Exhaustive checks arithmetic with every pair of operands of float16, every operand of
// the conversions, ten million pairs of the other types, and the control core with
// millions of random instructions.
func Exhaustive(ctx context.Context,
	part *string, // of all operands: 3/16, or 3-16/16 (1/1)
) error {
	return command.Run(ctx, "exhaustive", nil, "part", part)
}

// Coverage runs benches and worlds on hardware that counts which of its lines and bits
// they go through, and writes a table and a page to out/coverage/.
func Coverage(ctx context.Context,
	platforms *string, // of the worlds, as names with commas between; "" for none
	benches *string, // packages, with commas between; "" for none (all)
	scale *float64, // how much of the tests of worlds: 0.1 is a tenth (0.02)
	bits *bool, // false: lines and branches alone, which takes a fraction of the time (true)
	keep *string, // directory in which counts stay: later runs add to them
	from *string, // such a directory: reports what is there, and runs nothing
	least *float64, // fails if less than this percentage of a module's lines is covered or has a reason (0)
) error {
	return command.Run(ctx, "coverage", nil, "platforms", platforms, "benches", benches, "scale", scale,
		"bits", bits, "keep", keep, "from", from, "least", least)
}

// Worlds runs random calls on four simulated ranks, compares each with emulated ones, and
// breaks network and memories in between.
func Worlds(ctx context.Context,
	calls *int, // at least (100000)
	seed *int, // of everything random (1)
	platforms *string, // that take turns, as names with commas between
) error {
	return command.Run(ctx, "worlds", nil, "calls", calls, "seed", seed, "platforms", platforms)
}
