package check

import (
	"context"
	"os"
	"slices"
)

// tool runs the go command with arguments and the flags that were given, which are not
// empty.
func tool(args []string, flags ...string) func(ctx context.Context) error {
	given := slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return flag == "" })
	return command("go", slices.Concat(args, given)...)
}

// Proofs proves handshakes of blocks.
func Proofs(ctx context.Context, flags ...string) error {
	provide(ctx)
	return tool([]string{"run", "./verify/proofs/cmd"}, flags...)(ctx)
}

// Exhaustive checks arithmetic with all operands, as flags say, and the control core
// with many instructions.
func Exhaustive(ctx context.Context, flags ...string) error {
	provide(ctx)
	return runAll(ctx, os.Stdout, exhaustive(flags...))
}

func exhaustive(flags ...string) []step {
	test := []string{"test", "-count=1", "-v", "-timeout=24h"}
	return []step{
		{"arithmetic", tool(slices.Concat(test, []string{"./verify/tb/reduce_ops", "./verify/tb/hp_compression", "-tb.exhaustive"}), flags...)},
		{"control core", tool(slices.Concat(test, []string{"./verify/tb/core", "-run=Random", "-tb.instructions=20000000"}))},
	}
}

// Coverage reports what benches and worlds cover of the hardware.
func Coverage(ctx context.Context, flags ...string) error {
	provide(ctx)
	return tool([]string{"run", "./verify/coverage/cmd/coverage"}, flags...)(ctx)
}

// Synth maps kernels and compares them with those of the last commit.
func Synth(ctx context.Context, flags ...string) error {
	provide(ctx)
	return tool([]string{"run", "./verify/synth/cmd/synth"}, flags...)(ctx)
}

// Worlds compares random calls of simulated and emulated ranks for long, on one
// platform of each network and generation in turn, unless flags say otherwise.
func Worlds(ctx context.Context, flags ...string) error {
	provide(ctx)
	return tool(worlds, flags...)(ctx)
}

var worlds = []string{
	"test", "-count=1", "-v", "-timeout=240h", "./verify/sim/compare", "-run=^TestManyCalls$",
	"-compare.calls=100000", "-compare.length=400", "-compare.platforms=u55c_tcp,u55c_udp,u55c_rdma,u280_2022",
}
