package lang

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Errorf returns an error diagnostic at a place.
func Errorf(rng hcl.Range, summary, format string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &rng}
}

// Sorted orders diagnostics by place, as a person reads a file, and drops those
// that say the same of the same place.
func Sorted(diags hcl.Diagnostics) hcl.Diagnostics {
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		x, y := subject(a), subject(b)
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Start.Byte, y.Start.Byte))
	})
	return Distinct(diags)
}

// Distinct keeps the first of diagnostics that say the same of the same place:
// a mistake in a board is found once for each platform that uses it.
func Distinct(diags hcl.Diagnostics) hcl.Diagnostics {
	type what struct {
		severity        hcl.DiagnosticSeverity
		place           hcl.Range
		summary, detail string
	}
	said := map[what]bool{}
	var out hcl.Diagnostics
	for _, d := range diags {
		w := what{d.Severity, subject(d), d.Summary, d.Detail}
		if !said[w] {
			said[w] = true
			out = append(out, d)
		}
	}
	return out
}

func subject(d *hcl.Diagnostic) hcl.Range {
	if d.Subject == nil {
		return hcl.Range{}
	}
	return *d.Subject
}

// DiagnosticsError carries diagnostics through an error return.
type DiagnosticsError struct{ Diags hcl.Diagnostics }

// ErrInvalid matches every DiagnosticsError.
var ErrInvalid = errors.New("invalid description")

func (e *DiagnosticsError) Error() string {
	var b strings.Builder
	for i, d := range e.Diags {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Error())
	}
	return b.String()
}

// Is makes errors.Is(err, ErrInvalid) true.
func (e *DiagnosticsError) Is(target error) bool { return target == ErrInvalid }
