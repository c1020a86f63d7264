// Package verbs is the command cclforge: the verbs of the packages that it joins, and those
// that check and measure worlds and cclforge itself.
package verbs

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/vitis/run/local"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/internal/builds"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/internal/ranks"
)

// Main is the process.
func Main() {
	local.Supervise()
	command.Main(func(ctx context.Context) error { return command.Execute(ctx, New(), os.Args[1:]...) })
}

// New returns the command with all verbs.
func New() *cobra.Command {
	all := append(ranks.Verbs(), builds.Verbs()...)
	all = append(all, emulateCardsVerb(), selftestVerb(), benchVerb(), kernelVerb())
	all = append(all, testVerb(), nightlyVerb(), verifyVerb(), rehearseVerb(), proofsVerb(), exhaustiveVerb(),
		coverageVerb(), worldsVerb(),
		synthVerb(), soakVerb(), figuresVerb())
	return command.New(all...)
}
