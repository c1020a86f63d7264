package verbs

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/internal/report"
)

func kernelVerb() *cobra.Command {
	var vars, only string
	c := &cobra.Command{
		Use: "kernel <platform>", GroupID: command.Platforms,
		Short:   "compile the kernels of a platform that are written in C++, and run their test benches",
		Example: "  cclforge kernel bf16",
		RunE: func(cmd *cobra.Command, args []string) error {
			return kernels(cmd.Context(), args[0], vars, only)
		},
	}
	command.Vars(c.Flags(), &vars)
	c.Flags().StringVar(&only, "only", "", "one `kernel` (all)")
	return c
}

// kernels compiles the kernels of a platform that are C++, and runs their test benches.
func kernels(ctx context.Context, platform, vars, only string) error {
	log := report.Lines(os.Stderr)
	w, err := workspace.Open(".", log)
	if err != nil {
		return err
	}
	designs, err := w.Validate(ctx, workspace.Selection{Only: platform, Vars: vars})
	if err != nil {
		return err
	}
	if err := hls.Available(ctx); err != nil {
		return err
	}
	ran, failed := 0, 0
	for _, d := range designs {
		for _, k := range d.Kernels() {
			if !k.InCpp() || only != "" && k.ID != only {
				continue
			}
			ran++
			err := hls.Bench(report.With(ctx, log), d, k.ID, os.Stdout)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				failed++
				log("%v", err)
			}
		}
	}
	switch {
	case ran == 0 && only != "":
		return command.Usagef("%s has no kernel %q in C++", platform, only)
	case ran == 0:
		return command.Usagef("%s has no kernel in C++", platform)
	case failed > 0:
		return fmt.Errorf("%d of %d kernels failed", failed, ran)
	}
	fmt.Printf("%d kernels are right\n", ran)
	return nil
}
