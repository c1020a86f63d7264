// Hardware measures calls of simulated hardware, in cycles, prints a table and
// writes a report. Run it from the root of the repository; mage bench does.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/cclforge/cclforge/verify/bench/hardware"
	"github.com/cclforge/cclforge/verify/internal/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	o := hardware.Defaults()
	flag.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	flag.IntVar(&o.PluginBytes, "plugins", o.PluginBytes, "`bytes` through plugins in RTL and in C++; 0 for none")
	dir := flag.String("out", "out/bench", "`directory` for the report")
	flag.Parse()
	return hardware.Run(ctx, o, *dir, os.Stdout, os.Stderr)
}
