package standin

import (
	"slices"
	"time"
)

// Call is one call of a tool.
type Call struct {
	PID     int
	Tool    string
	Args    []string
	Dir     string
	Env     map[string]string
	Begin   time.Time
	End     time.Time // zero: it has not ended, or was killed
	Exit    int       // -1: as above
	Inputs  map[string]string
	Outputs map[string]string
	Notes   []string
}

// Fail replaces what is to go wrong.
func (in *Installation) Fail(faults ...Fault) error {
	if faults == nil {
		faults = []Fault{}
	}
	return in.site.SetFaults(faults)
}

// Calls are the calls of tools that do something since the last Forget, in the order in
// which they began: not those that only ask for a version.
func (in *Installation) Calls() ([]Call, error) {
	lines, err := in.site.Lines()
	if err != nil {
		return nil, err
	}
	var calls []Call
	open := map[int]int{} // by process
	for _, l := range lines {
		if l.Exit == nil {
			open[l.PID] = len(calls)
			calls = append(calls, Call{PID: l.PID, Tool: l.Tool, Args: l.Args, Dir: l.Dir, Env: l.Env, Begin: l.Time, Exit: -1})
			continue
		}
		if i, ok := open[l.PID]; ok {
			c := &calls[i]
			c.End, c.Exit, c.Inputs, c.Outputs, c.Notes = l.Time, *l.Exit, l.Inputs, l.Outputs, l.Notes
		}
	}
	return slices.DeleteFunc(calls, func(c Call) bool {
		return len(c.Args) == 1 && slices.Contains([]string{"--version", "-version", "-V", "-v"}, c.Args[0])
	}), nil
}

// Forget empties the log.
func (in *Installation) Forget() error { return in.site.Forget() }
