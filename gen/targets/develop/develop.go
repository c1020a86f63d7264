// Package develop holds the mage targets of those who work on cclforge itself.
package develop

import (
	"context"
	"time"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Test checks the whole repository: format, vet, staticcheck and all tests.
func Test(ctx context.Context) error { return command.Run(ctx, "test", nil) }

// Nightly runs everything that checks the repository, in some hours, and adds date, commit,
// duration and result to out/nightly/runs.jsonl.
func Nightly(ctx context.Context) error { return command.Run(ctx, "nightly", nil) }

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
	return command.Run(ctx, "verify", []string{platform}, "careful", careful, "scale", scale)
}

// Rehearse builds every platform with stand-ins for the tools of every version of
// Vitis, has everything go wrong that can, and interrupts builds at random moments.
func Rehearse(ctx context.Context,
	interrupts *int, // builds that are interrupted (100)
) error {
	return command.Run(ctx, "rehearse", nil, "interrupts", interrupts)
}

// Synth maps the kernels of a platform with yosys, and says what they take, their longest
// paths, and what has changed since the last commit, in a table and in out/synth/.
//
// With -timing it prints slack and longest paths of whole kernels in nanoseconds, and draws
// them in out/synth/timing.html.
func Synth(ctx context.Context,
	platform *string, // platform, as a name (u55c_tcp)
	only *string, // kernels or modules, as names with commas between (all)
	jobs *int, // modules that are mapped at a time (as many as there are processors)
	timing *bool, // time kernels as a whole, at the platform's clock
	record *string, // with timing: lower the figures in a file, verify/synth/testdata/timing.json
) error {
	return command.Run(ctx, "synth", command.Argument(platform), "only", only, "jobs", jobs, "timing", timing,
		"record", record)
}

// Soak runs random operations against plain arithmetic: half of the time on
// worlds that stay, through real sockets with faults, then in random worlds with
// another seed each time.
func Soak(ctx context.Context,
	duration *time.Duration, // how long: 10m, 2h (10m)
) error {
	return command.Run(ctx, "soak", nil, "duration", duration)
}

// Figures measures cclforge itself, next to the figures of the last run.
//
// It measures how long generating takes, how fast emulated collectives are, in process,
// through the simulation protocol and on sockets, how many cycles calls take on simulated
// hardware, how long builds take that have nothing to do, and how many beats go through
// kernels in C++. Collectives are compared with those of OpenMPI if mpicc and mpirun are
// there. Reports are in out/bench/.
func Figures(ctx context.Context,
	only *string, // generate, collectives, hardware, builds or plugins (all)
	platform *string, // platform, as a name (u55c_tcp)
	ranks *string, // numbers of ranks of the collectives (2,4,8)
) error {
	return command.Run(ctx, "figures", command.Argument(only), "platform", platform, "ranks", ranks)
}

// Firmware builds the control firmware of every interface generation into
// firmware/images.
func Firmware(ctx context.Context) error { return command.Run(ctx, "firmware", nil) }
