package launch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Nodes lists the nodes of a Slurm step, at most most, from the variable of the step or
// else of the job, and returns the name of that variable. The list is empty if neither is
// set. The error is ErrEnvironment.
func Nodes(env func(string) (string, bool), most int) (names []string, variable string, err error) {
	variable, list := first(env, "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST")
	if list == "" {
		return nil, variable, nil
	}
	if names, err = expand(list, most); err != nil {
		return nil, variable, fmt.Errorf("%w: %s is %q: %w", ErrEnvironment, variable, list, err)
	}
	return names, variable, nil
}

// nodes lists the nodes of Slurm's tasks by task.
func (f *finder) nodes() ([]string, error) {
	names, listName, err := Nodes(f.env, f.l.Size)
	if err != nil {
		return nil, err
	}
	tasksName, tasks := first(f.env, "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")
	for _, variable := range []struct {
		name    string
		missing bool
	}{{listName, names == nil}, {tasksName, tasks == ""}} {
		if variable.missing {
			return nil, fmt.Errorf("%w: %s does not say where ranks are; give --hosts", ErrEnvironment, variable.name)
		}
	}
	counts, err := expandCounts(tasks, f.l.Size)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is %q: %w", ErrEnvironment, tasksName, tasks, err)
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if len(names) != len(counts) || total != f.l.Size {
		return nil, fmt.Errorf("%w: %s has %s, %s has %s on %s, and there are %d; give --hosts", ErrEnvironment,
			listName, count(len(names), "node", "nodes"), tasksName, count(total, "task", "tasks"), count(len(counts),
				"node", "nodes"), f.l.Size)
	}
	return f.distribute(names, counts)
}

// distribute puts tasks onto nodes, as srun has.
func (f *finder) distribute(names []string, counts []int) ([]string, error) {
	how, _ := f.env("SLURM_DISTRIBUTION")
	nodes, _, _ := strings.Cut(how, ":")
	nodes, _, _ = strings.Cut(nodes, ",")
	var at []int
	switch strings.ToLower(nodes) {
	case "", "*", "block":
		for i, n := range counts {
			for range n {
				at = append(at, i)
			}
		}
	case "cyclic":
		for round := 0; len(at) < f.l.Size; round++ {
			for i, n := range counts {
				if round < n {
					at = append(at, i)
				}
			}
		}
	default:
		return nil, fmt.Errorf("%w: SLURM_DISTRIBUTION is %q, and only block and cyclic are understood; give --hosts",
			ErrOption, how)
	}
	if text, there := f.env("SLURM_NODEID"); there && text != strconv.Itoa(at[f.l.Rank]) {
		return nil, fmt.Errorf("%w: task %d should be on node %d, %s, but SLURM_NODEID is %q; give --hosts", ErrEnvironment,
			f.l.Rank, at[f.l.Rank], names[at[f.l.Rank]], text)
	}
	out := make([]string, len(at))
	for task, i := range at {
		out[task] = names[i]
	}
	return out, nil
}

// first is the first variable that has a value, or the first name.
func first(env func(string) (string, bool), names ...string) (name, value string) {
	for _, name := range names {
		if value, _ := env(name); value != "" {
			return name, value
		}
	}
	return names[0], ""
}

// expandCounts reads numbers of tasks like "2(x3),1": at most limit of them.
func expandCounts(text string, limit int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		number, times, repeated := strings.Cut(part, "(x")
		n, err := strconv.ParseUint(number, 10, 31)
		times, closed := strings.CutSuffix(times, ")")
		again := uint64(1)
		if err == nil && repeated {
			again, err = strconv.ParseUint(times, 10, 31)
		}
		if err != nil || repeated != closed || n == 0 || again == 0 {
			return nil, fmt.Errorf("%q is no number of tasks", part)
		}
		if n > uint64(limit) || again > uint64(limit) || len(out)+int(again) > limit {
			return nil, fmt.Errorf("it has more than %d tasks", limit)
		}
		for range again {
			out = append(out, int(n))
		}
	}
	return out, nil
}

// expand lists the names that a text like "n[1-4,07-09]-a,m3" stands for, at most
// limit of them.
func expand(text string, limit int) ([]string, error) {
	var out []string
	for _, part := range splitOutside(text, ',') {
		names, err := expandOne(part, limit-len(out))
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

// splitOutside cuts a text at a separator that is not in brackets.
func splitOutside(text string, separator byte) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == separator && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

func expandOne(text string, limit int) ([]string, error) {
	if text == "" {
		return nil, errors.New("a name is missing")
	}
	out := []string{""}
	for rest := text; rest != ""; {
		before, after, open := strings.Cut(rest, "[")
		inside := ""
		closed := true
		if open {
			inside, rest, closed = strings.Cut(after, "]")
		} else {
			rest = ""
		}
		if strings.Contains(before, "]") || !closed || strings.Contains(inside, "[") {
			return nil, fmt.Errorf("%q has brackets that do not match", text)
		}
		middles := []string{""}
		if open {
			var err error
			if middles, err = expandRange(inside, limit); err != nil {
				return nil, err
			}
		}
		if len(out)*len(middles) > limit {
			return nil, tooMany(text)
		}
		if len(out[0])+len(before) > maxName {
			return nil, fmt.Errorf("%.20q… is no name of a host", text)
		}
		next := make([]string, 0, len(out)*len(middles))
		for _, o := range out {
			for _, m := range middles {
				next = append(next, o+before+m)
			}
		}
		out = next
	}
	return out, nil
}

func tooMany(text string) error { return fmt.Errorf("%q has more names than there can be ranks", text) }

// maxName is the longest name that a host can have.
const maxName = 253

// maxDigits are enough for all numbers of hosts.
const maxDigits = 10

// expandRange expands the text between brackets, such as "1-4,07-09"; numbers keep their
// leading zeros.
func expandRange(text string, limit int) ([]string, error) {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 31)
		to, err2 := strconv.ParseUint(last, 10, 31)
		if err != nil || err2 != nil || to < from || len(first) > maxDigits {
			return nil, fmt.Errorf("%q is neither a number nor a range like 1-4", part)
		}
		if to-from >= uint64(limit-len(out)) {
			return nil, tooMany("[" + text + "]")
		}
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf("%0*d", len(first), n))
		}
	}
	return out, nil
}
