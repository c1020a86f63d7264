// Hardware measures calls of simulated hardware, in cycles, next to what bounds
// them, prints tables and writes a report and a plot. Run it from the root of the
// repository; mage bench does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/bench/hardware"
	"github.com/cclforge/cclforge/verify/internal/program"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	o := hardware.Defaults()
	flag.StringVar(&o.Platform, "platform", o.Platform, "`name` of the platform")
	list(&o.Rows, "rows", "what to measure, of "+strings.Join(hardware.Names(), ","))
	list(&o.Protocols, "protocols", "of messages, of eager,rendezvous,compressed")
	numbers(&o.Ranks, "ranks", "numbers of ranks")
	numbers(&o.Sizes, "sizes", "bytes of the largest buffer of a rank, also like 64K and 1M")
	flag.BoolVar(&o.Types, "types", o.Types, "each data type, at the largest size")
	latency := flag.Uint("latency", uint(o.Latency), "`cycles` of device memory")
	flag.IntVar(&o.Step, "step", o.Step, "`cycles` that a rank runs before the next one does")
	flag.IntVar(&o.MaxRendezvous, "max-rendezvous", o.MaxRendezvous, "`bytes` that are sent at once; 0 for the platform's")
	flag.IntVar(&o.RxCount, "rx", o.RxCount, "`number` of buffers for eager messages that engines are opened with; 0 for the platform's")
	flag.IntVar(&o.RxBytes, "rx-bytes", o.RxBytes, "`bytes` of each of them; 0 for the platform's")
	flag.StringVar(&o.Image, "image", "", "`file` with control firmware; empty for the prebuilt one")
	flag.IntVar(&o.PluginBytes, "plugins", o.PluginBytes, "`bytes` through plugins in RTL and in C++; 0 for none")
	dir := flag.String("out", "out/bench", "`directory` for the report")
	flag.Parse()
	o.Latency = uint32(*latency)
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "plugins" })
	if len(o.Rows) > 0 && !given {
		o.PluginBytes = 0
	}
	return hardware.Run(ctx, o, *dir, os.Stdout, os.Stderr)
}

func list(to *[]string, name, usage string) {
	flag.Func(name, usage, func(s string) error {
		*to = strings.Split(s, ",")
		return nil
	})
}

func numbers(to *[]int, name, usage string) {
	flag.Func(name, usage, func(s string) error {
		*to = nil
		for _, word := range strings.Split(s, ",") {
			shift := 0
			switch {
			case strings.HasSuffix(word, "K"):
				shift = 10
			case strings.HasSuffix(word, "M"):
				shift = 20
			}
			n, err := strconv.Atoi(strings.TrimRight(word, "KM"))
			if err != nil || n < 1 || n > 1<<30>>shift {
				return fmt.Errorf("%q is no number of what there is", word)
			}
			*to = append(*to, n<<shift)
		}
		return nil
	})
}
