// Package bench runs the benchmarks, as the bench target does.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/verify/bench"
)

// program is a benchmark that runs in a process of its own: that leaves emulator and
// simulations out of every other target, and garbage collection as it is anywhere.
type program struct {
	name    string // as -only and its package call it
	ranks   bool   // it takes numbers of ranks
	fixed   bool   // it takes no platform
	needs   string // a tool, without which it is skipped
	failed  string
	skipped string
}

// generate is the benchmark of generating, which runs here.
const generate = "generate"

var programs = []program{
	{name: "collectives", ranks: true, failed: "the benchmark of the collectives has failed"},
	{name: "hardware", needs: "verilator", failed: "the benchmark of simulated hardware has failed", skipped: "simulated hardware needs verilator and g++"},
	{name: "builds", fixed: true, failed: "the benchmark of builds has failed"},
	{name: "plugins", needs: "g++", failed: "the benchmark of kernels in C++ has failed", skipped: "kernels in C++ need g++"},
}

// Run runs the benchmarks, or one of them, of a platform and with numbers of ranks.
// What is nil was not given.
func Run(ctx context.Context, only, platform, ranks *string) error {
	names := []string{generate}
	for _, p := range programs {
		names = append(names, p.name)
	}
	if only != nil && !slices.Contains(names, *only) {
		return mg.Fatalf(2, "there is no benchmark %q; there are %s", *only, strings.Join(names, ", "))
	}
	if only == nil || *only == generate {
		if err := bench.Run(ctx); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if only != nil && *only != p.name {
			continue
		}
		if only == nil {
			fmt.Println()
		}
		if err := p.run(ctx, platform, ranks); err != nil {
			return err
		}
	}
	return nil
}

func (p program) run(ctx context.Context, platform, ranks *string) error {
	if p.needs != "" {
		if _, err := exec.LookPath(p.needs); err != nil {
			fmt.Println("SKIPPED: " + p.skipped)
			return nil
		}
	}
	var args []string
	if platform != nil && !p.fixed {
		args = append(args, "-platform="+*platform)
	}
	if ranks != nil && p.ranks {
		args = append(args, "-ranks="+*ranks)
	}
	return runProgram(ctx, "./verify/bench/cmd/"+p.name, args, p.failed)
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
