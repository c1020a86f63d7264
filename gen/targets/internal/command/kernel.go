package command

import (
	"context"
	"fmt"
	"os"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/progress"
)

// Kernel compiles the kernels of a platform that are C++, and runs their test
// benches.
func Kernel(ctx context.Context, platform string, vars, only *string) error {
	o := Options(&platform, vars, nil, nil)
	return with(func(w *workspace.Workspace) error {
		designs, err := w.Validate(ctx, o.Selection)
		if err != nil {
			return err
		}
		if err := hls.Available(ctx); err != nil {
			return err
		}
		ran, failed := 0, 0
		for _, d := range designs {
			for _, k := range d.Kernels() {
				if !k.InCpp() || only != nil && k.ID != *only {
					continue
				}
				ran++
				err := hls.Bench(progress.With(ctx, say), d, k.ID, os.Stdout)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err != nil {
					failed++
					say("%v", err)
				}
			}
		}
		switch {
		case ran == 0 && only != nil:
			return mg.Fatalf(2, "%s has no kernel %q in C++", platform, *only)
		case ran == 0:
			return mg.Fatalf(2, "%s has no kernel in C++", platform)
		case failed > 0:
			return mg.Fatalf(1, "%s", count(failed, "kernel", "has failed", "have failed"))
		}
		fmt.Printf("%s right\n", count(ran, "kernel", "is", "are"))
		return nil
	})
}
