package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/world"
)

func emulateCardsVerb() *cobra.Command {
	var ranks int
	var vars string
	empty := false
	c := &cobra.Command{
		Use: "emulate-cards <platform>", GroupID: command.Worlds,
		Short: "play a host with cards, for programs that reach cards through XRT",
		Long: "Emulate-cards plays a host with cards, for programs that reach cards through XRT: behind them are\n" +
			"emulated ranks. It prints where the libraries are that such programs load in place of XRT's, where\n" +
			"the .xclbin is, and how selftest and bench call the world. It needs gcc. At the end it lists what\n" +
			"processes have not given back, and what went wrong on the cards; the exit code is not 0 then.",
		Example: "  cclforge emulate-cards u55c_tcp -n 2",
		RunE: func(cmd *cobra.Command, args []string) error {
			if ranks < 1 {
				return command.Misuse("-n: a world has at least 1 rank, not %d", ranks)
			}
			ctx := report.With(cmd.Context(), report.Lines(os.Stderr))
			return command.AskedWrongly(serveCards(ctx, os.Stdout, args[0], vars, ranks, empty), lang.ErrInvalid)
		},
	}
	c.Flags().IntVarP(&ranks, "n", "n", 2, "`number` of engines; each card has as many as its platform")
	command.Vars(c.Flags(), &vars)
	c.Flags().BoolVar(&empty, "empty", false, "cards hold nothing at the beginning")
	return c
}

// serveCards plays the host until the context ends.
func serveCards(ctx context.Context, out io.Writer, platform, vars string, ranks int, empty bool) (err error) {
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
		fmt.Fprintf(out, "rank %d    %s:%d, engine %d of card %d\n", i, r.IP, r.Port, i%d.Platform.CCLO.Count,
			i/d.Platform.CCLO.Count)
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
