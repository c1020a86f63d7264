package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Diagnosis is what is known about a failure.
type Diagnosis struct {
	// Lines are the first lines that tell of the cause; none if no log says
	// anything.
	Lines []string
	// Log is the file that they stand in, below the work directory.
	Log string
	// File and Line are the place in somebody's source that the first of the lines
	// is about; empty and 0 if it names none.
	File string
	Line int
	// Cause is a name of the cause for programs; Unknown if it is none of those
	// that are known. Title says it in words, and Hint what to do.
	Cause       Cause
	Title, Hint string
}

// String is the diagnosis for people: several lines, no newline at the end. The log is
// named only if it is not the step's own.
func (d Diagnosis) String() string {
	var b strings.Builder
	if d.Title != "" {
		fmt.Fprintf(&b, "%s\n", d.Title)
	}
	for _, l := range d.Lines {
		fmt.Fprintf(&b, "  %s\n", l)
	}
	if d.File != "" {
		fmt.Fprintf(&b, "in %s, line %d\n", d.File, d.Line)
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", d.Hint)
	}
	if d.Log != "" && d.Log != step.LogFile {
		fmt.Fprintf(&b, "found in %s\n", d.Log)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Diagnose reads the work directory of a step that has ended with err. When the context
// ends, it returns what it has found so far.
func Diagnose(ctx context.Context, dir fs.FS, err error) Diagnosis {
	byError := ofError(err)
	if byError == Cancelled {
		return Diagnosis{Cause: Cancelled, Title: known(Cancelled).title}
	}
	logs := find(ctx, dir)
	var best *scan
	var scans []*scan
	for i, name := range logs {
		sc := read(ctx, dir, name)
		if sc == nil {
			continue
		}
		scans = append(scans, sc)
		if better(sc, best) {
			best = sc
		}
		// Vendor logs only matter while the step's own log hides the cause.
		if i == 0 && name == step.LogFile && len(sc.real) > 0 && sc.cause >= 0 {
			break
		}
		if i == 0 {
			promote(logs[1:], sc.pointed)
		}
	}
	d := Diagnosis{Cause: Unknown}
	if best != nil {
		d.Lines, d.Log = best.lines(), best.name
		d.File, d.Line = place(d.Lines)
	}
	cause := chosen(scans)
	if byError != Unknown {
		cause = indexOf(byError)
	} else if cause < 0 {
		cause = byStatus(err)
	}
	if cause >= 0 {
		c := causes[cause]
		d.Cause, d.Title, d.Hint = c.cause, c.title, c.hint
	}
	if len(d.Lines) == 0 && err != nil && byError == Unknown {
		d.Lines = []string{clean(err.Error())}
	}
	return d
}

// ofError is the cause that an error tells without any log.
func ofError(err error) Cause {
	switch {
	case errors.Is(err, step.ErrMemory):
		return Memory
	case errors.Is(err, step.ErrTimeLimit):
		return TimeLimit
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled
	default:
		return Unknown
	}
}

var statuses = []struct {
	pattern *regexp.Regexp
	cause   Cause
}{
	{regexp.MustCompile(`exit status 137\b|signal: killed`), Memory},
	{regexp.MustCompile(`exit status 12[67]\b`), Tool},
	{regexp.MustCompile(`exit status 1(?:34|39)\b|signal: (?:aborted|segmentation fault)`), Crash},
}

// byStatus is the cause that an exit status hints at if no log says more: 128 and
// the number of the signal, or that the shell did not find a program (bash(1)).
func byStatus(err error) int {
	if err != nil {
		for _, s := range statuses {
			if s.pattern.MatchString(err.Error()) {
				return indexOf(s.cause)
			}
		}
	}
	return -1
}

// better says whether a log tells more about the cause than another one.
func better(a, b *scan) bool {
	switch {
	case b == nil:
		return a.found()
	case len(b.real) > 0:
		return false
	default:
		return len(a.real) > 0
	}
}

// chosen is the known cause that the logs tell most clearly: in a line about the
// cause, then in any line that cannot be meant otherwise, then in a consequence.
func chosen(scans []*scan) int {
	cause, weight := -1, 0
	for _, sc := range scans {
		if sc.cause >= 0 && sc.weight > weight {
			cause, weight = sc.cause, sc.weight
		}
	}
	return cause
}
