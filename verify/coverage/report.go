package coverage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
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
	r := &Report{Total: Total(modules), Modules: modules}
	r.Gaps, r.Stale = Gaps(modules, known)
	return r, nil
}

// Print writes a table, and the lines that are not covered.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "lines\t\tbranches\t\tbits\t\tmodule")
	for _, m := range append(r.Modules, r.Total) {
		for _, s := range []Share{m.Lines, m.Branches, m.Toggles} {
			fmt.Fprintf(t, "%d/%d\t%.1f %%\t", s.Hit, s.All, s.Percent())
		}
		fmt.Fprintf(t, "%s\n", m.Name)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Gaps) > 0 {
		fmt.Fprintf(w, "\n%d lines are not covered:\n", len(r.Gaps))
	}
	for _, g := range r.Gaps {
		why := g.Reason
		if why == "" {
			why = "no reason is known"
		}
		fmt.Fprintf(w, "%s:%d: %s\n    %s\n", g.Module, g.Number, g.Text, why)
	}
	for _, s := range r.Stale {
		fmt.Fprintf(w, "a reason is out of date: %s\n", s)
	}
	return nil
}

//go:embed page.html
var page string

var pages = template.Must(template.New("coverage").Funcs(template.FuncMap{
	"percent": func(s Share) string { return fmt.Sprintf("%.1f", s.Percent()) },
	"number":  func(i int) int { return i + 1 },
	"join":    strings.Join,
}).Parse(page))

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
