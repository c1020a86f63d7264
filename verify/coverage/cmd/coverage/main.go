// Command coverage runs the benches of the hardware's parts and worlds of simulated
// ranks on models that count what they go through, and reports what was covered.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/coverage"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/sim/verilate"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	platforms := flag.String("platforms", "u55c_tcp,u55c_udp,u55c_rdma,u280_axis3x", "platforms of the worlds, as names with commas between; \"\" for benches alone")
	scale := flag.Float64("scale", 0.02, "how much of the suite runs on the worlds")
	out := flag.String("out", "out/coverage", "directory for the report")
	from := flag.String("from", "", "directory with what runs have left: only the report is made")
	flag.Parse()
	var failed error
	if *from == "" {
		dir, err := os.MkdirTemp("", "coverage-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*from = dir
		if failed = runs(ctx, dir, *platforms, *scale); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r, err := coverage.NewReport(*from)
	if err != nil {
		return err
	}
	if err := r.Print(os.Stdout); err != nil {
		return err
	}
	if err := r.Write(*out); err != nil {
		return err
	}
	fmt.Printf("\nwritten to %s/index.html\n", *out)
	return failed
}

// errRuns says that tests have failed, whose coverage is reported all the same.
var errRuns = errors.New("some of the runs have failed")

// runs leave what they cover in a directory.
func runs(ctx context.Context, dir, platforms string, scale float64) error {
	all := [][]string{{"./verify/tb/..."}}
	if platforms != "" {
		all = append(all, []string{"./verify/sim"})
	}
	for name := range strings.SplitSeq(platforms, ",") {
		if name != "" {
			all = append(all, []string{
				"./verify/conform", "-conform.over=verilated", "-conform.platforms=" + name, "-sim.waves=0",
				"-conform.scale=" + strconv.FormatFloat(scale, 'g', -1, 64),
			})
		}
	}
	var failed error
	for _, args := range all {
		fmt.Printf("== %s\n", strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-timeout=4h"}, args...)...)
		cmd.Env = append(os.Environ(), verilate.CoverageVariable+"="+dir)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Run(); err != nil {
			failed = errRuns
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return failed
}
