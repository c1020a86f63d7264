package slurm_test

import (
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/verify/vitis/slurmtest"
)

// Jobs that take more than they may are ended, and the error says of what.
func TestLimits(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	seconds := mark()
	slow := job(t, c, "p/link/slow", "sleep "+seconds, step.Resources{Time: 90 * time.Second, Memory: 50})
	large := job(t, c, "p/link/large", "text=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep "+seconds,
		step.Resources{Memory: 100})
	s, l := submit(t, e, slow), submit(t, e, large)
	done, doneLarge := wait(t.Context(), s), wait(t.Context(), l)
	until(t, "it runs", func() bool { return len(slow.told(&slow.where)) == 1 })
	id := queued(t, c, slow.Dir)[0]
	out, err := c.Command(t.Context(), "squeue", "--noheader", "--format=%l %m %C", "--jobs="+id).Output()
	assert.Check(t, err == nil && strings.TrimSpace(string(out)) == "2:00 50M 1",
		"Slurm has time, memory and processors %q: %v", out, err)
	// Slurm counts minutes, and that is too long for a test. It refuses what is past when it
	// hears of it.
	until(t, "Slurm takes an end", func() bool {
		return c.Command(t.Context(), "scontrol", "update", "JobId="+id, "EndTime=now").Run() == nil
	})
	wants(t, <-done, step.ErrTimeLimit, "1m30s", "job "+id)
	wants(t, <-doneLarge, step.ErrMemory, "100 MiB")
	assert.Check(t, !alive(t, seconds), "a process is left")
}

// A node that fails takes its job with it, and the error says so; jobs on other
// nodes go on. This is a cluster of its own, as nodes of the other are in use.
func TestFailingCluster(t *testing.T) {
	t.Parallel()
	cluster.Get(t)
	c, err := slurmtest.Start(t.Context(), slurmtest.Options{Silence: 3 * time.Second})
	assert.NilError(t, err)
	defer func() {
		assert.NilError(t, c.Stop())
	}()
	e, err := slurm.New(t.Context(), slurm.Options{Poll: 100 * time.Millisecond, Patience: patience, Env: c.Env()})
	assert.NilError(t, err)
	both := step.Resources{CPUs: 2}
	a, b := job(t, c, "p/hls/a", waitsForGo, both), job(t, c, "p/hls/b", waitsForGo, both)
	after := job(t, c, "p/link/l", "touch ran", step.Resources{})
	ra, rb := submit(t, e, a), submit(t, e, b)
	rl := submit(t, e, after, ra, rb)
	doneA, doneB, doneL := wait(t.Context(), ra), wait(t.Context(), rb), wait(t.Context(), rl)
	until(t, "both run", func() bool { return len(a.told(&a.where)) == 1 && len(b.told(&b.where)) == 1 })

	t.Run("controller restarts", func(t *testing.T) {
		assert.NilError(t, c.StopController())
		until(t, "it tells that Slurm does not answer", func() bool {
			return strings.Contains(strings.Join(a.told(&a.waiting), "\n"), "Slurm does not answer")
		})
		_, err := slurm.New(t.Context(), slurm.Options{Env: c.Env()})
		assert.Check(t, is.ErrorIs(err, slurm.ErrNoAnswer), "a new build")
		assert.NilError(t, c.StartController(t.Context()))
		late := job(t, c, "p/hls/late", "touch ran", step.Resources{})
		until(t, "it knows a job again", func() bool { return len(queued(t, c, a.Dir)) == 1 })
		r := submit(t, e, late)
		assert.Check(t, r.Wait(canceled(t)) != nil, "no error of a cancelled context")
		select {
		case err := <-doneA:
			t.Errorf("the job has ended: %v", err)
		default:
		}
	})
	t.Run("node fails", func(t *testing.T) {
		node := a.told(&a.where)[0]
		admin(t, c, "scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=test")
		wants(t, <-doneA, step.ErrFailed, "node failed", node)
		wants(t, <-doneL, step.ErrNotRun)
		assert.NilError(t, os.WriteFile(filepath.Join(b.Dir, "go"), nil, 0o644))
		assert.NilError(t, <-doneB)
		assert.Check(t, !exists(filepath.Join(after.Dir, "ran"))(), "what comes after both has run")
	})
	t.Run("no node left", func(t *testing.T) {
		// those that are down come back by themselves
		admin(t, c, "scontrol", "update", "NodeName=n1,n2", "State=DRAIN", "Reason=test")
		w := job(t, c, "p/hls/w", "touch ran", step.Resources{})
		ctx, cancel := context.WithCancel(t.Context())
		done := wait(ctx, submit(t, e, w))
		until(t, "it tells why it waits", func() bool {
			return slices.ContainsFunc(w.told(&w.waiting), func(why string) bool {
				return strings.HasPrefix(why, "nodes that it needs are down, drained or reserved")
			})
		})
		cancel()
		<-done
	})
	t.Run("controller is gone", func(t *testing.T) {
		short, err := slurm.New(t.Context(), slurm.Options{Poll: 100 * time.Millisecond, Patience: time.Second, Env: c.Env()})
		assert.NilError(t, err)
		w := job(t, c, "p/hls/gone", "touch ran", step.Resources{})
		r := submit(t, short, w)
		assert.NilError(t, c.StopController())
		err = <-wait(t.Context(), r)
		wants(t, err, slurm.ErrNoAnswer, "the next build follows it")
		wants(t, err, step.ErrLost)
		_, err = short.Submit(t.Context(), job(t, c, "p/hls/x", "true", step.Resources{}).Job, nil)
		assert.Check(t, is.ErrorIs(err, slurm.ErrNoAnswer))
		assert.NilError(t, c.StartController(t.Context()))
		if alive, err := e.Alive(t.Context(), w.Dir); err != nil || !alive {
			t.Errorf("the next build does not find the job: %v", err)
		}
	})
}

// A job that Slurm has forgotten is judged by what its script has left.
func TestForgotten(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]error{"0\n": nil, "7\n": step.ErrFailed, "": step.ErrFailed} {
		e, c := executor(t, func(o *slurm.Options) { o.Patience = time.Second })
		w := job(t, c, "p/hls/a", "true", step.Resources{})
		leaveRecord(t, w, "slurm-A.json", `{"key":"`+w.Key+`","user":`+uid()+`}`)
		r := slurm.Forgotten(e, w.Job, "999999")
		if status != "" {
			leaveRecord(t, w, step.ExitFile, status)
		}
		err := <-wait(t.Context(), r)
		assert.Check(t, errors.Is(err, want) && err == nil == (want == nil), "exit status %q: %v", status, err)
	}
}

// Slurm's accounting knows how a job has ended that its queue has forgotten. The
// answers are in the form of sacct(1), "--parsable2".
func TestAccounting(t *testing.T) {
	e, c := executor(t, func(o *slurm.Options) { o.Patience = time.Second })
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for answer, want := range map[string]error{
		"COMPLETED|n1": nil, "TIMEOUT|n1": step.ErrTimeLimit, "CANCELLED by 1000|n1": step.ErrFailed,
		"OUT_OF_MEMORY|n1": step.ErrMemory,
		"RUNNING|n1":       step.ErrFailed, "": step.ErrFailed,
	} {
		script := "#!/bin/sh\n[ \"$1\" = --jobs=999999 ] && echo '" + answer + "'\n"
		assert.NilError(t, os.WriteFile(filepath.Join(dir, "sacct"), []byte(script), 0o755))
		w := job(t, c, "p/hls/a", "true", step.Resources{})
		leaveRecord(t, w, step.LogFile, "its log\n")
		err := <-wait(t.Context(), slurm.Forgotten(e, w.Job, "999999"))
		assert.Check(t, errors.Is(err, want) && err == nil == (want == nil), "%q: %v", answer, err)
		if err != nil && strings.HasPrefix(answer, "CANCELLED") {
			wants(t, err, step.ErrFailed, "cancelled, and not by this build")
		}
		if ran := strings.HasSuffix(answer, "|n1") && answer != "RUNNING|n1"; ran != slices.Equal(w.told(&w.lines),
			[]string{"its log"}) || ran != slices.Equal(w.told(&w.where), []string{"n1"}) {
			t.Errorf("%q: it has told %q and %q", answer, w.told(&w.where), w.told(&w.lines))
		}
	}
}

// A queue that shows nothing for a while is no end of a job that runs.
func TestEmptyQueue(t *testing.T) {
	e, c := executor(t, nil)
	dir := t.TempDir()
	squeue, err := exec.LookPath("squeue")
	assert.NilError(t, err)
	script := fmt.Sprintf("#!/bin/bash\necho >>%s/calls\n(( $(wc -l <%[1]s/calls) < 8 )) || exec %s \"$@\"\n", dir, squeue)
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	w := job(t, c, "p/hls/a", "until [ $(wc -l <"+dir+"/calls) -gt 9 ]; do sleep 0.05; done; echo ended", step.Resources{})
	assert.NilError(t, <-wait(t.Context(), submit(t, e, w)))
	lines := w.told(&w.lines)
	assert.Check(t, slices.Equal(lines, []string{"ended"}), "lines are %q", lines)
}

// What sbatch refuses is told with its words, and leaves nothing that a later build
// would take for a job.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*slurm.Options)
		takes  step.Resources
		text   string
	}{
		{"constraint", func(o *slurm.Options) { o.Constraint = "u55c" }, step.Resources{}, "Invalid feature specification"},
		{"memory", nil, step.Resources{Memory: 1 << 20}, "node configuration is not available"},
		{"extra", func(o *slurm.Options) { o.Extra = []string{"--no-such-option"} }, step.Resources{}, "no-such-option"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, c := executor(t, tc.change)
			w := job(t, c, "p/hls/a", "true", tc.takes)
			_, err := e.Submit(t.Context(), w.Job, nil)
			assert.Check(t, err != nil && strings.Contains(err.Error(), tc.text) && strings.Contains(err.Error(), "p/hls/a"),
				"the error is %v", err)
			files, _ := filepath.Glob(filepath.Join(w.Dir, "slurm-*"))
			assert.Check(t, len(files) == 0, "left: %q", files)
		})
	}
}

// What Slurm takes and never begins is an error, and does not stay in the queue.
func TestNeverBegins(t *testing.T) {
	t.Parallel()
	e, c := executor(t, func(o *slurm.Options) { o.Patience, o.Partition = time.Second, "short" })
	for text, takes := range map[string]step.Resources{"no node": {CPUs: 64}, "more time": {Time: time.Hour}} {
		w := job(t, c, "p/hls/a", "true", takes)
		wants(t, <-wait(t.Context(), submit(t, e, w)), step.ErrFailed, text, "never begins")
		left := queued(t, c, w.Dir)
		assert.Check(t, len(left) == 0, "still in the queue: %q", left)
	}
}

// Partition, constraint and further options reach Slurm.
func TestOptions(t *testing.T) {
	t.Parallel()
	e, c := executor(t, func(o *slurm.Options) {
		o.Partition, o.Constraint, o.Extra = "short", "odd0", []string{"--comment=a b; $c", "--hold"}
	})
	w := job(t, c, "p/hls/a", "true", step.Resources{})
	ctx, cancel := context.WithCancel(t.Context())
	r := submit(t, e, w)
	out, err := c.Command(t.Context(), "squeue", "--noheader", "--format=%P|%f|%k|%j",
		"--jobs="+queued(t, c, w.Dir)[0]).Output()
	assert.Check(t, err == nil && strings.TrimSpace(string(out)) == "short|odd0|a b; $c|p/hls/a",
		"Slurm has %q: %v", out, err)
	done := wait(ctx, r)
	cancel()
	<-done
	_, err = slurm.New(t.Context(), slurm.Options{Partition: "main,nowhere", Env: c.Env()})
	wants(t, err, slurm.ErrOption, "nowhere")
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A node that does not see the work directory is named as such.
func TestUnseen(t *testing.T) {
	t.Parallel()
	e, c := executor(t, func(o *slurm.Options) { o.Extra = []string{"--hold"} })
	dir, err := os.MkdirTemp(c.Dir, "unseen")
	assert.NilError(t, err)
	for _, name := range []string{"plain", "per%cent"} {
		w := jobIn(t, filepath.Join(dir, name), "p/hls/a", "true", step.Resources{})
		done := wait(t.Context(), submit(t, e, w))
		assert.NilError(t, os.Rename(w.Dir, w.Dir+".away"))
		admin(t, c, "scontrol", "release", queued(t, c, w.Dir)[0])
		wants(t, <-done, step.ErrFailed, "does the node see "+w.Dir+"?", "on n")
	}
}
