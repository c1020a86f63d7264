package check

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// flagged adds an option to arguments, if it was given.
func flagged[T any](args []string, name string, value *T) []string {
	if value == nil {
		return args
	}
	return append(args, fmt.Sprintf("-%s=%v", name, *value))
}

// Proofs proves handshakes of blocks.
func Proofs(ctx context.Context, only *string) error {
	provide(ctx)
	return command("go", flagged([]string{"run", "./verify/proofs/cmd"}, "only", only)...)(ctx)
}

// Exhaustive checks arithmetic with all operands, and the control core with many
// instructions.
func Exhaustive(ctx context.Context, part *string) error {
	provide(ctx)
	arithmetic := flagged([]string{"test", "-count=1", "-v", "-timeout=24h", "./verify/tb/reduce_ops", "./verify/tb/hp_compression", "-tb.exhaustive"}, "tb.exhaustive.part", part)
	core := []string{"test", "-count=1", "-v", "-timeout=24h", "./verify/tb/core", "-run=Random", "-tb.instructions=" + strconv.Itoa(20_000_000)}
	return runAll(ctx, os.Stdout, []step{
		{"arithmetic", command("go", arithmetic...)},
		{"control core", command("go", core...)},
	})
}

// Coverage reports what benches and worlds cover of the hardware.
func Coverage(ctx context.Context, platforms *string, scale *float64) error {
	provide(ctx)
	return command("go", flagged(flagged([]string{"run", "./verify/coverage/cmd/coverage"}, "platforms", platforms), "scale", scale)...)(ctx)
}

// Synth maps kernels and compares them with those of the last commit.
func Synth(ctx context.Context, platform, only *string, jobs *int) error {
	provide(ctx)
	args := flagged([]string{"run", "./verify/synth/cmd/synth"}, "platform", platform)
	return command("go", flagged(flagged(args, "only", only), "jobs", jobs)...)(ctx)
}

// longPlatforms are one of each network and generation.
const longPlatforms = "u55c_tcp,u55c_udp,u55c_rdma,u280_2022"

// Worlds compares random calls of simulated and emulated ranks for long.
func Worlds(ctx context.Context, calls, seed *int, platforms *string) error {
	provide(ctx)
	most, all := 100_000, longPlatforms
	if calls == nil {
		calls = &most
	}
	if platforms == nil {
		platforms = &all
	}
	args := []string{"test", "-count=1", "-v", "-timeout=240h", "./verify/sim/compare", "-run=^TestManyCalls$"}
	args = flagged(args, "compare.calls", calls)
	args = flagged(args, "compare.seed", seed)
	return command("go", flagged(args, "compare.platforms", platforms)...)(ctx)
}
