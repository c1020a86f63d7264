package arithmetic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestParts(t *testing.T) {
	for text, want := range map[string]Part{"1/1": {1, 1, 1}, "3/16": {3, 3, 16}, "3-16/16": {3, 16, 16}} {
		p, err := ParsePart(text)
		if err != nil || p != want || p.String() != text {
			t.Errorf("%s is %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "0/4", "5/4", "3-2/4", "1", "1/0", "-1/4", "1/2/3", "1/99999999999999999999",
		"a/b", " 1/2"} {
		if _, err := ParsePart(text); !errors.Is(err, ErrPart) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// All parts together are all units, each once, also when there are fewer.
func TestPartsTogetherAreAll(t *testing.T) {
	for _, units := range []int{0, 1, 5, 64, 1000, 65536} {
		for _, of := range []int{1, 3, 16, 64} {
			at := 0
			for k := 1; k <= of; k++ {
				from, to := Part{k, k, of}.Range(units)
				if from != at || to < from {
					t.Fatalf("part %d/%d of %d: %d to %d", k, of, units, from, to)
				}
				at = to
			}
			if from, to := (Part{1, of, of}).Range(units); at != units || from != 0 || to != units {
				t.Fatalf("%d parts of %d end at %d", of, units, at)
			}
		}
	}
}

// What is told of a run that was stopped has everything that was not done.
func TestTheRestHasAllThatIsLeft(t *testing.T) {
	const units = 65536
	for _, p := range []Part{{1, 1, 1}, {2, 3, 3}, {5, 5, 16}, {1, 100, 100}} {
		from, to := p.Range(units)
		for done := from; done < to; done += 501 {
			begin, end := p.rest(done, units).Range(units)
			if begin > done || end < to {
				t.Fatalf("of %v, when %d is done, the rest is %v: %d to %d", p, done, p.rest(done, units), begin, end)
			}
			if p.Of < fine && done-begin > units/fine+1 {
				t.Fatalf("of %v, when %d is done, the rest begins at %d", p, done, begin)
			}
		}
	}
}

func counting(units int, check func(unit int) error) (Task, func() []int) {
	var lock sync.Mutex
	var seen []int
	return Task{Name: "a task", Units: All(0, units), Each: 1, Worker: func() (func(int) error, func(), error) {
			return func(unit int) error {
				lock.Lock()
				defer lock.Unlock()
				seen = append(seen, unit)
				return check(unit)
			}, func() {}, nil
		}}, func() []int {
			slices.Sort(seen)
			return seen
		}
}

func TestEveryUnitIsCheckedOnce(t *testing.T) {
	task, seen := counting(1000, func(int) error { return nil })
	var told []string
	task.Progress = func(m string) { told = append(told, m) }
	if err := task.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen(), All(0, 1000)) {
		t.Error("not every unit was checked once")
	}
	if len(told) != 1 || !strings.Contains(told[0], "1000 operands") {
		t.Errorf("it tells %q", told)
	}
}

func TestTheFirstWrongUnitIsReported(t *testing.T) {
	for range 20 {
		task, seen := counting(1000, func(unit int) error {
			w := &Wrong{}
			for i := range unit - 300 {
				w.Add("%d", i)
			}
			return w.Err()
		})
		err := task.Run(t.Context())
		if w := (*Wrong)(nil); !errors.As(err, &w) || !strings.Contains(err.Error(), "unit 301:") || len(w.Lines) != 1 {
			t.Fatalf("it ends with %v", err)
		}
		if n := len(seen()); n > 302+64 {
			t.Errorf("it goes on for %d units", n)
		}
	}
	w := &Wrong{}
	for i := range 15 {
		w.Add("line %d", i)
	}
	if text := w.Error(); !strings.HasSuffix(text, "line 9\nand 5 more") {
		t.Errorf("15 lines are %q", text)
	}
}

func TestARunThatIsStoppedTellsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	task, seen := counting(1000, func(unit int) error {
		if unit == 500 {
			cancel()
		}
		return nil
	})
	err := task.Run(ctx)
	s := (*Stopped)(nil)
	if !errors.As(err, &s) || !errors.Is(err, ErrStopped) || !errors.Is(err, context.Canceled) {
		t.Fatalf("it ends with %v", err)
	}
	if done := seen(); s.Done != len(done) || !slices.Equal(done, All(0, s.Done)) {
		t.Errorf("%d are told, and done are %d", s.Done, len(done))
	}
}

func TestAWorkerThatCannotBeginEndsTheRun(t *testing.T) {
	broken := fmt.Errorf("broken")
	task := Task{Units: All(0, 10), Worker: func() (func(int) error, func(), error) { return nil, nil, broken }}
	if err := task.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("it ends with %v", err)
	}
}

func TestSamples(t *testing.T) {
	units := Sample(1<<16, 100, []int{0, 7, 65535})
	if !slices.IsSorted(units) || len(units) < 150 || len(units) > 203 || units[0] != 0 || !slices.Contains(units, 7) ||
		units[len(units)-1] != 65535 {
		t.Errorf("seed %d: %v", block.ExtraSeed(), units)
	}
	if !slices.Equal(units, Sample(1<<16, 100, []int{0, 7, 65535})) {
		t.Error("two samples differ")
	}
}
