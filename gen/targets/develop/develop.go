// Package develop holds the mage targets of those who work on cclforge itself.
package develop

import (
	"context"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/targets/internal/bench"
	"github.com/cclforge/cclforge/gen/targets/internal/check"
	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Test checks the whole repository: format, vet, staticcheck and all tests.
func Test(ctx context.Context) error { return check.Run(ctx) }

// Verify checks the hardware of a platform: every warning of Verilator, worlds of
// simulated ranks that run the tests of the emulated ones, and the benches of its
// parts.
//
// For example: go tool mage verify u55c_tcp -scale=0.1
func Verify(ctx context.Context,
	platform string, // platform, as a name
	careful *bool, // check assertions, and begin with random values
	scale *float64, // how much of the tests: 0.1 is a tenth (1)
) error {
	return check.Verify(ctx, platform, careful != nil && *careful, scale)
}

// Rehearse builds every platform with stand-ins for the tools of every version of
// Vitis, has everything go wrong that can, and interrupts builds at random moments.
func Rehearse(ctx context.Context,
	interrupts *int, // builds that are interrupted (100)
) error {
	if interrupts == nil {
		interrupts = new(int)
		*interrupts = 100
	}
	return check.Rehearse(ctx, *interrupts)
}

// Synth maps the kernels of a platform with yosys, and says what they take, their longest
// paths, and what has changed since the last commit, in a table and in out/synth/.
func Synth(ctx context.Context,
	platform *string, // platform, as a name (u55c_tcp)
	only *string, // kernels or modules, as names with commas between (all)
	jobs *int, // modules that are mapped at a time (as many as there are processors)
) error {
	return check.Synth(ctx, command.Flag("platform", platform), command.Flag("only", only), command.Flag("jobs", jobs))
}

// Soak runs random operations against plain arithmetic: half of the time on
// worlds that stay, through real sockets with faults, then in random worlds with
// another seed each time.
func Soak(ctx context.Context,
	duration *time.Duration, // how long: 10m, 2h (10m)
) error {
	if duration == nil {
		duration = new(time.Duration)
		*duration = 10 * time.Minute
	}
	return check.Soak(ctx, *duration)
}

// Bench measures the operations of a world, with -on: tables as nccl-tests and OSU have
// them. Without it, cclforge itself.
//
// With -on it builds out/bin/cclbench and runs it, which under mpirun and srun has a rank in
// each process: mpirun --oversubscribe -np 4 out/bin/cclbench -on=u55c_tcp
//
// Without -on it measures how long generating takes, how fast emulated collectives are,
// in process, through the simulation protocol and on sockets, how many cycles calls
// take on simulated hardware, how long builds take that have nothing to do, and how
// many beats go through kernels in C++. Collectives are compared with those of OpenMPI if
// mpicc and mpirun are there. Reports are in out/bench/.
func Bench(ctx context.Context,
	only *string, // generate, collectives, hardware, builds or plugins; with -on operations, separated by commas (all)
	platform *string, // platform, as a name (u55c_tcp)
	ranks *string, // numbers of ranks of the collectives (2,4,8); with -on one number (4)
	on *string, // world: a platform's name for emulated ranks, verilated:platform, sim:host:port
	sizes *string, // with -on, of a rank's largest buffer: 1KiB:16MiB:x2 (1KiB:4MiB:x4)
	dtype *string, // with -on, of elements (float32)
	compress *string, // with -on, type that is sent (as they are)
	redop *string, // with -on, reduction, such as max (sum)
	root *int, // with -on, rank that is the root (0)
	iterations *int, // with -on, that are measured (100 of sizes up to 64 KiB, then 20)
	warmup *int, // with -on, iterations before these (5)
	json *bool, // with -on, print a JSON object in place of tables
) error {
	if on == nil {
		for _, given := range []bool{sizes != nil, dtype != nil, compress != nil, redop != nil, root != nil, iterations != nil, warmup != nil, json != nil} {
			if given {
				return mg.Fatal(2, "-on says of which world; without it there are only -only, -platform and -ranks")
			}
		}
		return bench.Run(ctx, only, platform, ranks)
	}
	return command.Bench(ctx, command.Flag("on", on), command.Flag("only", only), command.Flag("platform", platform), command.Flag("n", ranks),
		command.Flag("sizes", sizes), command.Flag("type", dtype), command.Flag("compress", compress), command.Flag("redop", redop),
		command.Flag("root", root), command.Flag("iterations", iterations), command.Flag("warmup", warmup), command.Flag("json", json))
}

// Firmware builds the control firmware of every interface generation into
// firmware/images.
func Firmware(ctx context.Context) error { return command.Firmware(ctx) }
