// Cclcards plays a host with cards that are not there, for programs that reach cards
// through XRT: it says where the libraries are that such programs load instead of XRT's
// own, where the .xclbin is, and how our tools call the world. Run it with -h. At the end it says what processes have
// not given back, and what went wrong on the cards; the exit code is not 0 then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/progress"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/xrt"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	ranks := flag.Int("n", 2, "`number` of engines; each card has as many as its platform")
	vars := flag.String("vars", "", "values of the platform's variables, as one HCL `object`")
	empty := flag.Bool("empty", false, "cards hold nothing at the beginning")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: cclcards [options] platform\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *ranks < 1 {
		return program.Usage{Err: errors.New("expected is a platform by its name, and one engine or more; -h says the options")}
	}
	err := serve(progress.With(ctx, progress.Lines(os.Stderr)), os.Stdout, flag.Arg(0), *vars, *ranks, *empty)
	if errors.Is(err, lang.ErrInvalid) {
		return program.Usage{Err: err}
	}
	return err
}

// serve plays the host until the context ends.
func serve(ctx context.Context, out io.Writer, platform, vars string, ranks int, empty bool) (err error) {
	d, err := world.Design(platform, vars)
	if err != nil {
		return err
	}
	// The addresses that our tools give the engines of cards.
	all, err := cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, ranks)
	if err != nil {
		return err
	}
	h, err := xrt.NewHost(ctx, d, ranks, xrt.HostOptions{Empty: empty, World: world.Options{Ranks: all}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	fmt.Fprintf(out, "libraries %s\nxclbin    %s\n", h.Dir(), h.Xclbin)
	for i, bdf := range h.BDFs() {
		fmt.Fprintf(out, "card %d    %s\n", i, bdf)
	}
	for i, r := range h.Ranks() {
		fmt.Fprintf(out, "rank %d    %s:%d, engine %d of card %d\n", i, r.IP, r.Port, i%d.Platform.CCLO.Count, i/d.Platform.CCLO.Count)
	}
	fmt.Fprintf(out, "world     card:%s,library=%s\n", h.Xclbin, h.Dir())
	<-ctx.Done()
	for _, l := range h.Leaks() {
		fmt.Fprintln(out, l)
	}
	for _, f := range h.Faults() {
		fmt.Fprintln(out, "wrong:", f)
	}
	return errors.Join(h.Faults()...)
}
