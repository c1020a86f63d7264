package verbs

import (
	"context"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
)

func exhaustiveVerb() *cobra.Command {
	part := ""
	c := &cobra.Command{
		Use: "exhaustive", GroupID: command.Develop,
		Short: "check arithmetic with all operands, and the control core with many instructions",
		Long: "Exhaustive checks arithmetic with every pair of operands of float16, every operand of the\n" +
			"conversions, ten million pairs of the other types, and the control core with millions of random\n" +
			"instructions.",
		RunE: func(cmd *cobra.Command, _ []string) error { return exhaustive(cmd.Context(), part) },
	}
	c.Flags().StringVar(&part, "part", "1/1", "`part` of all operands: 3/16, or 3-16/16")
	return c
}

func exhaustive(ctx context.Context, part string) error {
	provide(ctx, wanted)
	test := []string{"test", "-count=1", "-v", "-timeout=24h"}
	return runAll(ctx, os.Stdout, []check{
		{"arithmetic", running("go", append(test, "./verify/rtltest/arithmetic",
			"-tb.exhaustive", "-tb.exhaustive.part="+part)...)},
		{"control core", running("go", append(test, "./verify/rtltest/ccl_offload/cpu", "-run=Random",
			"-tb.instructions=20000000")...)},
	})
}

func worldsVerb() *cobra.Command {
	calls, seed, platforms := 0, 0, ""
	c := &cobra.Command{
		Use: "worlds", GroupID: command.Develop,
		Short: "compare random calls of simulated and emulated ranks for long",
		Long: "Worlds runs random calls on four simulated ranks, compares each with emulated ones, and breaks network\n" +
			"and memories in between.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			provide(cmd.Context(), wanted)
			return running("go", "test", "-count=1", "-v", "-timeout=240h", "./verify/rtlsim/compare", "-run=^TestManyCalls$",
				"-compare.length=400", "-compare.calls="+strconv.Itoa(calls), "-compare.seed="+strconv.Itoa(seed),
				"-compare.platforms="+platforms)(cmd.Context())
		},
	}
	f := c.Flags()
	f.IntVar(&calls, "calls", 100000, "at `least`")
	f.IntVar(&seed, "seed", 1, "`number` of everything random")
	f.StringVar(&platforms, "platforms",
		"u55c_tcp,u55c_udp,u55c_rdma,u280_2022", "that take turns, as `names` with commas between")
	return c
}
