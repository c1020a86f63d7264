package slurm_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// A graph of jobs is submitted at once: those without order run on two nodes
// together, and the others when those have ended.
func TestGraph(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	meet := t.TempDir()
	// Each ends when both run, so that they must run together.
	together := func(me, other string) string {
		return "touch " + meet + "/" + me + "\n" + waiting(meet+"/"+other) + "\necho $SLURMD_NODENAME >node"
	}
	all := step.Resources{CPUs: 3, Memory: 200} // no node has room for both
	a, b := job(t, c, "p/hls/a", together("a", "b"), all), job(t, c, "p/hls/b", together("b", "a"), all)
	last := job(t, c, "p/link/l", "cat "+a.Dir+"/step.exit "+b.Dir+"/step.exit >both", step.Resources{})
	ra, rb := submit(t, e, a), submit(t, e, b)
	rl := submit(t, e, last, ra, rb)
	for _, done := range []<-chan error{wait(t.Context(), rl), wait(t.Context(), ra), wait(t.Context(), rb)} {
		assert.NilError(t, <-done)
	}
	text, err := os.ReadFile(filepath.Join(last.Dir, "both"))
	assert.Check(t, err == nil && string(text) == "0\n0\n", "when the last ran, the others had left %q: %v", text, err)
	var nodes []string
	for _, w := range []*watched{a, b} {
		text, _ := os.ReadFile(filepath.Join(w.Dir, "node"))
		where := w.told(&w.where)
		assert.Check(t, slices.Equal(where, []string{strings.TrimSpace(string(text))}),
			"%s ran on %q, and told %q", w.Step.ID, text, where)
		nodes = append(nodes, where...)
	}
	if slices.Sort(nodes); !slices.Equal(nodes, []string{"n1", "n2"}) {
		t.Errorf("they ran on %q", nodes)
	}
	if why := last.told(&last.waiting); !slices.Contains(why, "other steps come first (Dependency)") {
		t.Errorf("the last has told that it waits because %q", why)
	}
}

// What comes after a failure does not run; what does not, does.
func TestFailure(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	bad := job(t, c, "p/hls/bad", "echo ERROR: no such pin >&2; exit 3", step.Resources{})
	middle := job(t, c, "p/link/l", "touch ran", step.Resources{})
	end := job(t, c, "p/image/i", "touch ran", step.Resources{})
	good := job(t, c, "p/hls/good", "touch ran", step.Resources{})
	r := submit(t, e, bad)
	m := submit(t, e, middle, r)
	last := submit(t, e, end, m)
	g := submit(t, e, good)
	// The last first: it must not wait for somebody to look at the others.
	results := []<-chan error{wait(t.Context(), last), wait(t.Context(), m), wait(t.Context(), r), wait(t.Context(), g)}
	wants(t, <-results[0], step.ErrNotRun)
	wants(t, <-results[1], step.ErrNotRun)
	wants(t, <-results[2], step.ErrFailed, "exit status 3", "on n")
	assert.NilError(t, <-results[3])
	lines := bad.told(&bad.lines)
	assert.Check(t, slices.Equal(lines, []string{"ERROR: no such pin"}), "the log has told %q", lines)
	for _, w := range []*watched{middle, end} {
		assert.Check(t, !exists(filepath.Join(w.Dir, "ran"))() && len(queued(t, c, w.Dir)) <= 0,
			"%s ran, or is in the queue", w.Step.ID)
	}
	// One that is submitted when the failure is known is not even submitted.
	late := job(t, c, "p/link/late", "touch ran", step.Resources{})
	wants(t, <-wait(t.Context(), submit(t, e, late, r)), step.ErrNotRun, "p/hls/bad")
	assert.Check(t, !exists(filepath.Join(late.Dir, step.LogFile))(), "a job was submitted after one that has failed")
	// One that comes after what has ended well needs no dependency: Slurm may not
	// know that job any more.
	again := job(t, c, "p/link/again", "touch ran", step.Resources{})
	assert.NilError(t, <-wait(t.Context(), submit(t, e, again, slurm.Ended(e, good.Job, "999999", nil))))
}

// What comes after a failure leaves the queue also when nobody waits any more.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	bad := job(t, c, "p/hls/bad", "exit 3", step.Resources{})
	after := job(t, c, "p/link/l", "touch ran", step.Resources{})
	submit(t, e, after, submit(t, e, bad))
	until(t, "the queue has neither", func() bool { return len(queued(t, c, bad.Dir))+len(queued(t, c, after.Dir)) == 0 })
	assert.Check(t, !exists(filepath.Join(after.Dir, "ran"))(), "it ran")
}

// Cancelling leaves no job in the queue, and no process, also of one that waits,
// or that is not waited for yet.
func TestCancel(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	seconds := mark()
	runs := job(t, c, "p/hls/runs", "trap '' TERM\nsleep "+seconds+" &\nsleep "+seconds+"\ntouch ended", step.Resources{})
	all := []*watched{runs}
	r := submit(t, e, runs)
	var waits []step.Running
	for range 4 {
		w := job(t, c, "p/link/waits", "touch ran", step.Resources{})
		waits = append(waits, submit(t, e, w, r))
		all = append(all, w)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := wait(ctx, r)
	until(t, "it runs", func() bool { return alive(t, seconds) })
	cancel()
	wants(t, <-first, context.Canceled)
	for _, w := range waits {
		wants(t, <-wait(ctx, w), context.Canceled)
	}
	for _, j := range all {
		left := queued(t, c, j.Dir)
		assert.Check(t, len(left) == 0, "%s: still in the queue: %q", j.Step.ID, left)
		assert.Check(t, !exists(filepath.Join(j.Dir, step.ExitFile))() && !exists(filepath.Join(j.Dir, "ran"))(),
			"%s has an exit status, or has run after all", j.Step.ID)
	}
	assert.Check(t, !alive(t, seconds), "a process of the job is left")
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	late := job(t, c, "p/link/late", "touch ran", step.Resources{})
	_, err := e.Submit(ctx, late.Job, nil)
	assert.Check(t, err != nil, "a job was submitted after the end")
	left := queued(t, c, late.Dir)
	assert.Check(t, len(left) == 0, "still in the queue: %q", left)
}

func TestLive(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	w := job(t, c, "p/hls/a", "echo one; "+untilGo+"; echo two; printf three", step.Resources{})
	done := wait(t.Context(), submit(t, e, w))
	until(t, "the first line", func() bool { return slices.Equal(w.told(&w.lines), []string{"one"}) })
	assert.NilError(t, os.WriteFile(filepath.Join(w.Dir, "go"), nil, 0o644))
	assert.NilError(t, <-done)
	lines := w.told(&w.lines)
	assert.Check(t, slices.Equal(lines, []string{"one", "two", "three"}), "lines are %q", lines)
}

// Paths may have anything in them but an end of line.
func TestNames(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	for _, name := range []string{"a b", `q"u'o`, "per%jcent%%", `back\slash\\`, "$HOME`id`", "-dash",
		"#;&|<>*?[x]", "ü(é)"} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			w := jobIn(t, filepath.Join(c.Dir, "names", name), "p/hls/"+name+"\n#", "pwd; exit 4", step.Resources{})
			wants(t, <-wait(t.Context(), submit(t, e, w)), step.ErrFailed, "exit status 4")
			lines := w.told(&w.lines)
			assert.Check(t, slices.Equal(lines, []string{w.Dir}), "%s: it ran in %q", name, lines)
		})
	}
	w := jobIn(t, filepath.Join(c.Dir, "names", "end\nof line"), "p/hls/a", "pwd", step.Resources{})
	_, err := e.Submit(t.Context(), w.Job, nil)
	assert.Check(t, err != nil, "a path with an end of line was taken")
}

// A build inside a job, or by somebody with settings for Slurm's commands, does the
// same; its other variables reach the tools.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	e, c := executor(t, func(o *slurm.Options) {
		o.Env = append(o.Env, "SQUEUE_FORMAT=%u", "SQUEUE_STATES=FAILED", "SQUEUE_USERS=nobody", "SBATCH_ARRAY_INX=1-3",
			"SBATCH_WAIT=1",
			"SBATCH_EXPORT=NONE", "SLURM_MEM_PER_CPU=10", "SLURM_MEM_PER_NODE=20", "SLURM_JOB_ID=77", "SLURM_CLUSTERS=elsewhere",
			"SBATCH_CLUSTERS=elsewhere", "SBATCH_REQUEUE=1", "LICENCE_SERVER=a b")
	})
	w := job(t, c, "p/hls/a", "echo $LICENCE_SERVER; [ $SLURM_JOB_ID != 77 ] && echo $SLURM_ARRAY_TASK_ID",
		step.Resources{Memory: 50})
	assert.NilError(t, <-wait(t.Context(), submit(t, e, w)))
	lines := w.told(&w.lines)
	assert.Check(t, slices.Equal(lines, []string{"a b", ""}), "the job has %q", lines)
}
