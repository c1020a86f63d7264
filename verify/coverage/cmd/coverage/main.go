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
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/coverage"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/sim/verilate"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	var what runs
	flag.StringVar(&what.benches, "benches", "./verify/tb/...,./verify/vitis/coyote", "packages of the benches; \"\" for none")
	flag.StringVar(&what.platforms, "platforms", "u55c_tcp,u55c_udp,u55c_rdma,u280_axis3x", "platforms of the worlds; \"\" for none")
	flag.Float64Var(&what.scale, "scale", 0.02, "how much of the suite runs on the worlds")
	flag.BoolVar(&what.bits, "bits", true, "count bits, too; without, everything is built several times as fast")
	flag.StringVar(&what.dir, "keep", "", "directory in which counts stay, and are added to those of earlier runs")
	out := flag.String("out", "out/coverage", "directory for the report")
	from := flag.String("from", "", "directory in which runs have kept their counts: nothing is run")
	least := flag.Float64("least", 0, "fail if less than this percentage of a module's lines is covered or has a reason")
	flag.Parse()
	failed := error(nil)
	if *from == "" {
		end, err := what.begin()
		if err != nil {
			return err
		}
		defer end()
		*from, failed = what.dir, what.all(ctx)
	}
	r, err := coverage.NewReport(*from)
	if err != nil {
		return errors.Join(failed, err)
	}
	if err := r.Print(os.Stdout); err != nil {
		return err
	}
	if err := r.Write(*out); err != nil {
		return err
	}
	fmt.Printf("\nwritten to %s/index.html\n", *out)
	return errors.Join(failed, r.Least(*least))
}

// errRuns says that tests have failed, whose coverage is reported all the same.
var errRuns = errors.New("some of the runs have failed")

// runs leave what they cover in a directory.
type runs struct {
	benches, platforms, dir string
	scale                   float64
	bits                    bool
}

// begin makes the directory; one that has no name is removed in the end.
func (r *runs) begin() (end func(), err error) {
	if r.dir == "" {
		r.dir, err = os.MkdirTemp("", "coverage-*")
		return func() { os.RemoveAll(r.dir) }, err
	}
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return nil, err
	}
	return func() {}, os.MkdirAll(r.dir, 0o777)
}

// commands are the arguments of go test.
func (r *runs) commands() [][]string {
	var all [][]string
	if benches := names(r.benches); len(benches) > 0 {
		all = append(all, benches)
	}
	platforms := names(r.platforms)
	if len(platforms) > 0 {
		all = append(all, []string{"./verify/sim"})
	}
	for _, name := range platforms {
		all = append(all, []string{
			"./verify/conform", "-conform.over=verilated", "-conform.platforms=" + name, "-sim.waves=0",
			"-conform.scale=" + strconv.FormatFloat(r.scale, 'g', -1, 64),
		})
	}
	return all
}

func names(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
}

// all ends early if the context does; what was covered until then is there.
func (r *runs) all(ctx context.Context) error {
	environment := append(os.Environ(), verilate.CoverageVariable+"="+r.dir)
	if !r.bits {
		environment = append(environment, verilate.LinesVariable+"=1")
	}
	commands := r.commands()
	var failed error
	for i, args := range commands {
		fmt.Printf("== %d of %d: go test %s\n", i+1, len(commands), strings.Join(args, " "))
		began := time.Now()
		cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-timeout=24h"}, args...)...)
		cmd.Env = environment
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Run(); err != nil {
			failed = errRuns
		}
		if ctx.Err() != nil {
			fmt.Println("interrupted: this is what was covered until then")
			return ctx.Err()
		}
		fmt.Printf("   took %s\n", time.Since(began).Round(time.Second))
	}
	return failed
}
