package slurm_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

var waitsForGo = "echo begun >>begun; " + untilGo + "; echo ended"

// A second build follows the job of one that was killed, with its log from the
// beginning, while it waits as well as while it runs.
func TestFollow(t *testing.T) {
	t.Parallel()
	first, c := executor(t, nil)
	runs := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
	pends := job(t, c, "p/link/l", "touch ran", step.Resources{})
	r := submit(t, first, runs)
	submit(t, first, pends, r)
	until(t, "it runs", exists(filepath.Join(runs.Dir, "begun")))
	before := append(queued(t, c, runs.Dir), queued(t, c, pends.Dir)...)

	second, _ := executor(t, nil)
	for _, w := range []*watched{runs, pends} {
		if alive, err := second.Alive(t.Context(), w.Dir); err != nil || !alive {
			t.Errorf("%s is not alive: %v", w.Step.ID, err)
		}
	}
	rr := submit(t, second, runs)
	pp := submit(t, second, pends, rr)
	after := append(queued(t, c, runs.Dir), queued(t, c, pends.Dir)...)
	assert.Check(t, slices.Equal(after, before) && len(before) == 2, "there were jobs %q, and then %q", before, after)
	done := []<-chan error{wait(t.Context(), rr), wait(t.Context(), pp)}
	assert.NilError(t, os.WriteFile(filepath.Join(runs.Dir, "go"), nil, 0o644))
	for _, d := range done {
		assert.NilError(t, <-d)
	}
	text, err := os.ReadFile(filepath.Join(runs.Dir, "begun"))
	assert.Check(t, err == nil && string(text) == "begun\n", "it began %q: %v", text, err)
	lines := runs.told(&runs.lines)
	assert.Check(t, slices.Equal(lines, []string{"ended"}), "lines are %q", lines)
	if alive, err := second.Alive(t.Context(), runs.Dir); err != nil || alive {
		t.Errorf("alive is %v after the end: %v", alive, err)
	}
	// What has ended is judged if it is to be followed, and else run again.
	again := runs.Job
	again.Follow = true
	followed, err := second.Submit(t.Context(), again, nil)
	assert.NilError(t, err)
	assert.NilError(t, <-wait(t.Context(), followed))
	text, err = os.ReadFile(filepath.Join(runs.Dir, "begun"))
	assert.Check(t, err == nil && string(text) == "begun\n", "it began %q although it had ended: %v", text, err)
	assert.NilError(t, <-wait(t.Context(), submit(t, second, runs)))
	text, err = os.ReadFile(filepath.Join(runs.Dir, "begun"))
	assert.Check(t, err == nil && string(text) == "begun\nbegun\n", "it began %q: %v", text, err)
}

// A build has left a job that has ended, or one for other work: there is one job for the
// directory in the end, and only that one has worked.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	for name, leave := range map[string]func(t *testing.T, w *watched){
		"job has ended": func(t *testing.T, w *watched) {
			leaveRecord(t, w, "slurm-A.999999.json", `{"key":"key of p/hls/a","user":`+uid()+`}`)
		},
		"other key": func(t *testing.T, w *watched) {
			submit(t, e, w)
			until(t, "it runs", exists(filepath.Join(w.Dir, "begun")))
			os.Remove(filepath.Join(w.Dir, "begun"))
			rewriteRecord(t, w, func(text string) string { return strings.Replace(text, "key of", "other key of", 1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
			leave(t, w)
			r := submit(t, e, w)
			ids := queued(t, c, w.Dir)
			assert.Check(t, is.Equal(len(ids), 1), "jobs are %q", ids)
			done := wait(t.Context(), r)
			assert.NilError(t, os.WriteFile(filepath.Join(w.Dir, "go"), nil, 0o644))
			assert.NilError(t, <-done)
			text, _ := os.ReadFile(filepath.Join(w.Dir, "begun"))
			assert.Check(t, is.Equal(string(text), "begun\n"), "it began %q", text)
			files, _ := filepath.Glob(filepath.Join(w.Dir, "slurm-*.json"))
			assert.Check(t, is.Equal(len(files), 1), "records are %q", files)
		})
	}
}

// A job whose record has gone by the time it starts does nothing.
func TestStray(t *testing.T) {
	t.Parallel()
	e, c := executor(t, func(o *slurm.Options) { o.Extra = []string{"--hold"} })
	w := job(t, c, "p/hls/a", "touch ran", step.Resources{})
	done := wait(t.Context(), submit(t, e, w))
	until(t, "it tells that it is held",
		func() bool { return strings.Contains(strings.Join(w.told(&w.waiting), "\n"), "JobHeldUser") })
	for _, f := range glob(t, w, "slurm-*.json") {
		assert.NilError(t, os.Remove(f))
	}
	admin(t, c, "scontrol", "release", queued(t, c, w.Dir)[0])
	wants(t, <-done, step.ErrFailed, "another job does this work")
	assert.Check(t, !exists(filepath.Join(w.Dir, "ran"))(), "it did its work all the same")
}

// A damaged record is an error, as a job may run in its directory.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	for _, r := range [][2]string{{"slurm-A.json", ""}, {"slurm-A.1.json", "{"},
		{"slurm-A.--all.json", `{"key":"k","user":0}`}, {"slurm-A..json", `{"key":"k","user":0}`}} {
		name, text := r[0], r[1]
		w := job(t, c, "p/hls/a", "touch ran", step.Resources{})
		leaveRecord(t, w, name, text)
		_, err := e.Submit(t.Context(), w.Job, nil)
		assert.Check(t, is.ErrorContains(err, w.Dir), "%s: %q", name, text)
		_, err = e.Alive(t.Context(), w.Dir)
		assert.Check(t, err != nil, "%s: %q: Alive has no error", name, text)
	}
}

// Cancel ends jobs that another process has submitted.
func TestCancelOthers(t *testing.T) {
	t.Parallel()
	first, c := executor(t, nil)
	second, _ := executor(t, nil)
	w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
	done := wait(t.Context(), submit(t, first, w))
	until(t, "it runs", exists(filepath.Join(w.Dir, "begun")))
	assert.NilError(t, second.Cancel(t.Context(), w.Dir))
	left := queued(t, c, w.Dir)
	assert.Check(t, len(left) == 0, "still there: %q", left)
	wants(t, <-done, step.ErrFailed, "cancelled", "not by this build")
	assert.Check(t, second.Cancel(t.Context(), w.Dir), "nothing to cancel")
	if alive, err := second.Alive(t.Context(), filepath.Join(c.Dir, "nowhere")); alive || err != nil {
		t.Errorf("nowhere: %v, %v", alive, err)
	}
}

// TestChild plays a build when this is set: it submits a job in that directory, and waits
// for it.
const childVariable = "SLURM_TEST_CHILD"

func TestChild(t *testing.T) {
	dir := os.Getenv(childVariable)
	if dir == "" {
		t.Skip("only as a process of abandon")
	}
	e, err := slurm.New(t.Context(), slurm.Options{Poll: 100 * time.Millisecond})
	assert.NilError(t, err)
	w := step.Job{Step: &step.Step{ID: "p/hls/a"}, Key: "key of p/hls/a", Dir: dir}
	r, err := e.Submit(t.Context(), w, nil)
	assert.NilError(t, err)
	_ = r.Wait(t.Context())
}
