// Plugins measures kernels in C++ in the emulated world, prints a table and writes a
// report. Run it from the root of the repository; mage bench does.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/cclforge/cclforge/verify/bench/plugins"
	"github.com/cclforge/cclforge/verify/internal/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	o := plugins.Defaults()
	flag.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	flag.IntVar(&o.Bytes, "bytes", o.Bytes, "`bytes` of an operand")
	flag.IntVar(&o.Runs, "runs", o.Runs, "`times` that each is run")
	dir := flag.String("out", "out/bench", "`directory` for the report")
	flag.Parse()
	return plugins.Run(ctx, o, *dir, os.Stdout, os.Stderr)
}
