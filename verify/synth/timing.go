package synth

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// Share of the period that logic may take, in percent, so that routing has the rest.
	Share = 65
	// Worst is how many paths are reported.
	Worst = 50

	binWidth = 100 // ps, of the histogram
)

// Timing is what the paths of a kernel take.
type Timing struct {
	Kernel string
	Period int // of the platform's clock; all in ps
	Gate   int // the share of it that logic may take
	Ends   int // pins at which paths end
	Late   int // of which so many have negative slack
	Beyond int // and so many more logic than the gate
	Logic  int // the most logic of any path
	Slack  int // the least
	// Bins counts ends by the delay of their longest path, in steps of 100 ps.
	Bins []int
	// Paths are the longest ones, one for each register, port or memory pin that they end at.
	Paths []EndPath
}

// EndPath is the longest path to the bits of one register.
type EndPath struct {
	Path
	Slack int // ps
	Bits  int // that end within the worst paths
}

// timeNetlist times a kernel's netlist at a clock in MHz.
func timeNetlist(kernel string, n *netlist, clock int) (*Timing, error) {
	t, err := newTiming(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kernel, err)
	}
	all := func(begin) bool { return true }
	r := &Timing{Kernel: kernel, Period: 1_000_000 / clock}
	r.Gate = r.Period * Share / 100
	inLogic, _ := t.arrive(logic, all)
	arrival, from := t.arrive(total, all)
	longest := 0
	for _, e := range t.ends {
		a, reached := arrival[e.at]
		if !reached {
			continue
		}
		a += total(e.delay)
		r.Ends++
		longest = max(longest, a)
		r.Logic = max(r.Logic, inLogic[e.at]+e.delay.logic)
		if inLogic[e.at]+e.delay.logic > r.Gate {
			r.Beyond++
		}
		if a > r.Period {
			r.Late++
		}
		at := max(a, 0) / binWidth
		for len(r.Bins) <= at {
			r.Bins = append(r.Bins, 0)
		}
		r.Bins[at]++
	}
	r.Slack = r.Period - longest
	ends := slices.DeleteFunc(slices.Clone(t.ends), func(e end) bool {
		_, reached := arrival[e.at]
		return !reached
	})
	slices.SortFunc(ends, func(a, b end) int {
		return cmp.Or(cmp.Compare(arrival[b.at]+total(b.delay), arrival[a.at]+total(a.delay)),
			strings.Compare(a.what, b.what))
	})
	at := map[string]int{}
	for _, e := range ends {
		name := index.ReplaceAllString(e.what, "")
		i, seen := at[name]
		if !seen && len(r.Paths) == Worst {
			break
		}
		if !seen {
			i = len(r.Paths)
			at[name] = i
			p := t.path(e, from)
			r.Paths = append(r.Paths, EndPath{Path: p, Slack: r.Period - p.Delay()})
		}
		r.Paths[i].Bits++
	}
	return r, nil
}

var index = regexp.MustCompile(`\[\d+\]`)

// Timings times the kernels that are asked for, as a whole; some modules are mapped at a time.
func Timings(ctx context.Context, in Input, only []string, jobs int, progress Progress) ([]Timing, error) {
	var list []task
	for _, k := range in.Kernels {
		if len(only) == 0 || slices.Contains(only, k.ID) {
			list = append(list, tasks(k, in.Boxes[k.ID])...)
		}
	}
	for _, name := range only {
		if !slices.ContainsFunc(list, func(t task) bool { return t.kernel == name }) {
			return nil, fmt.Errorf("there is no kernel %q: timing is that of whole kernels", name)
		}
	}
	netlists := make([]*netlist, len(list))
	err := each(ctx, list, jobs, progress, func(i int, t task) (err error) {
		netlists[i], err = mapped(ctx, t.module, t.sources)
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []Timing
	for i, t := range list {
		if t.part {
			continue
		}
		parts := map[string]*netlist{}
		for j, p := range list {
			if p.part && p.kernel == t.kernel {
				parts[p.module] = netlists[j]
			}
		}
		r, err := timeNetlist(t.kernel, netlists[i].join(parts), in.Clock)
		if err != nil {
			return nil, err
		}
		found = append(found, *r)
	}
	return found, nil
}
