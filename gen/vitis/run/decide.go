package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// Decision is whether a build runs a step, and why.
type Decision struct {
	Step *step.Step
	Key  string
	// Present: its result is in the store.
	Present bool
	// Same is the ID of an earlier step of the plan with the same key, which does
	// the work for both.
	Same string
	// Unneeded: its result is not there, and nothing that runs or is handed to users
	// needs it.
	Unneeded bool
	// Why says what makes a run necessary. It is empty if none is.
	Why []string
	// Expected is how long it took when it ran last; 0 if it never has.
	Expected time.Duration
	// Last describes the result that is there, or else the newest one of a step with
	// this ID; nil if there was none.
	Last *store.Record

	result *store.Result
}

// Runs reports whether the step will run.
func (d Decision) Runs() bool { return len(d.Why) > 0 }

// Why decides for each step of a plan, in order, whether a build would run it, and why.
// It changes nothing.
func Why(plan *step.Plan, st *store.Store) ([]Decision, error) {
	keys, err := keysOf(plan, st)
	if err != nil {
		return nil, err
	}
	return decide(plan, keys, st)
}

func keysOf(plan *step.Plan, st *store.Store) (step.Keys, error) {
	seen := map[string]bool{}
	for _, s := range plan.Steps {
		if seen[s.ID] {
			return nil, fmt.Errorf("plan: there are two steps %s", s.ID)
		}
		seen[s.ID] = true
		if err := checkStep(s); err != nil {
			return nil, fmt.Errorf("plan: %s: %w", s.ID, err)
		}
	}
	for _, r := range plan.Results {
		if !seen[r.Step] {
			return nil, fmt.Errorf("plan: the result %s is of a step %s, which there is not", r.Path, r.Step)
		}
	}
	return plan.Keys(st.Hash)
}

func decide(plan *step.Plan, keys step.Keys, st *store.Store) ([]Decision, error) {
	list := make([]Decision, len(plan.Steps))
	first := map[string]*Decision{} // by key
	at := map[string]int{}          // by ID
	broken := map[string]error{}    // by key
	var err error
	for i, s := range plan.Steps {
		at[s.ID] = i
		d := &list[i]
		*d = Decision{Step: s, Key: keys[s.ID].Hash}
		if earlier := first[d.Key]; earlier != nil {
			d.Present, d.result = earlier.Present, earlier.result
			d.Same = earlier.Step.ID
			continue
		}
		first[d.Key] = d
		result, err := st.Get(d.Key)
		switch {
		case err == nil:
			d.Present, d.result = true, result
		case errors.Is(err, store.ErrDamaged):
			broken[d.Key] = err
		case !errors.Is(err, store.ErrMissing):
			return nil, fmt.Errorf("%s: look for its result: %w", s.ID, err)
		}
	}
	needed := needs(plan, list, at)
	for found := true; found; needed = needs(plan, list, at) {
		if found, err = doubt(list, at, needed, broken, st); err != nil {
			return nil, err
		}
	}
	for i := range list {
		d := &list[i]
		if !d.Present {
			d.Last = st.Last(d.Step.ID)
		}
		switch {
		case d.Present:
			d.Same = ""
			d.Last = &d.result.Record
		case !needed[d.Key]:
			d.Same = ""
			d.Unneeded = true
		case d.Same == "":
			d.Why = reasons(plan, d, keys[d.Step.ID], broken[d.Key], func(id string) bool { return list[at[id]].Present })
		}
		if d.Last != nil {
			d.Expected = d.Last.Duration()
		}
	}
	return list, nil
}

// doubt looks into the results that steps that run will use: the time of a file does
// not tell all. It reports whether one of them is no result after all.
func doubt(list []Decision, at map[string]int, needed map[string]bool, broken map[string]error,
	st *store.Store) (found bool, err error) {
	looked := map[string]bool{}
	for _, d := range list {
		if d.Present || !needed[d.Key] {
			continue
		}
		for _, n := range d.Step.Needs {
			key := list[at[n.Step]].Key
			if looked[key] || !list[at[n.Step]].Present {
				continue
			}
			looked[key] = true
			_, err := st.Sound(key)
			if err == nil {
				continue
			}
			if !errors.Is(err, store.ErrMissing) {
				return false, fmt.Errorf("%s: look into its result: %w", n.Step, err)
			}
			broken[key] = err
			found = true
			for i := range list {
				if list[i].Key == key {
					list[i].Present, list[i].result = false, nil
				}
			}
		}
	}
	return found, nil
}

// needs finds the keys of results that are handed to users, or that no other step
// uses, and those of what is needed to make them.
func needs(plan *step.Plan, list []Decision, at map[string]int) map[string]bool {
	wanted := map[string]bool{} // by key
	used := map[string]bool{}   // by ID
	for _, s := range plan.Steps {
		for _, n := range s.Needs {
			used[n.Step] = true
		}
	}
	for _, r := range plan.Results {
		wanted[list[at[r.Step]].Key] = true
	}
	for _, d := range slices.Backward(list) {
		if !used[d.Step.ID] {
			wanted[d.Key] = true
		}
		if !wanted[d.Key] || d.Present {
			continue
		}
		for _, n := range d.Step.Needs {
			wanted[list[at[n.Step]].Key] = true
		}
	}
	return wanted
}

func reasons(plan *step.Plan, d *Decision, key step.Key, damage error, present func(id string) bool) []string {
	var why []string
	switch {
	case damage != nil:
		why = append(why, "its result in the cache is "+trim(damage))
	case d.Last == nil:
		why = append(why, "it has never been built")
	case d.Last.Key == d.Key:
		why = append(why, "its result is no longer in the cache")
	}
	if d.Last == nil || d.Last.Key == d.Key {
		return why
	}
	anew := map[string]string{} // by the name of the ingredient
	for _, n := range d.Step.Needs {
		if !present(n.Step) {
			anew[n.Output+" of "+plan.Step(n.Step).Title] = n.Output + " will be built anew"
		}
	}
	for _, line := range step.Why(d.Last.Ingredients, key.Ingredients) {
		name, changed := strings.CutSuffix(line, " has changed")
		switch {
		case changed && name == "commands":
			line = "its commands have changed"
		case changed && name == "step":
			line = "what it leaves has changed"
		case changed && anew[name] != "":
			line = anew[name]
		}
		if !slices.Contains(why, line) {
			why = append(why, line)
		}
	}
	if len(why) == 0 {
		why = append(why, "what it is made of has changed")
	}
	return why
}

// trim is what is wrong with a result, without where it is.
func trim(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, store.ErrDamaged.Error()+": "); at >= 0 {
		return text[at:]
	}
	return text
}
