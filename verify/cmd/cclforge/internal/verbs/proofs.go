package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/proofs"
)

func proofsVerb() *cobra.Command {
	o := proofs.Options{}
	only, quick, unfinished := "", false, false
	c := &cobra.Command{
		Use: "proofs", GroupID: command.Develop,
		Short: "prove handshakes of the hardware's parts with yosys and z3",
		Long: "Proofs proves handshakes of the hardware's parts with yosys and z3, for all inputs and any number of\n" +
			"cycles, and that proofs of broken parts fail.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			provide(cmd.Context(), wanted)
			return prove(cmd.Context(), o, only, quick, unfinished)
		},
	}
	f := c.Flags()
	f.StringVar(&only, "only", "", "blocks, as `names` with commas between (all)")
	f.BoolVar(&quick, "quick", false, "those that take a few seconds")
	f.BoolVar(&unfinished, "unfinished", false, "those that have not been proved yet, instead")
	f.StringVar(&o.Out, "out", "out/proofs", "`directory` of the report and of counterexamples")
	f.BoolVar(&o.Plain, "plain", false, "without the planted defects")
	f.StringVar(&o.Keep, "keep", "", "`directory` in which the files of yosys stay")
	f.DurationVar(&o.Limit, "limit", 10*time.Minute, "`time` of one question to the solver")
	return c
}

// prove runs proofs and writes what became of them.
func prove(ctx context.Context, o proofs.Options, only string, quick, unfinished bool) error {
	if err := proofs.Available(); err != nil {
		return err
	}
	sources, err := proofs.Load(ctx)
	if err != nil {
		return err
	}
	wanted, err := choose(proofsOf(unfinished), only, quick)
	if err != nil {
		return err
	}
	var results []proofs.Result
	bad := 0
	for _, p := range wanted {
		r, err := p.Run(ctx, sources, o)
		if err != nil {
			return err
		}
		results = append(results, r)
		state := "proved"
		if !r.Good() {
			bad++
			state = "FAILED"
		}
		fmt.Printf("%-20s %s, %s, %.1fs %s\n", r.Name, state, r.Covers, r.Seconds, r.Failure)
		for _, f := range r.Broken {
			if !f.Found {
				fmt.Printf("%-20s NOT FOUND: %s: %s\n", r.Name, f.Defect, f.Failure)
			}
		}
	}
	text := proofs.Table(results)
	fmt.Print("\n" + text)
	if err := proofs.WriteReport(o.Out, results); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.Out, "report.txt"), []byte(text), 0o644); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d proofs are not good", bad)
	}
	return nil
}

// proofsOf is the list that is meant.
func proofsOf(unfinished bool) []proofs.Proof {
	if unfinished {
		return proofs.Unfinished()
	}
	return proofs.All()
}

func choose(every []proofs.Proof, only string, quick bool) ([]proofs.Proof, error) {
	var names []string
	if only != "" {
		names = strings.Split(only, ",")
	}
	for _, name := range names {
		if !slices.ContainsFunc(every, func(p proofs.Proof) bool { return p.Name == name }) {
			return nil, fmt.Errorf("there is no proof of %q", name)
		}
	}
	if len(every) == 0 {
		return nil, errors.New("all proofs are done")
	}
	var wanted []proofs.Proof
	for _, p := range every {
		if (!quick || p.Quick) && (len(names) == 0 || slices.Contains(names, p.Name)) {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 {
		return nil, errors.New("none of them is quick")
	}
	return wanted, nil
}
