// Package verbs is the command cclforge: the verbs that build platforms here or on a cluster,
// show results and look at cards, those that check and measure worlds and cclforge itself, and
// those of package ranks.
package verbs

import (
	"context"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
)

// Main is the process.
func Main() {
	run.Supervise()
	// More threads than its share of the cores would take them from processes that others wait for.
	if l, err := accl.LaunchOf(os.LookupEnv); err == nil && l.LocalSize > 1 {
		runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), max(1, runtime.NumCPU()/l.LocalSize)))
	}
	command.Main(func(ctx context.Context) error { return command.Execute(ctx, New(), os.Args[1:]...) })
}

// New returns the command with all verbs.
func New() *cobra.Command {
	all := append(ranks.Verbs(), buildVerbs()...)
	all = append(all, emulateCardsVerb(), selftestVerb(), inspectVerb(), traceVerb(), benchVerb(), kernelVerb())
	all = append(all, libraryVerb(), pythonVerb(), mpiVerb())
	all = append(all, testVerb(), nightlyVerb(), verifyVerb(), rehearseVerb(), proofsVerb(), exhaustiveVerb(),
		coverageVerb(), worldsVerb(),
		synthVerb(), soakVerb(), figuresVerb())
	return command.New(all...)
}
