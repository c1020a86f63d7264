package verbs

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
)

// Tests that are named here, by the directories of their packages.
var (
	lintOfPlatforms = named{"verify/rtlsim", []string{"TestPlatformsAreClean"}}
	// waysOfTheirOwn choose how they reach the ranks.
	waysOfTheirOwn = named{"verify/conformance", []string{"TestOver", "TestOverVerilated", "TestDeadPeer"}}
	programs       = named{"verify/server", []string{
		"TestClientOf2022", "TestClientOf2024", "TestClientIsKilledAndComesAgain", "TestKernelStreams",
		"TestRequests", "TestCompletionsGoToOneOfSeveralClients", "TestEachClientReadsItsReturnCode", "TestResetAnswersCalls",
	}}
)

// named are some tests of a package.
type named struct {
	dir   string
	tests []string
}

// only is the pattern of these tests and no others.
func (n named) only() string { return "^(" + strings.Join(n.tests, "|") + ")$" }

func verifyVerb() *cobra.Command {
	careful, scale := false, 1.0
	c := &cobra.Command{
		Use: "verify <platform>", GroupID: command.Develop,
		Short: "check the hardware of a platform: lint, worlds of simulated ranks, benches of its parts",
		Long: "Verify checks the hardware of a platform: every warning of Verilator, worlds of simulated ranks that\n" +
			"run the tests of the emulated ones, and the benches of its parts.",
		Example: "  cclforge verify u55c_tcp --scale=0.1",
		RunE:    func(cmd *cobra.Command, args []string) error { return verify(cmd.Context(), args[0], careful, scale) },
	}
	c.Flags().BoolVar(&careful, "careful", false, "check assertions, and begin with random values")
	c.Flags().Float64Var(&scale, "scale", scale, "how `much` of the tests: 0.1 is a tenth")
	return c
}

func verify(ctx context.Context, platform string, careful bool, scale float64) error {
	provide(ctx, wanted)
	test := func(dir string, flags ...string) []string {
		return append([]string{"test", "./" + dir, "-count=1", "-timeout=4h"}, flags...)
	}
	worlds := test(waysOfTheirOwn.dir, "-skip="+waysOfTheirOwn.only(), "-conform.over=verilated",
		"-conform.platforms="+platform)
	if careful {
		worlds = append(worlds, "-conform.careful")
	}
	worlds = append(worlds, "-conform.scale="+strconv.FormatFloat(scale, 'g', -1, 64))
	return runAll(ctx, os.Stdout, []check{
		{"lint of " + platform, running("go", test(lintOfPlatforms.dir, "-run="+lintOfPlatforms.only(),
			"-sim.platforms="+platform)...)},
		{"worlds of simulated ranks of " + platform, running("go", worlds...)},
		{"programs of the simulation protocol on them",
			running("go", test(programs.dir, "-run="+programs.only(), "-serve.simulate="+platform)...)},
		{"benches of its parts", running("go", "test", "-timeout=4h", "./verify/rtltest/...", "./verify/rtlsim/...")},
	})
}

func rehearseVerb() *cobra.Command {
	interrupts := 0
	c := &cobra.Command{
		Use: "rehearse", GroupID: command.Develop,
		Short: "build every platform with stand-ins for the vendor's tools, with everything that can go wrong",
		Long: "Rehearse builds every platform with stand-ins for the tools of every version of Vitis, has everything\n" +
			"go wrong that can, and interrupts builds at random moments.",
		RunE: func(cmd *cobra.Command, _ []string) error { return rehearse(cmd.Context(), interrupts) },
	}
	c.Flags().IntVar(&interrupts, "interrupts", 100, "`builds` that are interrupted")
	return c
}

// rehearse builds every platform with every version of the stand-ins for the vendor's
// tools, has everything go wrong that they can do wrong, and interrupts builds.
func rehearse(ctx context.Context, interrupts int) error {
	provide(ctx, wanted)
	return runAll(ctx, os.Stdout, []check{
		{"builds with stand-ins", running("go", "test", "./verify/vitis", "-count=1", "-timeout=4h", "-everything",
			"-interrupts="+strconv.Itoa(interrupts))},
	})
}
