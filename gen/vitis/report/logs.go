package report

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
)

// scaledLine matches how the linker says that it made a clock slower. The text
// stands in ocl_util.tcl of Vitis and is the same from 2018.3 to today, with
// --kernel_frequency and --clock alike (UG1315, "Kernel Timing Failure").
var scaledLine = regexp.MustCompile(
	`failed timing targeting ([\d.]+) MHz for (?:kernel|system) clock '([^']*)'\. The frequency is being automatically changed to ([\d.]+) MHz`)

// parseLog counts the messages of a log of v++, Vivado or Vitis HLS, and finds the
// clocks that the linker has slowed down.
func parseLog(ctx context.Context, r io.Reader) (LogTotals, []Scaling, error) {
	var t LogTotals
	var scaled []Scaling
	err := logs.Each(ctx, r, func(line string) bool {
		switch {
		case strings.HasPrefix(line, "WARNING:"):
			t.Warnings++
		case strings.HasPrefix(line, "CRITICAL WARNING:"):
			t.Critical++
		case strings.HasPrefix(line, "ERROR:"):
			t.Errors++
		}
		if strings.Contains(line, "failed timing targeting") {
			if m := scaledLine.FindStringSubmatch(line); m != nil {
				wanted, _ := number(m[1])
				got, _ := number(m[3])
				scaled = append(scaled, Scaling{m[2], wanted, got})
			}
		}
		return true
	})
	return t, scaled, err
}

// merge adds scalings of clocks that are not in the list yet.
func merge(list, more []Scaling) []Scaling {
next:
	for _, s := range more {
		for _, have := range list {
			if have.Clock == s.Clock || have.Wanted == s.Wanted && have.Got == s.Got {
				continue next
			}
		}
		list = append(list, s)
	}
	return list
}
