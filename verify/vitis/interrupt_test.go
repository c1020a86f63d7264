package vitis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// survivors are the processes of tools that run although nobody wants them, by what
// they were called with.
func (b *bench) survivors() []string {
	entries, err := os.ReadDir("/proc")
	assert.NilError(b.T, err)
	var list []string
	for _, e := range entries {
		dir, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if err != nil || !strings.HasPrefix(dir, b.cache+"/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && len(text) > 0 {
			list = append(list, e.Name()+": "+strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return list
}

func (b *bench) gone(what string) {
	b.Helper()
	var left []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = b.survivors(); len(left) == 0 {
			return
		}
	}
	b.Errorf("%s: there are still\n%s", what, strings.Join(left, "\n"))
}

// begun is how many calls of tools have begun in the work directories of a build.
func (b *bench) begun() int {
	calls, err := b.Calls()
	if err != nil {
		return 0 // a line that is being written
	}
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c.Dir, b.cache+"/") {
			n++
		}
	}
	return n
}

// TestInterrupts stops builds, by each signal in turn, at moments that are spread over what
// they do: some milliseconds after the n-th call of a tool, for n from none to all. The next
// build ends in the same result, and no process is left over.
func TestInterrupts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by /proc")
	}
	t.Parallel()
	paced := standin.Options{Pace: 5 * time.Millisecond}
	reference := newBench(t, paced)
	reference.build(faulty)
	whole, total := reference.content(faulty), reference.begun()
	assert.Assert(t, total >= 20, "a build calls tools %d times", total)
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
	var ended, stopped atomic.Int64
	t.Run("builds", func(t *testing.T) {
		for n := range *interrupts {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(*seed, uint64(n)))
				b := newBench(t, paced)
				calls := n * (total + 1) / *interrupts
				after := time.Duration(random.Int64N(int64(40 * time.Millisecond)))
				signal := signals[n%len(signals)]
				what := fmt.Sprintf("%v %v after call %d of %d (-seed=%d)", signal, after, calls, total, *seed)
				cmd, out, errs := b.command(t.Context(), "build", faulty)
				assert.NilError(t, cmd.Start())
				for end := time.Now().Add(patience); b.begun() < calls; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%s: there were only %d:\n%s\n%s", what, b.begun(), out, errs)
					}
				}
				time.Sleep(after)
				_ = cmd.Process.Signal(signal) // it may have ended
				err := cmd.Wait()
				if err == nil {
					ended.Add(1)
				} else {
					stopped.Add(1)
				}
				if code := cmd.ProcessState.ExitCode(); err != nil && signal != syscall.SIGKILL && code != 130 {
					// Before anything of ours runs, a signal does what it always does.
					status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
					assert.Check(t, calls <= 0 && ok && status.Signaled(), "%s: exit status %d:\n%s\n%s", what, code, out, errs)
				}
				b.gone(what)
				if o := b.run("build", faulty); o.code != 0 {
					t.Errorf("%s: the next build: %v", what, o)
				} else if b.content(faulty) != whole {
					t.Errorf("%s: the next build ends in another result", what)
				}
			})
		}
	})
	t.Logf("%d builds of %d calls were interrupted, %d had ended before", stopped.Load(), total, ended.Load())
	assert.Check(t, stopped.Load() >= int64(*interrupts)*3/4,
		"only %d of %d builds were interrupted", stopped.Load(), *interrupts)
}
