package check

import (
	"context"
	"os"
	"strconv"
	"strings"
)

// Tests that are named here, by the directories of their packages.
var (
	lintOfPlatforms = named{"verify/sim", []string{"TestPlatformsAreClean"}}
	// waysOfTheirOwn choose how they reach the ranks.
	waysOfTheirOwn = named{"verify/conform", []string{"TestOver", "TestDeadPeer", "TestLossBetweenNamespaces"}}
	programs       = named{"verify/serve", []string{
		"TestClientOf2022", "TestClientOf2024", "TestClientIsKilledAndComesAgain", "TestKernelStreams", "TestKernelOutputWaitsForAListener",
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

// Verify checks the hardware of a platform.
func Verify(ctx context.Context, platform string, careful bool, scale *float64) error {
	provide(ctx)
	return runAll(ctx, os.Stdout, append(hardware(platform, careful, scale),
		step{"benches of its parts", command("go", "test", "-timeout=4h", "./verify/tb/...", "./verify/sim/...")}))
}

// hardware are checks of the hardware of a platform as a whole.
func hardware(platform string, careful bool, scale *float64) []step {
	worlds := alone(waysOfTheirOwn.dir, "-skip="+waysOfTheirOwn.only(), "-conform.over=verilated", "-conform.platforms="+platform)
	if careful {
		worlds = append(worlds, "-conform.careful")
	}
	whole := 1.0
	if scale != nil {
		whole = *scale
	}
	worlds = append(worlds, "-conform.scale="+strconv.FormatFloat(whole, 'g', -1, 64))
	lint := alone(lintOfPlatforms.dir, "-run="+lintOfPlatforms.only(), "-sim.platforms="+platform)
	served := alone(programs.dir, "-run="+programs.only(), "-serve.simulate="+platform)
	return []step{
		{"lint of " + platform, program{name: "go", args: lint, env: everything}.run},
		{"worlds of simulated ranks of " + platform, command("go", worlds...)},
		{"programs of the simulation protocol on " + platform, command("go", served...)},
	}
}

// alone are the arguments of the go command that test a package.
func alone(dir string, flags ...string) []string {
	return append([]string{"test", "./" + dir, "-count=1", "-timeout=4h"}, flags...)
}

// Rehearse builds every platform with every version of the stand-ins for the vendor's
// tools, has everything go wrong that they can do wrong, and interrupts builds.
func Rehearse(ctx context.Context, interrupts int) error {
	provide(ctx)
	return runAll(ctx, os.Stdout, rehearsals(interrupts))
}

func rehearsals(interrupts int) []step {
	flags := []string{"-everything", "-interrupts=" + strconv.Itoa(interrupts)}
	return []step{{"builds with stand-ins", command("go", alone("verify/vitis", flags...)...)}}
}
