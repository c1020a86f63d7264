package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/run"
)

// decision is a line of a plan, for scripts.
type decision struct {
	Step     string   `json:"step"`
	Key      string   `json:"key"`
	Runs     bool     `json:"runs"`
	Same     string   `json:"same,omitempty"` // the step that does its work
	Why      []string `json:"why,omitempty"`
	Expected float64  `json:"expected_seconds,omitempty"`
	Version  string   `json:"version"`            // of Vitis
	Commands []string `json:"commands,omitempty"` // for bash, with --commands
}

// runPlan says what a build would run.
func runPlan(ctx context.Context, o *options, c *console) error {
	w, err := prepare(ctx, o, c, true)
	if err != nil {
		return err
	}
	decisions, err := run.Why(w.Plan, w.Store)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(c.out)
		for _, d := range decisions {
			line := decision{d.Step.ID, d.Key, d.Runs(), d.Same, d.Why, d.Expected.Seconds(), w.Tools.Version, nil}
			if o.commands {
				line.Commands = d.Step.Lines()
			}
			if err := e.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STEP\tRUNS\tTOOK\tWHY")
	runs := 0
	var expected time.Duration
	for _, d := range decisions {
		runsNow, took := "yes", "-"
		switch {
		case d.Same != "":
			runsNow = "with " + d.Same
		case !d.Runs():
			runsNow = "no"
		default:
			runs++
			expected += d.Expected
		}
		if d.Expected > 0 {
			took = d.Expected.Round(time.Second).String()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Step.ID, runsNow, took, strings.Join(d.Why, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if o.commands {
		for _, d := range decisions {
			fmt.Fprintf(c.out, "\n# %s: %s\n%s\n", d.Step.ID, d.Step.Title, strings.Join(d.Step.Lines(), "\n"))
		}
		fmt.Fprintln(c.out)
	}
	fmt.Fprintf(c.out, "%d of %d steps would run", runs, len(decisions))
	if expected > 0 {
		fmt.Fprintf(c.out, "; they took %s before", expected.Round(time.Second))
	}
	fmt.Fprintln(c.out)
	return nil
}
