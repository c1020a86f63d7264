package sim

import (
	"flag"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/sim/verilate"
)

var platformsFlag = flag.String("sim.platforms", "u55c_tcp", "platforms that are linted, as names with commas between, or all")

// TestPlatformsAreClean lints platforms, models included, with all warnings.
func TestPlatformsAreClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	names := strings.Split(*platformsFlag, ",")
	if *platformsFlag == "all" {
		names = designtest.Library(t).PlatformNames()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if err := Lint(t.Context(), designtest.Load(t, name, nil)); err != nil {
				t.Error(err)
			}
		})
	}
}
