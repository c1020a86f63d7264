//go:build linux

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// localRole makes this program, started again, a builder that runs one job.
const localRole = "CCLFORGE_LOCAL_TEST"

func localBuilder(dir string) {
	r, err := NewLocal(LocalOptions{Grace: 300 * time.Millisecond}).Submit(context.Background(), job(dir), nil)
	fmt.Println(err)
	if err == nil {
		fmt.Println(r.Wait(context.Background()))
	}
}

func job(dir string) step.Job { return step.Job{Step: &step.Step{ID: "p/link/p"}, Dir: dir} }

func work(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, step.ScriptFile), []byte(script), 0o666))
	return dir
}

func quick() *Local { return NewLocal(LocalOptions{Jobs: 2, CPUs: 2, Grace: 300 * time.Millisecond}) }

func submit(t *testing.T, e *Local, j step.Job, after ...step.Running) step.Running {
	t.Helper()
	r, err := e.Submit(t.Context(), j, after)
	assert.NilError(t, err)
	return r
}

func has(dir, name string) func() bool {
	return func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
}

func TestScripts(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   string // of the error
		log    string
	}{
		"well":         {"echo out; echo err >&2", "", "out\nerr\n"},
		"fails":        {"echo no; exit 3", "the step has failed: exit status 3", "no\n"},
		"no command":   {"no-such-tool", "exit status 127", "no-such-tool: command not found"},
		"no input":     {"cat; echo end", "", "end\n"},
		"killed":       {"kill -9 $$", "the step has failed: killed", ""},
		"segfault":     {"bash -c 'kill -SEGV $$'", "exit status 139 (segmentation fault)", ""},
		"where":        {"pwd; echo $" + Marker, "", "DIR\nDIR\n"},
		"syntax":       {"if", "exit status 2", "syntax error"},
		"no line feed": {"printf abc", "", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := work(t, c.script)
			err := submit(t, quick(), job(dir)).Wait(t.Context())
			if c.want == "" && err != nil || c.want != "" &&
				(!errors.Is(err, step.ErrFailed) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v", err)
			}
			text, err := os.ReadFile(filepath.Join(dir, step.LogFile))
			assert.Check(t, err == nil && strings.Contains(string(text), strings.ReplaceAll(c.log, "DIR", dir)),
				"log %q, %v", text, err)
		})
	}
}

func TestJobsWaitForThoseBefore(t *testing.T) {
	e := NewLocal(LocalOptions{Jobs: 4, CPUs: 4})
	a := submit(t, e, job(work(t, "sleep 0.2; touch done")))
	bad := submit(t, e, job(work(t, "exit 1")))
	dir := work(t, "")
	first := work(t, "sleep 0.2; touch done")
	one := submit(t, e, job(first))
	os.WriteFile(filepath.Join(dir, step.ScriptFile), []byte("test -e "+first+"/done"), 0o666)
	two := submit(t, e, job(dir), one)
	never := work(t, "touch ran")
	three := submit(t, e, job(never), two, bad)
	four := submit(t, e, job(never), three)
	assert.Check(t, two.Wait(t.Context()), "it did not wait")
	for _, r := range []step.Running{three, four} {
		err := r.Wait(t.Context())
		assert.Check(t, errors.Is(err, step.ErrNotRun) && !errors.Is(err, step.ErrFailed), "got %v", err)
	}
	assert.Check(t, !has(never, "ran")(), "it ran none the less")
	assert.NilError(t, a.Wait(t.Context()))
}

func TestNoMoreAtATimeThanThereIsRoomFor(t *testing.T) {
	for name, c := range map[string]struct {
		o    LocalOptions
		r    step.Resources
		want int
	}{
		"jobs":       {LocalOptions{Jobs: 2, CPUs: 100, Memory: 100000}, step.Resources{CPUs: 1, Memory: 10}, 2},
		"CPUs":       {LocalOptions{Jobs: 100, CPUs: 7, Memory: 100000}, step.Resources{CPUs: 2, Memory: 10}, 3},
		"memory":     {LocalOptions{Jobs: 100, CPUs: 100, Memory: 1000}, step.Resources{CPUs: 1, Memory: 300}, 3},
		"larger":     {LocalOptions{Jobs: 100, CPUs: 4, Memory: 1000}, step.Resources{CPUs: 64, Memory: 1 << 20}, 1},
		"not stated": {LocalOptions{CPUs: 3, Memory: 1000}, step.Resources{}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			e := NewLocal(c.o)
			var mu sync.Mutex
			now, most := 0, 0
			var all sync.WaitGroup
			for range 12 {
				all.Go(func() {
					release, err := e.slots.take(t.Context(), c.r)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					now++
					most = max(most, now)
					mu.Unlock()
					time.Sleep(20 * time.Millisecond)
					mu.Lock()
					now--
					mu.Unlock()
					release()
					release() // twice does no harm
				})
			}
			all.Wait()
			assert.Check(t, most == c.want && e.slots.free == e.slots.all,
				"%d at a time, want %d; %+v of %+v are free", most, c.want, e.slots.free, e.slots.all)
		})
	}
}

func TestWhoGivesUpWaitingIsForgotten(t *testing.T) {
	e := NewLocal(LocalOptions{Jobs: 1})
	ctx, cancel := context.WithCancel(t.Context())
	dir := work(t, nap+"touch ready; while ! test -e go; do nap; done")
	one := submit(t, e, job(dir))
	until(t, "it runs", has(dir, "ready"))
	never := work(t, "touch ran")
	two := submit(t, e, job(never))
	last := work(t, "touch ran")
	three := submit(t, e, job(last))
	cancel()
	assert.Check(t, is.ErrorIs(two.Wait(ctx), context.Canceled))
	os.WriteFile(filepath.Join(dir, "go"), nil, 0o666)
	for _, r := range []step.Running{one, three} {
		assert.NilError(t, r.Wait(t.Context()))
	}
	assert.Check(t, !has(never, "ran")() && has(last, "ran")() && e.slots.free == e.slots.all,
		"the queue is wrong: %+v", e.slots)
}

func TestLogsAreFollowed(t *testing.T) {
	dir := work(t, nap+`echo first; touch one; while ! test -e two; do nap; done
printf 'a\rb\r\n\n\x1b[31mred\x1b[0m \xff\xfe\x00\x07end\n'
head -c 3000000 /dev/zero | tr '\0' x; echo
seq 1 200000
printf last`)
	var mu sync.Mutex
	var lines []string
	j := job(dir)
	j.Lines = func(l string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, l)
	}
	started := 0
	j.Started = func(where string) { started++ }
	r := submit(t, quick(), j)
	until(t, "the first line comes while it runs", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(lines) == 1 && lines[0] == "first"
	})
	os.WriteFile(filepath.Join(dir, "two"), nil, 0o666)
	assert.NilError(t, r.Wait(t.Context()))
	assert.Check(t, started == 1, "started %d times", started)
	mu.Lock()
	defer mu.Unlock()
	begin := []string{"first", "a", "b", "", "red \uFFFDend", strings.Repeat("x", 4096), "1", "2"}
	if len(lines) != 200000+7 || !slices.Equal(lines[:8], begin) || lines[len(lines)-1] != "last" {
		t.Errorf("%d lines: %.60q … %q", len(lines), lines[:8], lines[max(0, len(lines)-2):])
	}
}

func TestWhatCannotBeSubmitted(t *testing.T) {
	e := quick()
	_, err := e.Submit(t.Context(), job("here"), nil)
	assert.Check(t, err != nil, "a relative directory")
	_, err = e.Submit(t.Context(), job(t.TempDir()), nil)
	assert.Check(t, errors.Is(err, os.ErrNotExist), "without a script: %v", err)
	_, err = e.Submit(t.Context(), job(work(t, "")), []step.Running{nil})
	assert.Check(t, err != nil, "after something else")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Submit(ctx, job(work(t, "")), nil)
	assert.Check(t, errors.Is(err, context.Canceled), "after the end: %v", err)
}

func TestWithoutASupervisor(t *testing.T) {
	supervised.Store(false)
	defer supervised.Store(true)
	dir := work(t, "echo hello; exit 4")
	assert.Check(t, is.ErrorIs(submit(t, quick(), job(dir)).Wait(t.Context()), step.ErrFailed))
	dir = work(t, "touch ready; sleep 600 & echo $! >pid; mv pid sleep.pid; wait")
	ctx, cancel := context.WithCancel(t.Context())
	r := submit(t, quick(), job(dir))
	until(t, "it runs", has(dir, "ready"))
	until(t, "it runs", has(dir, "sleep.pid"))
	cancel()
	assert.Check(t, is.ErrorIs(r.Wait(ctx), context.Canceled))
	until(t, "it is gone", func() bool { return gone(pids(t, dir)[0]) })
}

// What a supervisor says is read, whatever it is.
func TestVerdicts(t *testing.T) {
	for text, want := range map[string]string{
		"exit 0": "", "exit 1": "exit status 1", "exit 137": "exit status 137 (killed)", "signal 11": "segmentation fault",
		"error no bash": "cannot run: no bash", "exit x": `said "exit x"`, "": "supervisor has ended",
		"what": "supervisor has ended",
	} {
		err := verdict(text, nil, false)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"exit 137", "signal 9"} {
		err := verdict(text, nil, true)
		assert.Check(t, errors.Is(err, step.ErrMemory) && errors.Is(err, step.ErrFailed), "%s: %v", text, err)
	}
	err := verdict("exit 1", nil, true)
	assert.Check(t, !errors.Is(err, step.ErrMemory), "got %v", err)
}
