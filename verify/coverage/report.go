package coverage

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// Report is what was covered, and what was not.
type Report struct {
	Total   Module   `json:"total"`
	Modules []Module `json:"modules"`
	Gaps    []Gap    `json:"uncovered"`
	Stale   []string `json:"stale_reasons,omitempty"`
	Missing []string `json:"missing,omitempty"` // files of which nothing was counted
}

// NewReport reads a directory, and the reasons.
func NewReport(dir string) (*Report, error) {
	modules, err := Read(dir)
	if err != nil {
		return nil, err
	}
	known, err := Reasons()
	if err != nil {
		return nil, err
	}
	return newReport(modules, known)
}

func newReport(modules []Module, known []Reason) (r *Report, err error) {
	r = &Report{Modules: modules}
	r.Gaps, r.Stale = Gaps(modules, known)
	r.Total = Total(modules)
	r.Missing, err = Missing(modules)
	return r, err
}

// Print writes a table, and the lines that are not covered.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "lines\t\topen\tbranches\t\tbits\t\t  module")
	share := func(s Share) string { return fmt.Sprintf("%s\t%s\t", s.counted(), s.percent()) }
	for _, m := range append(slices.Clone(r.Modules), r.Total) {
		fmt.Fprintf(t, "%s%d\t%s%s  %s\n", share(m.Lines), m.Open, share(m.Branches), share(m.Toggles), m.Name)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nopen: lines that are not covered for no reason that is known")
	if len(r.Gaps) > 0 {
		fmt.Fprintf(w, "\n%d lines are not covered:\n", len(r.Gaps))
	}
	for _, g := range r.Gaps {
		why := g.Reason
		why = cmp.Or(why, "no reason is known")
		fmt.Fprintf(w, "%s: %s\n    %s\n", g.Place(), g.Text, why)
	}
	for _, s := range r.Stale {
		fmt.Fprintf(w, "a reason is out of date: %s\n", s)
	}
	for _, name := range r.Missing {
		fmt.Fprintf(w, "nothing was counted of %s\n", name)
	}
	return nil
}

// ErrLeast says that modules are covered too little.
var ErrLeast = errors.New("too few lines are covered")

// Least is an error that matches ErrLeast if less than a percentage of the lines of any
// module is covered or left out for a reason.
func (r *Report) Least(percent float64) error {
	var names []string
	for _, m := range r.Modules {
		if s := (Share{m.Lines.All - m.Open, m.Lines.All}); s.Percent() < percent {
			names = append(names, fmt.Sprintf("%s %.1f %%", m.Name, s.Percent()))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrLeast, strings.Join(names, ", "))
}

//go:embed page.html
var page string

var pages = template.Must(template.New("coverage").Funcs(template.FuncMap{
	"counted": Share.counted,
	"percent": Share.percent,
	"never":   shorten,
}).Parse(page))

// named is how many bits or ways a line of the page names.
const named = 6

func shorten(never []string) string {
	if len(never) <= named {
		return strings.Join(never, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(never[:named], " "), len(never)-named)
}

// Write writes coverage.json and index.html into a directory.
func (r *Report) Write(dir string) error {
	if err := report.Write(dir, "coverage.json", r); err != nil {
		return err
	}
	var text strings.Builder
	if err := pages.Execute(&text, r); err != nil {
		return fmt.Errorf("write the page of coverage: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), []byte(text.String()), 0o644)
}
