package workspace

import (
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Problems are the mistakes in descriptions, with what is needed to show them
// where they stand. They match lang.ErrInvalid.
type Problems struct {
	Diags  hcl.Diagnostics
	parser *lang.Parser
}

// Error lists the problems, one on a line.
func (p *Problems) Error() string { return (&lang.DiagnosticsError{Diags: p.Diags}).Error() }

// Is makes errors.Is(err, lang.ErrInvalid) true.
func (p *Problems) Is(target error) bool { return target == lang.ErrInvalid }

// Count is the number of errors, for people.
func (p *Problems) Count() string {
	if n := len(p.Diags.Errs()); n != 1 {
		return fmt.Sprintf("%d errors", n)
	}
	return "1 error"
}

// Show prints each problem with its file, line and source.
func (p *Problems) Show(w io.Writer, color bool) error {
	return p.parser.WriteDiagnostics(w, p.Diags, 0, color)
}

// check turns diagnostics into an error if there is one among them, and
// reports mere warnings.
func (w *Workspace) check(diags hcl.Diagnostics) error {
	p := &Problems{distinct(diags), w.parser}
	if p.Diags.HasErrors() {
		return p
	}
	if len(p.Diags) > 0 {
		var text strings.Builder
		if err := p.Show(&text, false); err != nil {
			return err
		}
		w.Log("%s", text.String())
	}
	return nil
}

// distinct keeps the first of diagnostics that say the same: a mistake in a
// board is found once for each platform that uses it.
func distinct(diags hcl.Diagnostics) hcl.Diagnostics {
	type key struct {
		severity        hcl.DiagnosticSeverity
		summary, detail string
		subject         hcl.Range
	}
	seen := map[key]bool{}
	var out hcl.Diagnostics
	for _, d := range diags {
		k := key{severity: d.Severity, summary: d.Summary, detail: d.Detail}
		if d.Subject != nil {
			k.subject = *d.Subject
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, d)
		}
	}
	return out
}
