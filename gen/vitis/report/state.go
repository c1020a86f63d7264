package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

type task struct {
	step     *step.Step
	name     string
	kind     step.EventKind // the last that happened
	stage    string
	where    string
	begin    time.Time
	expected time.Duration
	run      bool // it is to run, and not there already
	order    int
}

type state struct {
	begin time.Time
	tasks map[string]*task
	list  []*task
}

func newState(now time.Time) *state { return &state{begin: now, tasks: map[string]*task{}} }

// take notes an event and gives its task; nil for events without a step.
func (s *state) take(e step.Event) *task {
	if e.Step == nil {
		return nil
	}
	t := s.tasks[e.Step.ID]
	if t == nil {
		t = &task{step: e.Step, order: len(s.list), name: clean(cmp.Or(e.Step.Title, e.Step.ID))}
		s.tasks[e.Step.ID] = t
		s.list = append(s.list, t)
	}
	if e.Expected > 0 {
		t.expected = e.Expected
	}
	switch e.Kind {
	case step.Planned:
		t.run = len(e.Why) > 0
	case step.Started:
		t.begin, t.where, t.stage, t.run = cmpTime(e), clean(e.Detail), "", true
	case step.Stage:
		t.stage = clean(e.Detail)
	case step.Waiting:
		t.stage, t.run = clean(e.Detail), true
	case step.Present:
		t.run = false
	}
	if e.Kind != step.Stage || t.kind == "" {
		t.kind = e.Kind
	}
	return t
}

func cmpTime(e step.Event) time.Time { return e.Time.Add(-e.Elapsed) }

// clean is a text of others for one line of a terminal.
func clean(text string) string {
	return strings.Join(strings.Fields(logs.Clean(strings.ReplaceAll(text, "\n", " "))), " ")
}

func (t *task) ended() bool {
	switch t.kind {
	case step.Present, step.Finished, step.Failed, step.Skipped, step.Cancelled:
		return true
	default:
		return false
	}
}

func (t *task) running() bool { return t.kind == step.Started }

// left is how long the task takes from now on; known is false if nobody knows.
func (t *task) left(now time.Time) (d time.Duration, known bool) {
	switch {
	case t.ended():
		return 0, true
	case t.expected == 0:
		return 0, !t.run && !t.running()
	case t.running():
		return max(0, t.expected-now.Sub(t.begin)), true
	default:
		return t.expected, true
	}
}

// remaining is how long the build takes at least, along the longest chain of steps
// that need each other; known is false if a step of it was never built before.
func (s *state) remaining(now time.Time) (total time.Duration, known bool) {
	known = true
	after := map[string]time.Duration{}
	var end func(t *task, depth int) time.Duration
	end = func(t *task, depth int) time.Duration {
		if d, ok := after[t.step.ID]; ok || depth > len(s.list) {
			return d
		}
		own, ok := t.left(now)
		known = known && ok
		var before time.Duration
		for _, n := range t.step.Needs {
			if other := s.tasks[n.Step]; other != nil && !t.ended() {
				before = max(before, end(other, depth+1))
			}
		}
		after[t.step.ID] = before + own
		return before + own
	}
	for _, t := range s.list {
		total = max(total, end(t, 0))
	}
	return total, known
}

// active are the tasks that run or wait, in the order of the plan.
func (s *state) active() []*task {
	var list []*task
	for _, t := range s.list {
		if t.running() || t.kind == step.Waiting {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *task) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.order, b.order))
	})
	return list
}

// rank shows what runs before what waits.
func rank(t *task) int {
	if t.running() {
		return 0
	}
	return 1
}

// counts are the numbers of the line with the total.
func (s *state) counts() (done, all, running int) {
	for _, t := range s.list {
		all++
		if t.ended() {
			done++
		}
		if t.running() {
			running++
		}
	}
	return done, all, running
}

// ending is the line about a step that has ended, or a plan that begins.
func ending(t *task, e step.Event) string {
	took := ""
	if e.Elapsed > 0 {
		took = " after " + duration(e.Elapsed)
	}
	switch e.Kind {
	case step.Present:
		return t.name + ": was there"
	case step.Finished:
		if e.Elapsed > 0 {
			took = " in " + duration(e.Elapsed)
		}
		return t.name + ": done" + took
	case step.Failed:
		return t.name + ": FAILED" + took + cause(e)
	case step.Skipped:
		return t.name + ": not run" + cause(e)
	case step.Cancelled:
		return t.name + ": cancelled" + took
	default:
		return ""
	}
}

func cause(e step.Event) string {
	switch {
	case e.Err != nil:
		return ": " + clean(e.Err.Error())
	case e.Detail != "":
		return ": " + clean(e.Detail)
	default:
		return ""
	}
}

func (s *state) total(now time.Time) string {
	done, all, running := s.counts()
	text := fmt.Sprintf("%d of %d steps", done, all)
	if running > 0 {
		text += fmt.Sprintf(", %d running", running)
	}
	text += ", " + duration(now.Sub(s.begin).Truncate(time.Second))
	if left, known := s.remaining(now); left > 0 && done < all {
		if known {
			text += ", about " + rough(left) + " left"
		} else {
			text += ", at least " + rough(left) + " left"
		}
	}
	return text
}

// rough is a time that nobody knows to the second.
func rough(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	default:
		return duration(d)
	}
}

// cut makes a text at most so wide.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width < 2 {
		return strings.Repeat("~", max(0, width))
	}
	return string([]rune(text)[:width-1]) + "~"
}

// pad makes a text exactly so wide.
func pad(text string, width int) string {
	text = cut(text, width)
	return text + strings.Repeat(" ", width-utf8.RuneCountInString(text))
}
