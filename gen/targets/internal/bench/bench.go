// Package bench runs the benchmarks, as the bench target does.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/verify/bench"
)

// The benchmarks, as -only names them.
const (
	generate    = "generate"
	collectives = "collectives"
	hardware    = "hardware"
)

// Run runs the benchmarks, or one of them. Platform and ranks are those of the
// collectives. What is nil was not given.
func Run(ctx context.Context, only, platform, ranks *string) error {
	if only != nil && *only != generate && *only != collectives && *only != hardware {
		return mg.Fatalf(2, "there is no benchmark %q; there are %s, %s and %s", *only, generate, collectives, hardware)
	}
	if only == nil || *only == generate {
		if err := bench.Run(ctx); err != nil {
			return err
		}
	}
	if only == nil {
		fmt.Println()
	}
	if only == nil || *only == collectives {
		if err := runCollectives(ctx, platform, ranks); err != nil {
			return err
		}
	}
	if only == nil {
		fmt.Println()
	}
	if only == nil || *only == hardware {
		return runHardware(ctx, platform)
	}
	return nil
}

// runHardware measures simulated hardware, where it can be built.
func runHardware(ctx context.Context, platform *string) error {
	if _, err := exec.LookPath("verilator"); err != nil {
		fmt.Println("SKIPPED: simulated hardware needs verilator and g++")
		return nil
	}
	var args []string
	if platform != nil {
		args = append(args, "-platform="+*platform)
	}
	return runProgram(ctx, "./verify/bench/cmd/hardware", args, "the benchmark of simulated hardware has failed")
}

// runCollectives runs the benchmark in a process of its own: that leaves the
// emulator out of every other target, and garbage collection as it is anywhere.
func runCollectives(ctx context.Context, platform, ranks *string) error {
	var args []string
	if platform != nil {
		args = append(args, "-platform="+*platform)
	}
	if ranks != nil {
		args = append(args, "-ranks="+*ranks)
	}
	return runProgram(ctx, "./verify/bench/cmd/collectives", args, "the benchmark of the collectives has failed")
}

func runProgram(ctx context.Context, program string, args []string, failed string) error {
	cmd := exec.CommandContext(ctx, mg.GoCmd(), append([]string{"run", program}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// Ctrl-C reaches the program itself; what does not end by that is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return mg.Fatal(130, "interrupted")
	case errors.As(err, &exit):
		return mg.Fatal(1, failed)
	}
	return err
}
