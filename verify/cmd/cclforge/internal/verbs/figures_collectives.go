package verbs

import (
	"context"
	"os"
	"os/exec"
	"runtime/pprof"

	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/spf13/cobra"
)

func collectivesFigures() *cobra.Command {
	o, dir, profile, engines := rates.DefaultComparison(), "", "", true
	c := &cobra.Command{
		Use: "collectives", Short: "operations of emulated ranks, beside those of OpenMPI",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := exec.LookPath("mpicc"); err == nil && o.OpenMPI && engines {
				if o.Engines, err = environmentOfMPI(cmd.Context(), "out", o.Platform, "mpicc", os.Stderr); err != nil {
					return err
				}
			}
			return measureCollectives(cmd.Context(), o, dir, profile)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	f.IntSliceVar(&o.Ranks, "ranks", o.Ranks, "`numbers` of ranks")
	f.IntSliceVar(&o.Ways, "ways", o.Ways, "`numbers` of ranks on which ways to them are compared")
	f.IntSliceVar(&o.Sizes, "sizes", o.Sizes, "`bytes` of a rank's largest buffer")
	f.StringSliceVar(&o.Operations, "operations", o.Operations, "`names` of operations, separated by commas (all)")
	f.DurationVar(&o.Time, "time", o.Time,
		"`time` for an operation on a number of ranks and a size, and as long for OpenMPI")
	f.BoolVar(&o.OpenMPI, "openmpi", o.OpenMPI, "compare with OpenMPI if it is there")
	f.BoolVar(&engines, "engines-in-mpi", engines, "measure also programs of OpenMPI whose collectives engines do")
	f.BoolVar(&o.Figures, "figures", o.Figures, "measure also instructions, memory and start-up")
	f.StringVar(&profile, "cpuprofile", "", "write a profile to a `file`")
	return reportDir(c, &dir)
}

func measureCollectives(ctx context.Context, o rates.Comparison, dir, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return o.Run(ctx, dir, os.Stdout, os.Stderr)
}
