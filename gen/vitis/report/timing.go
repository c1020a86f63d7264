package report

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
)

// errNothing says that a file is not the report that its name promises, or ends
// before anything of use.
var errNothing = errors.New("there is nothing in it that could be read")

// field is a word of a line with its place.
type field struct {
	text       string
	begin, end int
}

var word = regexp.MustCompile(`\S+`)

func fields(line string) []field {
	var list []field
	for _, at := range word.FindAllStringIndex(line, -1) {
		list = append(list, field{line[at[0]:at[1]], at[0], at[1]})
	}
	return list
}

// timingTable reads one of the tables without lines that report_timing_summary
// writes: names stand under the beginning of the titles, numbers end under the end.
type timingTable struct {
	names, numbers []field // the rulers under the titles
	titles         []string
}

// slackTitle matches the titles of columns with numbers.
var slackTitle = regexp.MustCompile(
	`(WP?[NH]?WS|TP?[NH]?WS|WNS|TNS|WHS|THS)(\(ns\)| Failing Endpoints| Total Endpoints)|(Period\(ns\)|Frequency\(MHz\))`)

// newTimingTable takes the line of titles and the line of rulers below it.
func newTimingTable(titles, rulers string) *timingTable {
	t := &timingTable{}
	for _, r := range fields(rulers) {
		if strings.Trim(r.text, "-") != "" || r.begin >= len(titles) {
			return nil
		}
		title := strings.TrimSpace(titles[r.begin:min(r.end, len(titles))])
		if slackTitle.MatchString(title) {
			t.numbers, t.titles = append(t.numbers, r), append(t.titles, title)
		} else if len(t.numbers) == 0 {
			t.names = append(t.names, r)
		}
	}
	if len(t.numbers) == 0 {
		return nil
	}
	return t
}

// row takes a line apart: the names, and the numbers by title. ok is false for a
// line that is no row.
func (t *timingTable) row(line string) (names []string, numbers map[string]string, ok bool) {
	names, numbers = make([]string, len(t.names)), map[string]string{}
	for _, f := range fields(line) {
		if i := t.name(f); i >= 0 && names[i] == "" {
			names[i] = f.text
			continue
		}
		i := t.number(f)
		if i < 0 {
			return nil, nil, false
		}
		numbers[t.titles[i]] = f.text
	}
	return names, numbers, len(numbers) > 0 || len(names) > 0
}

// name is the column of a name; -1 if it is none. Names of generated clocks stand
// further right, but only in the first column.
func (t *timingTable) name(f field) int {
	for i := range t.names {
		last := i == len(t.names)-1
		switch {
		case !last && f.begin >= t.names[i].begin && f.begin < t.names[i+1].begin,
			last && len(t.names) > 1 && f.begin == t.names[i].begin,
			last && len(t.names) == 1 && f.begin < t.numbers[0].begin && f.begin < t.names[i].begin+2*clockLevels:
			return i
		}
	}
	return -1
}

// clockLevels is how deep generated clocks may be nested.
const clockLevels = 16

func (t *timingTable) number(f field) int {
	for i, n := range t.numbers {
		if f.end <= n.end && (i == 0 || f.end > t.numbers[i-1].end) {
			return i
		}
	}
	return -1
}

// slack reads the four columns of one kind of check; nil if they are empty.
func slack(numbers map[string]string, worstTitle, totalTitle string) (*Slack, error) {
	text := numbers[worstTitle+"(ns)"]
	if text == "" || text == "NA" || text == "inf" {
		return nil, nil
	}
	var s Slack
	var ok [4]bool
	s.Worst, ok[0] = number(text)
	s.Total, ok[1] = number(numbers[totalTitle+"(ns)"])
	s.Failing, ok[2] = count(numbers[totalTitle+" Failing Endpoints"])
	s.Endpoints, ok[3] = count(numbers[totalTitle+" Total Endpoints"])
	if ok != [4]bool{true, true, true, true} {
		return nil, errors.New("a number of " + worstTitle + " cannot be read")
	}
	return &s, nil
}

type timingReader struct {
	timing  Timing
	section string
	titles  string
	table   *timingTable
	err     error
	ended   bool // the part with the tables is complete
}

// parseTiming reads the report of report_timing_summary, up to the details of paths.
func parseTiming(ctx context.Context, r io.Reader) (*Timing, error) {
	t := &timingReader{}
	err := logs.Each(ctx, r, t.line)
	if err != nil {
		return nil, err
	}
	t.timing.Clocks = withoutEmpty(t.timing.Clocks)
	if t.timing.Setup == nil && t.timing.Hold == nil && len(t.timing.Clocks) == 0 && t.timing.Verdict == "" {
		return nil, errNothing
	}
	if t.err == nil && !t.ended {
		t.err = errors.New("it ends before its tables do")
	}
	return &t.timing, t.err
}

// withoutEmpty leaves out clocks of which only the name is known.
func withoutEmpty(list []ClockSlack) []ClockSlack {
	var out []ClockSlack
	for _, c := range list {
		if _, _, ok := c.Worst(); ok || c.Period > 0 {
			out = append(out, c)
		}
	}
	return out
}

const (
	designSummary = "Design Timing Summary"
	clockSummary  = "Clock Summary"
	intraClock    = "Intra Clock Table"
	interClock    = "Inter Clock Table"
	otherPaths    = "Other Path Groups Table"
)

// lastSections are those behind the tables that matter; which of them there are
// depends on the options of the command.
var lastSections = []string{"User Ignored Path Table", "Unconstrained Path Table", "Timing Details"}

func (t *timingReader) line(line string) bool {
	text := strings.TrimSpace(line)
	if title, ok := strings.CutPrefix(text, "| "); ok && strings.Trim(title, "-") != "" {
		t.section, t.titles, t.table = title, "", nil
		t.ended = t.ended || slices.Contains(lastSections, title)
		return title != "Timing Details"
	}
	switch {
	case strings.HasPrefix(text, "All user specified timing constraints are met"):
		t.timing.Verdict = "met"
	case strings.HasPrefix(text, "Timing constraints are not met"):
		t.timing.Verdict = "missed"
	case text == "" || strings.HasPrefix(text, "|"):
		if t.table != nil {
			t.ended = t.ended || t.section == otherPaths
			t.table, t.titles = nil, ""
		}
	case t.table != nil:
		t.row(line)
	case strings.HasPrefix(text, "---") && strings.Contains(text, " ") && t.titles != "":
		t.table = newTimingTable(t.titles, line)
	default:
		t.titles = line
	}
	return true
}

func (t *timingReader) row(line string) {
	if t.section == clockSummary {
		t.clock(line)
		return
	}
	names, numbers, ok := t.table.row(line)
	if !ok {
		t.fail(errors.New("a row of the " + t.section + " cannot be read"))
		return
	}
	setup, err1 := slack(numbers, "WNS", "TNS")
	hold, err2 := slack(numbers, "WHS", "THS")
	pulse, err3 := slack(numbers, "WPWS", "TPWS")
	t.fail(errors.Join(err1, err2, err3))
	switch {
	case t.section == designSummary && t.timing.Setup == nil && t.timing.Hold == nil:
		t.timing.Setup, t.timing.Hold, t.timing.Pulse = setup, hold, pulse
	case t.section == intraClock && len(names) == 1:
		c := t.named(names[0])
		c.Setup, c.Hold, c.Pulse = setup, hold, pulse
	case t.section == interClock && len(names) == 2:
		t.timing.Paths = append(t.timing.Paths, PathSlack{From: names[0], To: names[1], Setup: setup, Hold: hold})
	case t.section == otherPaths && len(names) == 3:
		t.timing.Paths = append(t.timing.Paths, PathSlack{Group: names[0], From: names[1], To: names[2],
			Setup: setup, Hold: hold})
	}
}

func (t *timingReader) fail(err error) {
	if t.err == nil && err != nil {
		t.err = err
	}
}

// period matches a row of the clock summary: name, waveform, period, frequency.
var period = regexp.MustCompile(`^\s*(\S+)\s+\{[^}]*\}\s+(\S+)\s+(\S+)\s*$`)

func (t *timingReader) clock(line string) {
	m := period.FindStringSubmatch(line)
	if m == nil {
		t.fail(errors.New("a row of the " + t.section + " cannot be read"))
		return
	}
	c := t.named(m[1])
	var ok1, ok2 bool
	c.Period, ok1 = number(m[2])
	c.MHz, ok2 = number(m[3])
	if !ok1 || !ok2 {
		t.fail(errors.New("the period of " + m[1] + " cannot be read"))
	}
}

func (t *timingReader) named(name string) *ClockSlack {
	for i := range t.timing.Clocks {
		if t.timing.Clocks[i].Name == name {
			return &t.timing.Clocks[i]
		}
	}
	t.timing.Clocks = append(t.timing.Clocks, ClockSlack{Name: name})
	return &t.timing.Clocks[len(t.timing.Clocks)-1]
}
