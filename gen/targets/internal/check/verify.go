package check

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// Verify checks the hardware of a platform.
func Verify(ctx context.Context, platform string, careful bool, scale *float64) error {
	provide(ctx)
	args := []string{"test", "./verify/conform", "-count=1", "-timeout=4h", "-conform.over=verilated", "-conform.platforms=" + platform,
		"-skip=^(TestOver|TestDeadPeer|TestLossBetweenNamespaces)$"} // which choose how they reach the ranks
	if careful {
		args = append(args, "-conform.careful")
	}
	if scale != nil {
		args = append(args, "-conform.scale="+strconv.FormatFloat(*scale, 'g', -1, 64))
	}
	lint := command("go", "test", "./verify/sim", "-count=1", "-run=TestPlatformsAreClean", "-sim.platforms="+platform)
	return runAll(ctx, os.Stdout, []step{
		{fmt.Sprintf("lint of %s", platform), lint},
		{fmt.Sprintf("worlds of simulated ranks of %s", platform), command("go", args...)},
		{"benches of its parts", command("go", "test", "./verify/tb/...", "./verify/sim/...")},
	})
}
