package report

import "fmt"

// Met reports whether the build has met timing. A build for hardware without a timing
// report has not.
func (r *Report) Met() bool { return len(r.Misses()) == 0 }

// Misses lists where timing was missed: violated clocks, clocks that the linker slowed
// down, or a missing timing report.
func (r *Report) Misses() []string {
	if r.Target != "hw" {
		return nil
	}
	var list []string
	if t := r.Timing; t != nil {
		list = t.misses()
	} else if len(r.Scaled) == 0 {
		list = append(list, "timing is not known: there is no readable report of it")
	}
	for _, s := range r.Scaled {
		list = append(list,
			fmt.Sprintf("clock %s runs at %s MHz instead of %s MHz: the linker made it slower because timing was missed",
				s.Clock, decimal(s.Got, 1), decimal(s.Wanted, 1)))
	}
	return list
}

func (t *Timing) misses() []string {
	var list []string
	miss := func(where string, setup, hold, pulse *Slack) {
		for _, c := range checks(setup, hold, pulse) {
			if c.slack != nil && c.slack.missed() {
				list = append(list, fmt.Sprintf("%s misses %s by %s ns (%d of %d endpoints)",
					where, c.name, ns(-c.slack.Worst), c.slack.Failing, c.slack.Endpoints))
			}
		}
	}
	for _, c := range t.Clocks {
		miss("clock "+c.Name, c.Setup, c.Hold, c.Pulse)
	}
	for _, p := range t.Paths {
		where := fmt.Sprintf("from clock %s to clock %s", p.From, p.To)
		if p.Group != "" {
			where = fmt.Sprintf("path group %s %s", p.Group, where)
		}
		miss(where, p.Setup, p.Hold, nil)
	}
	if len(list) == 0 {
		miss("the design", t.Setup, t.Hold, t.Pulse)
	}
	if len(list) == 0 && t.Verdict == "missed" {
		list = append(list, "the report says that timing constraints are not met")
	}
	if len(list) == 0 && t.Setup == nil && len(t.Clocks) == 0 && t.Verdict != "met" {
		list = append(list, "timing is not known: its report has no numbers")
	}
	return list
}
