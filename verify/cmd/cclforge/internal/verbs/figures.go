package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/bench"
)

// benchmark is one of cclforge itself. It runs in a process of its own.
type benchmark struct {
	verb    func() *cobra.Command
	ranks   bool   // it takes numbers of ranks
	fixed   bool   // it takes no platform
	needs   string // a tool, without which it is skipped
	skipped string
}

var benchmarks = []benchmark{
	{verb: generateFigures, fixed: true},
	{verb: collectivesFigures, ranks: true},
	{verb: hardwareFigures, needs: "verilator", skipped: "simulated hardware needs verilator and g++"},
	{verb: buildsFigures, fixed: true},
	{verb: pluginsFigures, needs: "g++", skipped: "kernels in C++ need g++"},
	{verb: recordingFigures},
}

func figuresVerb() *cobra.Command {
	platform, ranks := "", ""
	var names []string
	var all []*cobra.Command
	for _, b := range benchmarks {
		c := b.verb()
		names, all = append(names, c.Name()), append(all, c)
	}
	c := &cobra.Command{
		Use: "figures", GroupID: command.Develop,
		Short: "measure cclforge itself",
		Long: "Figures measures how long generating takes, how fast emulated collectives are, in process, through\n" +
			"the simulation protocol and on sockets, how many cycles calls take on simulated hardware, how long\n" +
			"builds take that have nothing to do, how many beats go through kernels in C++, and what recording\n" +
			"costs. Collectives are compared with those of OpenMPI if mpicc and mpirun are there. Reports are in\n" +
			"out/bench/.\n\n" +
			"A name measures one alone, with options of its own.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Misuse("there is no benchmark %q; there are %s", args[0], strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			for i, b := range benchmarks {
				if i > 0 {
					fmt.Println()
				}
				if err := b.start(cmd.Context(), names[i], platform, ranks); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&platform, "platform", "", "platform, as a `name` (u55c_tcp)")
	c.Flags().StringVar(&ranks, "ranks", "", "`numbers` of ranks of the collectives (2,4,8)")
	c.AddCommand(all...)
	return c
}

// start runs a benchmark in a process of its own.
func (b benchmark) start(ctx context.Context, name, platform, ranks string) error {
	if b.needs != "" {
		if _, err := exec.LookPath(b.needs); err != nil {
			fmt.Println("SKIPPED: " + b.skipped)
			return nil
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"figures", name}
	if platform != "" && !b.fixed {
		args = append(args, "--platform="+platform)
	}
	if ranks != "" && b.ranks {
		args = append(args, "--ranks="+ranks)
	}
	err = running(self, args...)(ctx)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return command.Silent{Err: fmt.Errorf("the benchmark %s has failed: %w", name, err)}
	}
	return err
}

// reportDir defines the option for the directory of a report.
func reportDir(c *cobra.Command, to *string) *cobra.Command {
	c.Flags().StringVar(to, "out", "out/bench", "`directory` for the report")
	return c
}

func generateFigures() *cobra.Command {
	return &cobra.Command{
		Use: "generate", Short: "how long generating takes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return bench.Generate(cmd.Context())
		},
	}
}

// measured is a benchmark whose options the command sets.
type measured interface {
	Run(ctx context.Context, dir string, out, progress io.Writer) error
}

// figuresOf is the command of a benchmark of a platform that is run some times.
func figuresOf(o measured, use, short string, platform *string, runs *int) *cobra.Command {
	dir := ""
	c := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), dir, os.Stdout, os.Stderr)
		},
	}
	c.Flags().StringVar(platform, "platform", *platform, "`name` of the platform")
	c.Flags().IntVar(runs, "runs", *runs, "`times` that each is run")
	return reportDir(c, &dir)
}

func buildsFigures() *cobra.Command {
	o := bench.DefaultBuilds()
	c := figuresOf(&o, "builds", "how long it takes to plan builds, and to find that nothing is to be done", &o.Platform,
		&o.Runs)
	c.Flags().IntVar(&o.Many, "many", o.Many, "`platforms` of the large plan")
	return c
}

func pluginsFigures() *cobra.Command {
	o := bench.DefaultPlugins()
	c := figuresOf(&o, "plugins", "how many beats go through kernels in C++ in the emulated world", &o.Platform, &o.Runs)
	c.Flags().IntVar(&o.Bytes, "bytes", o.Bytes, "`bytes` of an operand")
	return c
}

func recordingFigures() *cobra.Command {
	o := bench.DefaultRecording()
	c := figuresOf(&o, "recording", "how much longer a small allreduce takes while emulated ranks are recorded",
		&o.Platform, &o.Runs)
	c.Flags().IntVar(&o.Calls, "calls", o.Calls, "`calls` of a run")
	return c
}
