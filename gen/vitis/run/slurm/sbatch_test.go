package slurm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/verify/vitis/slurmtest"
)

// inFront puts a script before one of Slurm's commands: a directory for PATH. The
// script stops where it says hold, until the file release is in the directory.
func inFront(t *testing.T, command, script string) (dir string) {
	t.Helper()
	real, err := exec.LookPath(command)
	assert.NilError(t, err)
	dir = t.TempDir()
	text := fmt.Sprintf(
		"#!/bin/bash\nreal=%s at=%s\nhold() { touch $at/held; %s; }\n%s\n", real, dir, waiting("$at/release"), script)
	assert.NilError(t, os.WriteFile(filepath.Join(dir, command), []byte(text), 0o755))
	return dir
}

func release(t *testing.T, dir string) {
	t.Helper()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "release"), nil, 0o644))
}

// abandon kills a build whose sbatch is held, which goes on.
func abandon(t *testing.T, c *slurmtest.Cluster, w *watched, dir string, when func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$", "-test.count=1")
	child.Env = append(c.Env(), childVariable+"="+w.Dir, "PATH="+dir+":"+os.Getenv("PATH"))
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	assert.NilError(t, child.Start())
	ended := make(chan struct{})
	go func() {
		_ = child.Wait()
		close(ended)
	}()
	defer func() {
		_ = child.Process.Kill()
		<-ended
	}()
	held := exists(filepath.Join(dir, "held"))
	until(t, "sbatch is held", func() bool {
		select {
		case <-ended:
			t.Fatalf("the build has ended: %s", &said)
		default:
		}
		return held()
	})
	until(t, "it is as it should be", when)
}

// ends lets the job of a directory end, and looks whether it was the only one that has
// worked there.
func ends(t *testing.T, c *slurmtest.Cluster, w *watched, r step.Running) {
	t.Helper()
	done := wait(t.Context(), r)
	assert.NilError(t, os.WriteFile(filepath.Join(w.Dir, "go"), nil, 0o644))
	assert.NilError(t, <-done)
	until(t, "no job is left", func() bool { return len(queued(t, c, w.Dir)) == 0 })
	text, _ := os.ReadFile(filepath.Join(w.Dir, "begun"))
	assert.Check(t, is.Equal(string(text), "begun\n"), "it began %q", text)
	files := glob(t, w, "slurm-*.json")
	assert.Check(t, is.Equal(len(files), 1), "records are %q", files)
}

const (
	holdBefore = "cat >$at/script\nhold\n$real \"$@\" <$at/script\ntouch $at/over"
	holdAfter  = "said=$($real \"$@\")\nhold\necho \"$said\""
)

// A build is killed while its sbatch is on its way. The next build submits a job of
// its own; that of the first comes later, and does nothing.
func TestKilledBeforeSbatch(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	dir := inFront(t, "sbatch", holdBefore)
	w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
	abandon(t, c, w, dir, func() bool { return true })
	if alive, err := e.Alive(t.Context(), w.Dir); err != nil || alive {
		t.Errorf("alive is %v: %v", alive, err)
	}
	r := submit(t, e, w)
	until(t, "it runs", exists(filepath.Join(w.Dir, "begun")))
	release(t, dir)
	until(t, "the first job is submitted", exists(filepath.Join(dir, "over")))
	until(t, "the first job has gone", func() bool { return len(queued(t, c, w.Dir)) == 1 })
	ends(t, c, w, r)
}

// A build is killed between its sbatch and the record of the number, while the job
// waits, runs, or is over.
func TestKilledAfterSbatch(t *testing.T) {
	t.Parallel()
	e, c := executor(t, nil)
	begun := func(w *watched) func() bool { return exists(filepath.Join(w.Dir, "begun")) }
	t.Run("runs", func(t *testing.T) {
		t.Parallel()
		w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
		abandon(t, c, w, inFront(t, "sbatch", holdAfter), begun(w))
		before := queued(t, c, w.Dir)
		if alive, err := e.Alive(t.Context(), w.Dir); err != nil || !alive {
			t.Errorf("alive is %v: %v", alive, err)
		}
		r := submit(t, e, w)
		after := queued(t, c, w.Dir)
		assert.Check(t, slices.Equal(after, before) && len(after) == 1, "jobs were %q, and are %q", before, after)
		ends(t, c, w, r)
	})
	t.Run("waits", func(t *testing.T) {
		t.Parallel()
		w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
		abandon(t, c, w, inFront(t, "sbatch", `set -- "$@" --hold`+"\n"+holdAfter),
			func() bool { return len(queued(t, c, w.Dir)) == 1 })
		r := submit(t, e, w)
		admin(t, c, "scontrol", "release", queued(t, c, w.Dir)[0])
		ends(t, c, w, r)
	})
	t.Run("is over", func(t *testing.T) {
		t.Parallel()
		w := job(t, c, "p/hls/a", "echo begun >>begun", step.Resources{})
		over := exists(filepath.Join(w.Dir, step.ExitFile))
		abandon(t, c, w, inFront(t, "sbatch", holdAfter), func() bool { return over() && len(queued(t, c, w.Dir)) == 0 })
		if alive, err := e.Alive(t.Context(), w.Dir); err != nil || alive {
			t.Errorf("alive is %v: %v", alive, err)
		}
		follow := w.Job
		follow.Follow = true
		r, err := e.Submit(t.Context(), follow, nil)
		assert.NilError(t, err)
		ends(t, c, w, r)
	})
}

// The job of a killed build comes and begins after the next build has looked for it in
// the queue, and before that has withdrawn its record.
func TestKilledAndLate(t *testing.T) {
	e, c := executor(t, nil)
	first := inFront(t, "sbatch", holdBefore)
	w := job(t, c, "p/hls/a", waitsForGo, step.Resources{})
	abandon(t, c, w, first, func() bool { return true })
	begun := filepath.Join(w.Dir, "begun")
	look := inFront(t, "squeue",
		fmt.Sprintf("said=$($real \"$@\")\ntouch %s/release\n%s\necho \"$said\"", first, waiting(begun)))
	path := os.Getenv("PATH")
	t.Setenv("PATH", look+":"+path)
	r := submit(t, e, w)
	t.Setenv("PATH", path)
	ends(t, c, w, r)
}

// sbatch is silent, although it has submitted a job, which may be over by the next try.
func TestSilentSbatch(t *testing.T) {
	e, c := executor(t, nil)
	path := os.Getenv("PATH")
	for name, until := range map[string]string{"runs": "begun", "is over": step.ExitFile} {
		w := job(t, c, "p/hls/a", "echo begun >>begun; [ "+until+" != begun ] || { "+untilGo+"; }", step.Resources{})
		dir := inFront(t, "sbatch", fmt.Sprintf(`echo >>$at/calls
$real "$@" >/dev/null
%s
[ %s = begun ] || sleep 2
echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2
exit 1`, waiting(filepath.Join(w.Dir, until)), until))
		t.Setenv("PATH", dir+":"+path)
		r := submit(t, e, w)
		text, err := os.ReadFile(filepath.Join(dir, "calls"))
		assert.Check(t, err == nil && string(text) == "\n", "%s: sbatch was called %d times: %v", name, len(text), err)
		ends(t, c, w, r)
	}
}
