package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/coverage"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

func coverageVerb() *cobra.Command {
	var what runs
	var out, from string
	var least float64
	c := &cobra.Command{
		Use: "coverage", GroupID: command.Develop,
		Short: "report which lines and bits of the hardware benches and worlds go through",
		Long: "Coverage runs benches and worlds on hardware that counts which of its lines and bits they go through,\n" +
			"and writes a table and a page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				provide(cmd.Context(), wanted)
			}
			return what.report(cmd.Context(), out, from, least)
		},
	}
	f := c.Flags()
	f.StringVar(&what.platforms, "platforms",
		"u55c_tcp,u55c_udp,u55c_rdma,u280_axis3x", "of the worlds, as `names` with commas between; \"\" for none")
	f.StringVar(&what.benches, "benches",
		"./verify/rtltest/...,./verify/vitis/coyote", "`packages`, with commas between; \"\" for none")
	f.Float64Var(&what.scale, "scale", 0.02, "how `much` of the tests of worlds: 0.1 is a tenth")
	f.BoolVar(&what.bits, "bits", true, "false: lines and branches alone, which takes a fraction of the time")
	f.StringVar(&what.dir, "keep", "", "`directory` in which counts stay: later runs add to them")
	f.StringVar(&from, "from", "", "such a `directory`: reports what is there, and runs nothing")
	f.Float64Var(&least, "least", 0,
		"fails if less than this `percentage` of a module's lines is covered or has a reason (0)")
	f.StringVar(&out, "out", "out/coverage", "`directory` for the report")
	return c
}

// report runs what counts, unless that has been done, and reports it.
func (r *runs) report(ctx context.Context, out, from string, least float64) error {
	failed := error(nil)
	if from == "" {
		end, err := r.begin()
		if err != nil {
			return err
		}
		defer end()
		from, failed = r.dir, r.all(ctx)
	}
	report, err := coverage.NewReport(from)
	if err != nil {
		return errors.Join(failed, err)
	}
	if err := report.Print(os.Stdout); err != nil {
		return err
	}
	if err := report.Write(out); err != nil {
		return err
	}
	fmt.Printf("\nwritten to %s/index.html\n", out)
	return errors.Join(failed, report.Least(least))
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
	if benches := listed(r.benches); len(benches) > 0 {
		all = append(all, benches)
	}
	platforms := listed(r.platforms)
	if len(platforms) > 0 {
		all = append(all, []string{"./verify/rtlsim"})
	}
	for _, name := range platforms {
		all = append(all, []string{
			"./verify/conformance", "-conform.over=verilated", "-conform.platforms=" + name, "-sim.waves=0",
			"-conform.scale=" + strconv.FormatFloat(r.scale, 'g', -1, 64),
		})
	}
	return all
}

func listed(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
}

// all ends early if the context does; what was covered until then is there.
func (r *runs) all(ctx context.Context) error {
	environment := []string{verilate.CoverageVariable + "=" + r.dir}
	if !r.bits {
		environment = append(environment, verilate.LinesVariable+"=1")
	}
	commands := r.commands()
	var failed error
	for i, args := range commands {
		fmt.Printf("== %d of %d: go test %s\n", i+1, len(commands), strings.Join(args, " "))
		began := time.Now()
		test := commandLine{name: "go", args: append([]string{"test", "-count=1", "-timeout=24h"}, args...),
			env: environment}
		if err := test.run(ctx); err != nil {
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
