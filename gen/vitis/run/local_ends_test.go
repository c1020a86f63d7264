//go:build linux

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// pids reads the files with numbers of processes that scripts have left.
func pids(t *testing.T, dir string) []int {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*.pid"))
	var list []int
	for _, name := range names {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		assert.NilError(t, err, "%s: %q", name, text)
		list = append(list, pid)
	}
	return list
}

// program is the command line of a process: one that ends has lost it, with its memory,
// before it is a zombie.
func program(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(line)
}

func gone(pid int) bool { return program(pid) == "" }

func allGone(t *testing.T, dir string, want int) {
	t.Helper()
	list := pids(t, dir)
	assert.Check(t, len(list) == want, "%d processes were started, want %d", len(list), want)
	for _, pid := range list {
		assert.Check(t, gone(pid), "process %d still runs: %q", pid, program(pid))
	}
}

// family starts a child, a grandchild, a daemon with a session of its own, one that
// hears no SIGTERM, and one that was stopped.
const family = nap + `
echo $$ >script.pid
bash -c 'echo $$ >child.pid; bash -c "echo \$\$ >grandchild.pid; sleep 600; true" & wait' &
(setsid bash -c 'echo $$ >daemon.new; mv daemon.new daemon.pid; exec sleep 600' &)
(setsid bash -c 'trap "" TERM HUP INT; echo $$ >deaf.new; mv deaf.new deaf.pid; while :; do sleep 1; done' &)
bash -c 'echo $$ >stopped.new; mv stopped.new stopped.pid; kill -STOP $$' &
until all=(*.pid); [ ${#all[@]} = 6 ]; do nap; done
`

func TestWhatAScriptLeavesRunningEndsWithIt(t *testing.T) {
	dir := work(t, family+"exit 0")
	assert.NilError(t, submit(t, quick(), job(dir)).Wait(t.Context()))
	allGone(t, dir, 6)
}

func TestTheEndOfTheContextEndsAll(t *testing.T) {
	dir := work(t, family+"touch ready; sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	r := submit(t, quick(), job(dir))
	go func() {
		for !has(dir, "ready")() {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	assert.Check(t, is.ErrorIs(r.Wait(ctx), context.Canceled))
	allGone(t, dir, 6)
}

// What tools start to end in good order is not asked to end itself.
func TestToolsMayEndInGoodOrder(t *testing.T) {
	// One of them was stopped, and hears nothing until it goes on.
	dir := work(t, nap+
		`bash -c 'trap "sleep 0.2 && touch tidied2; exit" TERM; echo $$ >stopped.pid; kill -STOP $$
while :; do sleep 0.05; done' &
while ! test -s stopped.pid; do nap; done
bash -c 'trap "sleep 0.2 && echo tidy >tidied; exit 1" TERM; touch ready
while :; do sleep 0.05; done'; echo not reached >reached`)
	ctx, cancel := context.WithCancel(t.Context())
	r := submit(t, NewLocal(LocalOptions{Grace: time.Minute}), job(dir))
	until(t, "it runs", has(dir, "ready"))
	stopped := pids(t, dir)[0]
	until(t, "one is stopped", func() bool { _, state := parentOf(stopped); return state == 'T' })
	cancel()
	assert.Check(t, is.ErrorIs(r.Wait(ctx), context.Canceled))
	assert.Check(t, has(dir, "tidied")() && has(dir, "tidied2")(),
		"a tool was not asked, or what it did to tidy up was ended")
	assert.Check(t, !has(dir, "reached")(), "the script went on")
}

func TestTimeLimit(t *testing.T) {
	dir := work(t, family+"sleep 600")
	j := job(dir)
	j.Step.Resources.Time = 700 * time.Millisecond
	err := submit(t, quick(), j).Wait(t.Context())
	if !errors.Is(err, step.ErrTimeLimit) || !errors.Is(err, step.ErrFailed) || !strings.Contains(err.Error(), "700ms") {
		t.Errorf("got %v", err)
	}
	for _, pid := range pids(t, dir) {
		if !gone(pid) {
			t.Errorf("%d still runs", pid)
		}
	}
}

// begun starts a builder of one job, which has begun when it has left a file.
func begun(t *testing.T, dir, file string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), localRole+"="+dir)
	assert.NilError(t, cmd.Start())
	until(t, "it runs", has(dir, file))
	return cmd
}

// supervisorOf is the parent of a script, which has left its number.
func supervisorOf(t *testing.T, dir string) (supervisor, script int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "script.pid"))
	assert.NilError(t, err)
	script, err = strconv.Atoi(strings.TrimSpace(string(text)))
	assert.NilError(t, err)
	supervisor, _ = parentOf(script)
	return supervisor, script
}

// The builder is killed with SIGKILL: nobody can tell the tools but the supervisor.
func TestTheEndOfTheBuilderEndsAll(t *testing.T) {
	dir := work(t, family+"touch ready; sleep 600")
	cmd := begun(t, dir, "ready")
	cmd.Process.Kill()
	cmd.Wait()
	until(t, "all are gone",
		func() bool { return !slices.ContainsFunc(pids(t, dir), func(p int) bool { return !gone(p) }) })
	allGone(t, dir, 6)
	until(t, "the supervisor is gone", func() bool { return len(marked(dir)) == 0 })
}

func TestTheEndOfTheSupervisorEndsAll(t *testing.T) {
	dir := work(t, family+"touch ready; sleep 600")
	r := submit(t, quick(), job(dir))
	until(t, "it runs", has(dir, "ready"))
	supervisor, _ := supervisorOf(t, dir)
	syscall.Kill(supervisor, syscall.SIGKILL)
	err := r.Wait(t.Context())
	assert.Check(t, errors.Is(err, step.ErrFailed) && strings.Contains(err.Error(), "supervisor"), "got %v", err)
	allGone(t, dir, 6)
}

// Builder and supervisor are killed at once: what they leave, the next build ends.
func TestTheNextBuildEndsWhatIsLeft(t *testing.T) {
	dir := work(t, family+"touch ready; sleep 600")
	cmd := begun(t, dir, "ready")
	supervisor, _ := supervisorOf(t, dir)
	syscall.Kill(supervisor, syscall.SIGSTOP)
	cmd.Process.Kill()
	cmd.Wait()
	syscall.Kill(supervisor, syscall.SIGKILL)
	e := quick()
	alive, err := e.Alive(t.Context(), dir)
	assert.Check(t, !alive && err == nil, "alive: %v, %v", alive, err)
	assert.NilError(t, e.Cancel(t.Context(), dir))
	allGone(t, dir, 6)
}

// Whatever becomes of the tools, the script does not go on to its next command.
func TestAScriptEndsWithItsSupervisor(t *testing.T) {
	dir := work(t, "echo $$ >script.new; mv script.new script.pid; sleep 1; sleep 600")
	cmd := begun(t, dir, "script.pid")
	supervisor, script := supervisorOf(t, dir)
	syscall.Kill(cmd.Process.Pid, syscall.SIGSTOP) // it cannot help
	syscall.Kill(supervisor, syscall.SIGKILL)
	until(t, "the script has ended", func() bool { return gone(script) })
	cmd.Process.Kill()
	cmd.Wait()
	assert.NilError(t, quick().Cancel(t.Context(), dir))
}
