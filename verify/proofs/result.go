package proofs

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// Result is what became of a proof.
type Result struct {
	Name       string            `json:"name"`
	Shows      string            `json:"shows"`
	Covers     string            `json:"covers"` // how far it goes
	Sizes      map[string]string `json:"sizes,omitempty"`
	Why        string            `json:"sizes_reason,omitempty"`
	Depth      int               `json:"depth"`
	K          int               `json:"k"`
	Assertions int               `json:"assertions"`
	Situations int               `json:"situations"`
	Proved     bool              `json:"proved"`
	Seconds    float64           `json:"seconds"`
	Failure    string            `json:"failure,omitempty"`
	Trace      string            `json:"trace,omitempty"` // of the counterexample, for a waveform viewer
	Broken     []Found           `json:"broken"`
}

// Found is what became of a planted defect.
type Found struct {
	Defect  string  `json:"defect"`
	Found   bool    `json:"found"`
	By      string  `json:"by,omitempty"`    // the assertion
	Cycle   int     `json:"cycle,omitempty"` // of the counterexample; 0: not known
	Seconds float64 `json:"seconds"`
	Failure string  `json:"failure,omitempty"`
}

// Good tells whether everything was proved and every defect found.
func (r Result) Good() bool {
	for _, f := range r.Broken {
		if !f.Found {
			return false
		}
	}
	return r.Proved
}

// extent says how far a proof goes.
func extent(p Proof) string {
	if p.Bounded() {
		return fmt.Sprintf("bounded: the first %d cycles only", p.BaseCase())
	}
	return fmt.Sprintf("all runs: induction over %d cycles, base case of %d", p.K, p.BaseCase())
}

// Table shows results, a line each.
func Table(results []Result) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "block\tresult\tcovers\tassertions\tseconds\tdefects found")
	good, planted, found := 0, 0, 0
	for _, r := range results {
		state := "proved"
		if !r.Proved {
			state = "FAILED"
		}
		here := 0
		for _, f := range r.Broken {
			if f.Found {
				here++
			}
		}
		planted, found = planted+len(r.Broken), found+here
		if r.Good() {
			good++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.1f\t%d of %d\n", r.Name, state, r.Covers, r.Assertions, r.Seconds,
			here, len(r.Broken))
	}
	w.Flush() // into memory
	fmt.Fprintf(&text, "\n%d of %d proofs are good; %d of %d planted defects were found.\n", good,
		len(results), found, planted)
	for _, r := range results {
		fmt.Fprintf(&text, "\n%s: %s\n  %s.\n", r.Name, r.Shows, r.Covers)
		if r.Why != "" {
			fmt.Fprintf(&text, "  Sizes: %s\n", r.Why)
		}
		if r.Failure != "" {
			fmt.Fprintf(&text, "  FAILED: %s\n", r.Failure)
		}
		if r.Trace != "" {
			fmt.Fprintf(&text, "  Counterexample: %s\n", r.Trace)
		}
		for _, f := range r.Broken {
			if f.Found {
				fmt.Fprintf(&text, "  planted: %s: found by %q", f.Defect, f.By)
				if f.Cycle > 0 {
					fmt.Fprintf(&text, " in cycle %d", f.Cycle)
				}
				text.WriteByte('\n')
			} else {
				fmt.Fprintf(&text, "  planted: %s: NOT FOUND: %s\n", f.Defect, f.Failure)
			}
		}
	}
	return text.String()
}

// WriteReport writes report.json into a directory.
func WriteReport(dir string, results []Result) error {
	return report.Write(dir, "report.json", results)
}
