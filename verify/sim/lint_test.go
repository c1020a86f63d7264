package sim

import (
	"context"
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/sim/verilate"
	"github.com/cclforge/cclforge/verify/tb/kernels"
)

var platformsFlag = flag.String("sim.platforms", "", "platforms that are linted, as names with commas between; \"\" for all")

func lint(ctx context.Context, files kernels.Sources, module string) error {
	paths, err := verilate.Place(files)
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return first(a) - first(b) })
	return verilate.Lint(ctx, module, nil, paths...)
}

// TestPlatformsAreClean checks hardware with every warning that Verilator has: each
// platform with the models around it, and each kernel by itself, as it is packaged.
// What is the same on several platforms is checked once.
func TestPlatformsAreClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	var seen sync.Map
	once := func(t *testing.T, name string, files kernels.Sources, module string) {
		t.Helper()
		if _, again := seen.LoadOrStore(files.Key(module), true); again {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := lint(t.Context(), files, module); err != nil {
				t.Error(err)
			}
		})
	}
	check := func(t *testing.T, name string, d *design.Design) {
		t.Helper()
		files, err := kernels.Rendered(d)
		if err != nil {
			t.Fatal(err)
		}
		if files[top+".sv"] == nil {
			t.Errorf("%s has no top level", name)
			return
		}
		once(t, name, files, top)
		own, err := kernels.Of(d, files)
		if err != nil {
			t.Error(err)
		}
		for _, k := range own {
			once(t, name+"/"+k.ID, k.Sources, k.Module)
		}
	}
	names := designtest.Library(t).PlatformNames()
	if *platformsFlag != "" {
		names = strings.Split(*platformsFlag, ",")
	}
	for _, name := range names {
		check(t, name, designtest.Load(t, name, nil))
	}
	for _, c := range []struct {
		name, platform, variable string
		value                    cty.Value
	}{
		{"host memory", "u55c_tcp", "host_memory", cty.True},
		{"user kernel", "u55c_tcp", "user_kernel", cty.StringVal("vadd_put")},
	} {
		if slices.Contains(names, c.platform) {
			check(t, c.name, designtest.Load(t, c.platform, map[string]cty.Value{c.variable: c.value}))
		}
	}
}
