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

// Check turns diagnostics into a *Problems if there is an error among them, and
// passes on mere warnings.
func (w *Workspace) Check(diags hcl.Diagnostics) error {
	p := &Problems{lang.Distinct(diags), w.parser}
	if p.Diags.HasErrors() {
		return p
	}
	switch {
	case len(p.Diags) == 0:
	case w.Warned != nil:
		w.Warned(p)
	default:
		var text strings.Builder
		if err := p.Show(&text, false); err != nil {
			return err
		}
		w.Log("%s", text.String())
	}
	return nil
}
