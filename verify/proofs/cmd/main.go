// Proofs runs the formal proofs of the hardware's blocks and writes what became
// of them. mage verify:proofs runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/proofs"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	only := flag.String("only", "", "`names` of blocks, with commas between (all)")
	quick := flag.Bool("quick", false, "those that take a few seconds")
	unfinished := flag.Bool("unfinished", false, "those that have not been proved yet, instead")
	o := proofs.Options{}
	flag.StringVar(&o.Out, "out", "out/proofs", "`directory` of the report and of counterexamples")
	flag.BoolVar(&o.Plain, "plain", false, "without the planted defects")
	flag.StringVar(&o.Keep, "keep", "", "`directory` in which the files of yosys stay")
	flag.DurationVar(&o.Limit, "limit", 10*time.Minute, "of one question to the solver")
	flag.Parse()
	if err := proofs.Available(); err != nil {
		return err
	}
	sources, err := proofs.Load(ctx)
	if err != nil {
		return err
	}
	wanted, err := choose(from(*unfinished), *only, *quick)
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

// from is the list that is meant.
func from(unfinished bool) []proofs.Proof {
	if unfinished {
		return proofs.Unfinished()
	}
	return proofs.All()
}

// choose finds the proofs that are wanted.
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
