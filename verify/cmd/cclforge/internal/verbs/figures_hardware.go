package verbs

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/verify/bench"
)

func hardwareFigures() *cobra.Command {
	o, dir := bench.DefaultHardware(), ""
	c := &cobra.Command{
		Use: "hardware", Short: "calls of simulated hardware, in cycles, next to what bounds them",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(o.Rows) > 0 && !cmd.Flags().Changed("plugins") {
				o.PluginBytes = 0
			}
			return o.Run(cmd.Context(), dir, os.Stdout, os.Stderr)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	f.StringSliceVar(&o.Rows, "rows", o.Rows, "`names` of what to measure, of "+strings.Join(bench.HardwareRows(), ","))
	f.StringSliceVar(&o.Protocols, "protocols", o.Protocols, "of messages, of eager,rendezvous,compressed")
	f.IntSliceVar(&o.Ranks, "ranks", o.Ranks, "`numbers` of ranks")
	sizesFlag(f, &o.Sizes, "`sizes` of a rank's largest buffer")
	f.BoolVar(&o.Types, "types", o.Types, "each data type, at the largest size")
	f.Uint32Var(&o.Latency, "latency", o.Latency, "`cycles` of device memory")
	f.IntVar(&o.Step, "step", o.Step, "`cycles` that a rank runs before the next one does")
	f.IntVar(&o.MaxRendezvous, "max-rendezvous", o.MaxRendezvous, "`bytes` that are sent at once; 0 for the platform's")
	f.IntVar(&o.RxCount, "rx", o.RxCount,
		"`number` of buffers for eager messages that engines are opened with; 0 for the platform's")
	f.IntVar(&o.RxBytes, "rx-bytes", o.RxBytes, "`bytes` of each of them; 0 for the platform's")
	f.StringVar(&o.Image, "image", "", "`file` with control firmware; empty for the prebuilt one")
	f.IntVar(&o.PluginBytes, "plugins", o.PluginBytes, "`bytes` through plugins in RTL and in C++; 0 for none")
	return reportDir(c, &dir)
}
