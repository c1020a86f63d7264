package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
	"github.com/cclforge/cclforge/gen/vitis/tools"
	"github.com/cclforge/cclforge/gen/workspace"
)

// Request is what is to be built.
type Request struct {
	Dir string // of the workspace
	workspace.Selection
	Cache string // directory of the store; "" for the usual one
	// Guess plans for the newest tools if there are none.
	Guess bool
	// Version plans for the tools of a version of Vitis, "2022.1", whatever is here; "" for
	// those that are here.
	Version string
	// Log tells people what is no result. It must not be nil.
	Log func(format string, args ...any)
}

// ErrVersion matches errors of versions of the tools that are unknown here.
var ErrVersion = errors.New("there is no version of Vitis")

// Build is a build before it runs.
type Build struct {
	Designs []*design.Design
	Tools   *tools.Set
	Plan    *step.Plan
	Store   *store.Store
}

// Prepare reads platforms, finds tools and plans. The error may match lang.ErrInvalid,
// ErrVersion, tools.ErrMissing or tools.ErrTooOld.
func Prepare(ctx context.Context, r Request) (*Build, error) {
	space, err := workspace.Open(r.Dir, r.Log)
	if err != nil {
		return nil, err
	}
	rendered, err := space.Render(ctx, r.Selection)
	if err != nil {
		return nil, err
	}
	library, err := space.Library()
	if err != nil {
		return nil, err
	}
	b := &Build{}
	for _, p := range rendered {
		b.Designs = append(b.Designs, p.Design)
	}
	if b.Tools, err = r.tools(ctx, library.Toolchain, b.Designs); err != nil {
		return nil, err
	}
	b.warn(r.Log)
	if b.Plan, err = planned(r.Dir, rendered, b.Tools); err != nil {
		return nil, err
	}
	b.Store, err = store.Open(r.Cache)
	return b, err
}

func (r *Request) tools(ctx context.Context, chain *platform.Toolchain, designs []*design.Design) (*tools.Set, error) {
	if r.Version != "" {
		known := lang.Names(chain.Versions, func(v *platform.VersionFacts) string { return v.Version })
		if !slices.Contains(known, r.Version) {
			return nil, fmt.Errorf("%w %q; known are %s", ErrVersion, r.Version, strings.Join(known, ", "))
		}
		return tools.Assume(chain, r.Version), nil
	}
	versions, err := versionsFile()
	if err != nil {
		return nil, err
	}
	set, err := tools.Find(ctx, chain, tools.Env{Cache: versions}, plan.Needs(designs...)...)
	if r.Guess && errors.Is(err, tools.ErrMissing) {
		set, err = tools.Assume(chain, ""), nil
		r.Log("Vitis is not here: this is the plan for %s; -version= plans for another", set.Version)
	}
	return set, err
}

// warn tells of what may go wrong, each once.
func (b *Build) warn(log func(format string, args ...any)) {
	warnings := slices.Clone(b.Tools.Warnings)
	for _, d := range b.Designs {
		for _, w := range plan.Warnings(d, b.Tools) {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	for _, w := range warnings {
		log("warning: %s", w)
	}
}

// planned plans each platform, side by side, and puts the plans together.
func planned(dir string, rendered []workspace.Rendered, set *tools.Set) (*step.Plan, error) {
	here, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	plans := make([]*step.Plan, len(rendered))
	errs := make([]error, len(rendered))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range rendered {
		group.Go(func() error {
			image, err := emit.FirmwareImage(r.Design)
			if err == nil {
				plans[i], err = plan.Plan(r.Design, r.Files, set, plan.Options{Descriptions: here, Firmware: image})
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", r.Design.Platform.Name, err)
			}
			return nil // all of them are told
		})
	}
	if err := errors.Join(append(errs, group.Wait())...); err != nil {
		return nil, err
	}
	return plan.Merge(plans...), nil
}

func versionsFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(dir, "cclforge", "tools.json"), nil
}
