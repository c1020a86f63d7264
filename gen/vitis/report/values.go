package report

import (
	"math"
	"time"
)

// worstSlack is the worst of all clocks and paths; NaN if it is not known.
func worstSlack(r *Report) float64 {
	v := math.NaN()
	if r.Timing == nil {
		return v
	}
	take := func(slack float64, ok bool) {
		if ok && (math.IsNaN(v) || slack < v) {
			v = slack
		}
	}
	slack, _, ok := worst(r.Timing.Setup, r.Timing.Hold, r.Timing.Pulse)
	take(slack, ok)
	for i := range r.Timing.Clocks {
		slack, _, ok := r.Timing.Clocks[i].Worst()
		take(slack, ok)
	}
	return v
}

// kernelMHz is what the clock of the kernels got: that whose wanted frequency is
// the platform's, or the first that can be scaled.
func kernelMHz(r *Report) float64 {
	if r.Link == nil {
		return math.NaN()
	}
	v := math.NaN()
	for _, c := range r.Link.Clocks {
		wanted, tolerance := c.asked(r.Wanted)
		switch {
		case c.Achieved == 0:
		case math.Abs(wanted-r.Wanted) < tolerance:
			return c.Achieved
		case math.IsNaN(v):
			v = c.Achieved
		}
	}
	return v
}

func cardPercent(r *Report) float64 {
	if r.Usage.Card == nil {
		return math.NaN()
	}
	if a, ok := r.Usage.Card.Use[LUT]; ok {
		return a.Percent
	}
	return math.NaN()
}

func totalWatts(r *Report) float64 {
	if r.Power == nil {
		return math.NaN()
	}
	return r.Power.Total
}

// spent is the time of the steps that ran, in seconds.
func spent(r *Report) float64 {
	var d time.Duration
	for _, s := range r.Steps {
		if !s.Cached {
			d += s.Took
		}
	}
	return d.Seconds()
}
