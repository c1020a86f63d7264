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

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// survivors are the processes of tools that run although nobody wants them, by what
// they were called with.
func (b *bench) survivors() []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		b.Fatal(err)
	}
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

// gone waits until no process of a tool is left.
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

// TestInterrupts stops builds at moments that are spread over their time. The next build
// ends in the same result, and no process is left over.
func TestInterrupts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by /proc")
	}
	t.Parallel()
	reference := newBench(t, standin.Options{Pace: 5 * time.Millisecond})
	begin := time.Now()
	reference.build(faulty)
	whole, took := reference.content(faulty), time.Since(begin)
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
	var ended, stopped atomic.Int64
	t.Run("builds", func(t *testing.T) {
		for n := range *interrupts {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(*seed, uint64(n)))
				b := *reference
				b.T, b.dir, b.cache = t, t.TempDir(), filepath.Join(t.TempDir(), "cache")
				// A slice of the time for each, and a moment in it.
				after := time.Duration((float64(n) + random.Float64()) / float64(*interrupts) * float64(took))
				signal := signals[random.IntN(len(signals))]
				cmd, out, errs := b.command(t.Context(), "build", faulty)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(after)
				what := fmt.Sprintf("%v after %v (-seed=%d)", signal, after.Round(time.Millisecond), *seed)
				_ = cmd.Process.Signal(signal) // it may have ended
				err := cmd.Wait()
				if err == nil {
					ended.Add(1)
				} else {
					stopped.Add(1)
				}
				if code := cmd.ProcessState.ExitCode(); err != nil && signal != syscall.SIGKILL && code != 130 {
					t.Errorf("%s: exit status %d:\n%s\n%s", what, code, out, errs)
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
	t.Logf("%d builds were interrupted, %d had ended before, of %v", stopped.Load(), ended.Load(), took.Round(time.Millisecond))
	if stopped.Load() < int64(*interrupts)/2 {
		t.Errorf("only %d of %d builds were interrupted", stopped.Load(), *interrupts)
	}
}

// TestHang has the linker hang, deaf to signals and with a daemon of its own, and the
// user stop the build.
func TestHang(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by /proc")
	}
	t.Parallel()
	b := newBench(t, standin.Options{})
	if err := b.Fail(standin.Fault{Tool: "v++", Contains: "--link", Kind: standin.Hang, Times: 1}); err != nil {
		t.Fatal(err)
	}
	cmd, out, errs := b.command(t.Context(), "build", faulty)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	daemon := func() bool {
		calls, err := b.Calls()
		return err == nil && len(calls) > 0 && calls[len(calls)-1].Tool == "daemon"
	}
	for end := time.Now().Add(patience); !daemon(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the linker does not hang:\n%s\n%s", out, errs)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Errorf("the build has ended well:\n%s", out)
	}
	b.gone("SIGINT while the linker hangs")
	b.build(faulty)
	b.linked(faulty)
}
