// Builds measures how long it takes to plan builds, and to find that nothing is to be
// done, prints a table and writes a report. Run it from the root of the repository;
// mage bench does.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/cclforge/cclforge/gen/heap"
	"github.com/cclforge/cclforge/gen/vitis/run/local"
	"github.com/cclforge/cclforge/verify/bench/builds"
	"github.com/cclforge/cclforge/verify/internal/program"
)

func main() {
	local.Supervise()
	heap.Spare()
	program.Main(run)
}

func run(ctx context.Context) error {
	o := builds.Defaults()
	flag.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	flag.IntVar(&o.Many, "many", o.Many, "`platforms` of the large plan")
	flag.IntVar(&o.Runs, "runs", o.Runs, "`times` that each is run")
	dir := flag.String("out", "out/bench", "`directory` for the report")
	flag.Parse()
	return builds.Run(ctx, o, *dir, os.Stdout, os.Stderr)
}
