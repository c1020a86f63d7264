//go:build linux

package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// detached runs jobs as a cluster does: they go on without the process that has
// submitted them.
type detached struct {
	mu     sync.Mutex
	new    int            // jobs that it has started
	after  map[string]int // how many others they came after, by step ID
	refuse error
	hold   chan struct{} // if not nil, jobs start when it is closed
	blind  bool          // it never sees the end of a job
	lost   bool          // it never hears of a job again
	stale  bool          // jobs of others wait for ever
	slow   bool          // jobs have ended when it says that they are alive
	late   bool          // jobs end before it looks whether they are alive
}

type detachedJob struct {
	d       *detached
	dir     string
	started func(string)
}

func (d *detached) pid(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "job.pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

func runs(pid int) bool {
	if pid == 0 {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}

func (d *detached) Alive(_ context.Context, dir string) (bool, error) {
	alive := runs(d.pid(dir)) || d.stale && d.pid(dir) != 0
	for (d.slow || d.late) && runs(d.pid(dir)) {
		time.Sleep(time.Millisecond)
	}
	return alive && !d.late, nil
}

func (d *detached) Cancel(_ context.Context, dir string) error {
	if pid := d.pid(dir); runs(pid) {
		syscall.Kill(-pid, syscall.SIGKILL)
		for runs(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// nap is a function of bash that waits a moment, without a process of its own: for a line
// from a pipe into which nobody writes.
const nap = "exec 9<> <(:)\nnap() { read -rt 0.02 -u 9 || true; }\n"

func (d *detached) Submit(_ context.Context, j step.Job, after []step.Running) (step.Running, error) {
	if d.refuse != nil {
		return nil, d.refuse
	}
	if j.Follow {
		return &detachedJob{d, j.Dir, j.Started}, nil
	}
	script := "echo $$ >job.new; mv job.new job.pid\n" + nap
	if d.hold != nil {
		script += fmt.Sprintf("while ! test -e %s/go; do nap; done\n", j.Dir)
		go func() { <-d.hold; os.WriteFile(filepath.Join(j.Dir, "go"), nil, 0o666) }()
	}
	for _, a := range after {
		dir := a.(*detachedJob).dir
		script += fmt.Sprintf("while ! test -e %[1]s/step.exit && test -e %[1]s; do nap; done\n"+
			"if test -e %[1]s && test $(cat %[1]s/step.exit) != 0; then touch job.notrun; exit; fi\n", dir)
	}
	cmd := exec.Command("bash", "-c", script+"exec bash step.sh >step.log 2>&1 9>&-")
	cmd.Dir = j.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go cmd.Wait()
	for !exists(filepath.Join(j.Dir, "job.pid")) {
		time.Sleep(time.Millisecond)
	}
	d.mu.Lock()
	d.new++
	if d.after == nil {
		d.after = map[string]int{}
	}
	d.after[j.Step.ID] = len(after)
	d.mu.Unlock()
	return &detachedJob{d, j.Dir, j.Started}, nil
}

func (j *detachedJob) Wait(ctx context.Context) error {
	d := j.d
	j.started("a node")
	if d.lost {
		return step.ErrLost
	}
	if d.stale && !runs(d.pid(j.dir)) && !exists(filepath.Join(j.dir, step.ExitFile)) {
		return step.ErrNotRun
	}
	for d.blind || runs(d.pid(j.dir)) {
		if ctx.Err() != nil {
			d.Cancel(ctx, j.dir)
			return ctx.Err()
		}
		time.Sleep(5 * time.Millisecond)
	}
	if exists(filepath.Join(j.dir, "job.notrun")) {
		return step.ErrNotRun
	}
	if code, ended := exitOf(j.dir); !ended || code != 0 {
		return fmt.Errorf("%w: %d", step.ErrFailed, code)
	}
	return nil
}
