package lang

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	list, left := shown(e.Diags)
	lines := make([]string, len(list), len(list)+1)
	for i, d := range list {
		lines[i] = d.Error()
	}
	if left > 0 {
		lines = append(lines, more(left))
	}
	return strings.Join(lines, "\n")
}

// Is makes errors.Is(err, ErrInvalid) true.
func (e *DiagnosticsError) Is(target error) bool { return target == ErrInvalid }

// MaxShown is how many diagnostics one report shows.
const MaxShown = 20

// shown returns the diagnostics that a report shows, errors before warnings if
// there are too many, and how many are left. Their texts can be printed.
func shown(diags hcl.Diagnostics) (list hcl.Diagnostics, left int) {
	list = slices.Clone(diags)
	if len(list) > MaxShown {
		slices.SortStableFunc(list, func(a, b *hcl.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) })
		list, left = list[:MaxShown], len(list)-MaxShown
	}
	for i, d := range list {
		clean := *d
		clean.Summary, clean.Detail = Printable(d.Summary), Printable(d.Detail)
		clean.Subject, clean.Context = printableRange(d.Subject), printableRange(d.Context)
		list[i] = &clean
	}
	return list, left
}

func more(n int) string { return fmt.Sprintf("and %d more", n) }

func printableRange(rng *hcl.Range) *hcl.Range {
	if rng == nil {
		return nil
	}
	out := *rng
	out.Filename = Printable(rng.Filename)
	return &out
}

// Printable replaces what a terminal would obey, or could not show: control
// characters other than newlines and tabs, and bytes that are not UTF-8.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if control(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// control reports whether a character is not one of a text.
func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
