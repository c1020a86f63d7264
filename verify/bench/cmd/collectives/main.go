// Collectives measures operations of emulated ranks, prints tables, and writes
// a report and a picture. Run it from the root of the repository; mage bench
// does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/bench/collectives"
	"github.com/cclforge/cclforge/verify/internal/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	o := collectives.Defaults()
	flag.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	numbers("ranks", &o.Ranks, "numbers of ranks")
	numbers("ways", &o.Ways, "numbers of ranks on which ways to them are compared")
	numbers("sizes", &o.Sizes, "bytes of a rank's largest buffer")
	flag.Func("operations", "`names` of operations, separated by commas (all)", func(s string) error {
		o.Operations = strings.Split(s, ",")
		return nil
	})
	flag.DurationVar(&o.Time, "time", o.Time, "`time` for an operation on a number of ranks and a size, and again for OpenMPI")
	flag.BoolVar(&o.OpenMPI, "openmpi", o.OpenMPI, "compare with OpenMPI if it is there")
	flag.BoolVar(&o.Figures, "figures", o.Figures, "measure also instructions, memory and start-up")
	dir := flag.String("out", "out/bench", "`directory` for report and picture")
	profile := flag.String("cpuprofile", "", "write a profile to a `file`")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return collectives.Run(ctx, o, *dir, os.Stdout, os.Stderr)
}

// numbers is a flag that lists numbers.
func numbers(name string, to *[]int, usage string) {
	flag.Func(name, fmt.Sprintf("`list` of %s (%s)", usage, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(*to)), ","), "[]")), func(s string) error {
		*to = nil
		for part := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil {
				return err
			}
			*to = append(*to, n)
		}
		return nil
	})
}
