package arithmetic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Task is a check that consists of many units of work, none of which takes long.
type Task struct {
	Name  string
	Units []int // in the order in which they are begun
	Each  int   // operands of a unit
	// Worker makes what checks units, one after the other, and what frees that.
	// It is called once for each of those that run side by side.
	Worker func() (check func(unit int) error, free func(), err error)
	// Progress, if not nil, is told now and then how far it is.
	Progress func(message string)
}

// All are the units from one to before another.
func All(from, to int) []int {
	units := make([]int, 0, to-from)
	for u := from; u < to; u++ {
		units = append(units, u)
	}
	return units
}

// Wrong is what is wrong in a unit: a line each for the first ones.
type Wrong struct {
	Lines []string
	More  int // that are not shown
}

func (w *Wrong) Error() string {
	text := strings.Join(w.Lines, "\n")
	if w.More > 0 {
		text += fmt.Sprintf("\nand %d more", w.More)
	}
	return text
}

// shown is how much of what is wrong is shown.
const shown = 10

// Add adds a line.
func (w *Wrong) Add(format string, args ...any) {
	if len(w.Lines) == shown {
		w.More++
		return
	}
	w.Lines = append(w.Lines, fmt.Sprintf(format, args...))
}

// Err is nil if nothing is wrong.
func (w *Wrong) Err() error {
	if len(w.Lines) == 0 {
		return nil
	}
	return w
}

// ErrStopped says that a run was stopped before its end.
var ErrStopped = errors.New("stopped before the end")

// Stopped is a run that was stopped; it matches ErrStopped and its cause.
type Stopped struct {
	Done  int // all units up to here are right: how many of Task.Units
	Cause error
}

func (s *Stopped) Error() string {
	return fmt.Sprintf("%v, behind unit %d: %v", ErrStopped, s.Done, s.Cause)
}
func (s *Stopped) Unwrap() []error { return []error{ErrStopped, s.Cause} }

// run is a task under way.
type exhaustiveRun struct {
	task  Task
	lock  sync.Mutex
	next  int // of the units
	doing map[int]bool
	wrong map[int]error
	began time.Time
	told  time.Time
}

// progressEvery is how often progress is told.
const progressEvery = 10 * time.Second

// Run checks all units. The error is that of the first unit that is wrong, though
// later ones may be under way, or a *Stopped when the context ends.
func (t Task) Run(ctx context.Context) error {
	n := *workersFlag
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	r := &exhaustiveRun{task: t, doing: map[int]bool{}, wrong: map[int]error{}, began: time.Now(), told: time.Now()}
	errs := make([]error, min(n, max(1, len(t.Units))))
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = r.work(ctx) })
	}
	wait.Wait()
	if len(r.wrong) > 0 {
		first := slices.MinFunc(mapped(r.wrong), func(a, b unitError) int { return cmp.Compare(a.at, b.at) })
		return fmt.Errorf("%s, unit %d: %w", t.Name, t.Units[first.at], first.err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if r.next < len(t.Units) || len(r.doing) > 0 {
		return fmt.Errorf("%s: %w", t.Name, &Stopped{r.done(), context.Cause(ctx)})
	}
	r.tell(true)
	return nil
}

type unitError struct {
	at  int
	err error
}

func mapped(m map[int]error) (list []unitError) {
	for at, err := range m {
		list = append(list, unitError{at, err})
	}
	return list
}

// work checks units until there are no more, or one is wrong.
func (r *exhaustiveRun) work(ctx context.Context) error {
	check, free, err := r.task.Worker()
	if err != nil {
		return err
	}
	defer free()
	for {
		at, ok := r.take(ctx)
		if !ok {
			return nil
		}
		r.finish(at, check(r.task.Units[at]))
	}
}

func (r *exhaustiveRun) take(ctx context.Context) (at int, ok bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if ctx.Err() != nil || len(r.wrong) > 0 || r.next == len(r.task.Units) {
		return 0, false
	}
	at = r.next
	r.next++
	r.doing[at] = true
	return at, true
}

func (r *exhaustiveRun) finish(at int, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.doing, at)
	if err != nil {
		r.wrong[at] = err
		return
	}
	if time.Since(r.told) >= progressEvery {
		r.tell(false)
	}
}

// done is before which all units were checked.
func (r *exhaustiveRun) done() int {
	done := r.next
	for at := range r.doing {
		done = min(done, at)
	}
	return done
}

// tell tells how far it is.
func (r *exhaustiveRun) tell(ended bool) {
	r.told = time.Now()
	if r.task.Progress == nil {
		return
	}
	done, all, took := r.done(), len(r.task.Units), r.told.Sub(r.began)
	rate := float64(done) * float64(r.task.Each) / max(took.Seconds(), 1e-9)
	message := fmt.Sprintf("%s: %d operands in %s, %.1f million a second", r.task.Name, done*r.task.Each,
		took.Round(time.Second), rate/1e6)
	if !ended {
		left := time.Duration(float64(took) * float64(all-done) / float64(max(done, 1)))
		message += fmt.Sprintf("; %d %%, %s left", 100*done/all, left.Round(time.Second))
	}
	r.task.Progress(message)
}
