package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var (
	hlsStep = &step.Step{ID: "p/hls/reduce", Kind: step.HLS, Title: "compile reduce"}
	pack    = &step.Step{ID: "p/package/engine", Kind: step.Package, Title: "package engine"}
	link    = &step.Step{ID: "p/link/p", Kind: step.Link, Title: "link p", Needs: []step.Need{{Step: "p/hls/reduce"},
		{Step: "p/package/engine"}}}
)

// rig is a display with what it writes to and a clock; tick draws at once.
type rig struct {
	clock *clock
	ticks chan time.Time
	Display
}

func (r *rig) event(s *step.Step, kind step.EventKind, change ...func(*step.Event)) {
	e := step.Event{Time: r.clock.get(), Kind: kind, Step: s}
	for _, c := range change {
		c(&e)
	}
	r.Event(e)
}

// tick makes the display look at the clock twice, so that the first is over.
func (r *rig) tick() {
	r.ticks <- r.clock.get()
	r.ticks <- r.clock.get()
}

func detail(text string) func(*step.Event) { return func(e *step.Event) { e.Detail = text } }

func expected(d time.Duration) func(*step.Event) {
	return func(e *step.Event) { e.Expected, e.Why = d, []string{"new"} }
}

func elapsed(d time.Duration) func(*step.Event) { return func(e *step.Event) { e.Elapsed = d } }

func liveRig(s *screen) *rig {
	c, ticks := newClock(), make(chan time.Time)
	return &rig{c, ticks, NewLive(s, DisplayOptions{Now: c.get, Size: s.size, Tick: ticks})}
}

// begin plans three steps, one of which is there.
func (r *rig) begin() {
	r.event(hlsStep, step.Planned)
	r.event(pack, step.Planned, expected(time.Minute))
	r.event(link, step.Planned, expected(2*time.Hour))
	r.event(hlsStep, step.Present)
	r.event(pack, step.Started, detail("host7"))
}

func want(t *testing.T, s *screen, text string) {
	t.Helper()
	assert.Check(t, is.Equal(s.text(), text))
}

func TestLive(t *testing.T) {
	s := newScreen(t, 100, 20)
	r := liveRig(s)
	r.begin()
	r.clock.pass(15 * time.Second)
	r.tick()
	want(t, s, `compile reduce: was there
  package engine  running on host7        15 s        [####............] about 45 s left
1 of 3 steps, 1 running, 15 s, about 2 h 1 min left
`)
	assert.Check(t, s.hidden, "the cursor is not hidden")
	r.event(pack, step.Finished, elapsed(62*time.Second))
	r.event(link, step.Started)
	r.clock.pass(time.Hour)
	r.event(link, step.Stage, detail("placement"))
	r.tick()
	want(t, s, `compile reduce: was there
package engine: done in 1 min 2 s
  link p          placement               1 h         [########........] about 60 min left
2 of 3 steps, 1 running, 1 h, about 60 min left
`)
	r.clock.pass(90 * time.Minute)
	r.tick()
	assert.Check(t, is.Contains(s.text(), "[################] took 2 h before"),
		"nothing about a step that takes longer")
	r.event(link, step.Failed, elapsed(150*time.Minute),
		func(e *step.Event) { e.Err = errors.New("exit\nstatus \x1b[31m1") })
	assert.NilError(t, r.Close())
	assert.NilError(t, r.Close())
	want(t, s, `compile reduce: was there
package engine: done in 1 min 2 s
link p: FAILED after 2 h 30 min: exit status 1
3 of 3 steps, 2 h 30 min
`)
	assert.Check(t, !s.hidden, "the cursor stays hidden")
}

func TestLiveStill(t *testing.T) {
	s := newScreen(t, 80, 10)
	r := liveRig(s)
	r.begin()
	r.tick()
	before := s.writes
	for range 20 {
		r.clock.pass(10 * time.Millisecond)
		r.tick()
	}
	assert.Check(t, s.writes == before, "%d writes without a change", s.writes-before)
	assert.NilError(t, r.Close())
}

// TestLiveResize makes the terminal narrower, wider and lower: no line is lost or
// left over.
func TestLiveResize(t *testing.T) {
	s := newScreen(t, 120, 24)
	r := liveRig(s)
	r.begin()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		r.clock.pass(time.Second)
		s.resize(20+random.IntN(110), 5+random.IntN(20))
		r.tick()
		if i == 30 {
			r.event(pack, step.Finished, elapsed(time.Minute))
			r.event(link, step.Started)
		}
	}
	s.resize(70, 20)
	r.tick()
	assert.NilError(t, r.Close())
	squeeze := strings.NewReplacer("\n", "", " ", "") // blanks at wraps are lost
	text := squeeze.Replace(s.text())
	for _, line := range []string{"compile reduce: was there", "package engine: done in 1 min",
		"2 of 3 steps, 1 running"} {
		line = squeeze.Replace(line)
		if strings.Count(text, line) != 1 {
			t.Errorf("%q is there %d times:\n%s", line, strings.Count(text, line), s.text())
		}
	}
	if strings.Contains(text, "#") || strings.Contains(text, "....") {
		t.Errorf("left over:\n%s", s.text())
	}
}

func TestLiveMany(t *testing.T) {
	s := newScreen(t, 60, 8)
	r := liveRig(s)
	for i := range 30 {
		one := &step.Step{ID: fmt.Sprint("p/hls/", i), Title: fmt.Sprint("compile kernel ", i)}
		r.event(one, step.Planned, expected(0))
		r.event(one, step.Started)
	}
	r.tick()
	if n := strings.Count(s.text(), "\n"); n > 8 {
		t.Errorf("%d lines:\n%s", n, s.text())
	}
	if !strings.Contains(s.text(), "compile kernel 0") || !strings.Contains(s.text(), "and 26 steps more") ||
		len(s.past) != 0 {
		t.Errorf("screen:\n%s", s.text())
	}
	assert.NilError(t, r.Close())
}

// TestLiveRandom plays random builds on small terminals: each end of a step stays
// on the screen once, in order, and nothing else does.
func TestLiveRandom(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		s := newScreen(t, 16+random.IntN(80), 3+random.IntN(12))
		r := liveRig(s)
		var steps []*step.Step
		for i := range 1 + random.IntN(12) {
			steps = append(steps, &step.Step{ID: fmt.Sprint(i), Title: fmt.Sprintf("s%d", i)})
		}
		var ends []string
		for _, one := range steps {
			r.event(one, step.Planned, expected(time.Duration(random.IntN(100))*time.Second))
		}
		for _, one := range steps {
			r.event(one, step.Started)
			for range random.IntN(5) {
				r.clock.pass(time.Duration(random.IntN(5000)) * time.Millisecond)
				r.event(steps[random.IntN(len(steps))], step.Stage, detail(strings.Repeat("stage ", random.IntN(12))))
				r.tick()
			}
		}
		for _, one := range steps {
			r.event(one, step.Finished)
			ends = append(ends, one.Title+": done")
		}
		assert.NilError(t, r.Close())
		lines := strings.Split(strings.TrimSuffix(s.text(), "\n"), "\n")
		if got := strings.Join(lines[:min(len(lines), len(ends))], "\n"); got != strings.Join(ends, "\n") {
			t.Fatalf("seed %d, %d by %d:\n%s\nwant first:\n%s", seed, s.columns, s.rows, s.text(), strings.Join(ends, "\n"))
		}
		assert.Assert(t, !s.hidden, "the cursor stays hidden")
	}
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	c, ticks := newClock(), make(chan time.Time)
	r := &rig{c, ticks, NewPlain(&out, DisplayOptions{Now: c.get, Tick: ticks})}
	r.begin()
	r.clock.pass(time.Second)
	r.event(pack, step.Stage, detail("synthesis 10%"))
	r.clock.pass(10 * time.Second)
	r.event(pack, step.Stage, detail("synthesis 20%")) // too soon
	r.tick()
	r.clock.pass(30 * time.Second)
	r.event(pack, step.Stage, detail("synthesis 30%"))
	r.event(pack, step.Finished, elapsed(41*time.Second))
	r.event(link, step.Waiting, detail("another build makes it"))
	r.event(link, step.Started)
	r.clock.pass(59 * time.Second)
	r.tick()
	r.clock.pass(time.Second)
	r.tick()
	r.clock.pass(30 * time.Second)
	r.tick()
	r.event(link, step.Skipped, func(e *step.Event) { e.Err = step.ErrNotRun })
	assert.NilError(t, errors.Join(r.Close(), r.Close()))
	want := `12:00:00  compile reduce: was there
12:00:00  package engine: started on host7, took 60 s before
12:00:01  package engine: synthesis 10%
12:00:41  package engine: synthesis 30%
12:00:41  package engine: done in 41 s
12:00:41  link p: waits: another build makes it
12:00:41  link p: started, took 2 h before
12:01:41  link p runs for 1 min, took 2 h before (2 of 3 steps, 1 running, 1 min 41 s, about 1 h 59 min left)
12:02:11  link p: not run: not run
12:02:11  3 of 3 steps, 2 min 11 s
`
	assert.Check(t, is.Equal(out.String(), want))
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	r := &rig{clock: c, Display: NewJSON(&out)}
	r.begin()
	r.event(pack, step.Stage, detail("a \"b\"\n"))
	r.event(pack, step.Failed, elapsed(1500*time.Millisecond),
		func(e *step.Event) { e.Err, e.Dir = errors.New("bad"), "/w" })
	r.event(link, step.Skipped)
	more := &step.Step{ID: "p/source/x"}
	r.event(more, step.Started)
	r.event(more, step.Stage, detail("cloning"))
	assert.NilError(t, errors.Join(r.Close(), r.Close()))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	assert.Assert(t, len(lines) == 11, "%d lines:\n%s", len(lines), out.String())
	var kinds []string
	for _, text := range lines {
		var l Line
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&l)
		assert.Assert(t, err == nil, "%v in %s", err, text)
		_, err = time.Parse(time.RFC3339Nano, l.Time)
		assert.Check(t, err == nil && l.Schema == JSONSchema, "%v, schema %d", err, l.Schema)
		kinds = append(kinds, l.Event)
	}
	if got := strings.Join(kinds,
		" "); got != "planned planned planned present started stage failed skipped started stage end" {
		t.Errorf("events %s", got)
	}
	if want := `{"schema":1,"time":"2026-11-21T12:00:00Z","event":"failed","step":"p/package/engine","kind":"package","title":"package engine","elapsed_s":1.5,"error":"bad","dir":"/w"}`; lines[6] != want {
		t.Errorf("got %s\nwant %s", lines[6], want)
	}
	if want := `"why":["new"],"needs":["p/hls/reduce","p/package/engine"],"expected_s":7200`; !strings.Contains(lines[2],
		want) {
		t.Errorf("got %s", lines[2])
	}
	if want := `"counts":{"failed":1,"present":1,"skipped":1,"started":1}`; !strings.Contains(lines[10], want) {
		t.Errorf("got %s", lines[10])
	}
}

type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func TestBrokenWriter(t *testing.T) {
	for name, make := range map[string]func(*broken) Display{
		"live":  func(w *broken) Display { return NewLive(w, DisplayOptions{}) },
		"plain": func(w *broken) Display { return NewPlain(w, DisplayOptions{}) },
		"json":  func(w *broken) Display { return NewJSON(w) },
	} {
		r := &rig{clock: newClock(), Display: make(&broken{1})}
		r.begin()
		r.event(pack, step.Finished)
		r.Event(step.Event{Kind: step.Stage}) // of no step
		assert.Check(t, is.ErrorIs(r.Close(), os.ErrClosed), "%s: error", name)
		r.event(link, step.Started) // after the end
	}
}

// TestParallel sends events from many goroutines; the race detector looks.
func TestParallel(t *testing.T) {
	var buffer bytes.Buffer
	for _, d := range []Display{NewLive(newScreen(t, 80, 24), DisplayOptions{}), NewPlain(&buffer, DisplayOptions{}),
		NewJSON(&bytes.Buffer{})} {
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				one := &step.Step{ID: fmt.Sprint(i)}
				for _, kind := range []step.EventKind{step.Planned, step.Started, step.Stage, step.Finished} {
					d.Event(step.Event{Kind: kind, Step: one, Time: time.Now()})
				}
			})
		}
		wait.Wait()
		assert.NilError(t, d.Close())
	}
}

func TestFor(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	assert.NilError(t, err)
	defer f.Close()
	d, ok := For(f, false).(*plainLines)
	assert.Check(t, ok && d.Close() == nil, "a file is no terminal")
	_, ok = For(f, true).(*jsonLines)
	assert.Check(t, ok, "no JSON")
}

// TestOrder shows what runs before what waits, and counts no time for what is there.
func TestOrder(t *testing.T) {
	s := newScreen(t, 100, 20)
	r := liveRig(s)
	r.event(hlsStep, step.Planned, expected(time.Hour))
	r.event(pack, step.Planned, expected(time.Minute))
	r.event(hlsStep, step.Waiting, detail("another build makes it"))
	r.event(pack, step.Started)
	r.tick()
	want(t, s, `  package engine  running                 0 s         [................] about 60 s left
  compile reduce  waits: another build makes it
0 of 2 steps, 1 running, 0 s, about 60 min left
`)
	r.event(hlsStep, step.Present)
	long := &step.Step{ID: "p/image/p", Title: "a title that is much longer than the others"}
	r.event(long, step.Planned, expected(time.Minute))
	r.event(long, step.Present)
	r.tick()
	want(t, s, `compile reduce: was there
a title that is much longer than the others: was there
  package engine  running                 0 s         [................] about 60 s left
2 of 3 steps, 1 running, 0 s, about 60 s left
`)
	assert.NilError(t, r.Close())
}

// TestPlainAgain tells the stage of a step at once when it is started again.
func TestPlainAgain(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	r := &rig{c, nil, NewPlain(&out, DisplayOptions{Now: c.get, Tick: make(chan time.Time)})}
	for range 2 {
		r.event(link, step.Started)
		r.event(link, step.Stage, detail("project"))
		r.event(link, step.Stage, detail("synthesis"))
	}
	assert.NilError(t, r.Close())
	assert.Check(t, strings.Count(out.String(), "project") == 2 && !strings.Contains(out.String(), "synthesis"),
		"%s", out.String())
}

func TestRemaining(t *testing.T) {
	now := newClock().get()
	s := newState(now)
	plan := func(one *step.Step, d time.Duration) {
		s.take(step.Event{Kind: step.Planned, Step: one, Expected: d, Why: []string{"new"}, Time: now})
	}
	plan(hlsStep, 10*time.Minute)
	plan(pack, time.Minute)
	plan(link, time.Hour)
	if d, known := s.remaining(now); d != 70*time.Minute || !known {
		t.Errorf("%v %v", d, known)
	}
	s.take(step.Event{Kind: step.Finished, Step: hlsStep})
	s.take(step.Event{Kind: step.Started, Step: pack, Time: now})
	if d, known := s.remaining(now.Add(30 * time.Second)); d != time.Hour+30*time.Second || !known {
		t.Errorf("%v %v", d, known)
	}
	plan(&step.Step{ID: "new"}, 0)
	if d, known := s.remaining(now); d != 61*time.Minute || known {
		t.Errorf("%v %v", d, known)
	}
}
