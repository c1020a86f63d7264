//go:build linux

package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

func TestEachResultIsMadeOnce(t *testing.T) {
	f := fix(t)
	out, err := f.run(twoPlatforms(f.count, "0"))
	assert.NilError(t, err)
	right(t, out)
	assert.Check(t, is.Equal(counted(t, f.count), once), "there ran")
	if slices.Contains(out.Ran, "q/package/a") || !slices.Contains(out.Present, "q/package/a") || len(out.Ran) != 7 ||
		!out.Made("q") ||
		!out.Complete(twoPlatforms(f.count, "0"), "p") {
		t.Errorf("%+v", out)
	}
	for _, e := range []string{"planned q/package/a the same as p/package/a",
		"present q/package/a the same as p/package/a", "finished q/image/q"} {
		assert.Check(t, f.heard(e), "no event %q in %q", e, f.said)
	}
	left := f.works()
	assert.Check(t, len(left) == 0, "left %q", left)
	out, err = f.run(twoPlatforms(f.count, "0"))
	assert.Check(t, err == nil && len(out.Ran) == 0 && len(out.Present) == 8 && !out.Made("p"), "%+v, %v", out, err)
	right(t, out)
	assert.Check(t, is.Equal(counted(t, f.count), once), "then there ran")
	// Another firmware: the image alone.
	plan := twoPlatforms(f.count, "0")
	plan.Step("p/image/p").Files[0].Content = []byte("firmware 2\n")
	out, err = f.run(plan)
	assert.Assert(t, err == nil && slices.Equal(out.Ran, []string{"p/image/p"}), "%+v, %v", out, err)
	text, err := os.ReadFile(out.Results["p/image/p"].Path("p.xclbin"))
	assert.Check(t, err == nil && string(text) == "kernel a\nkernel b of p\ndeep\nfirmware 2\n", "%q, %v", text, err)
	for _, e := range f.whole {
		if e.Kind == step.Finished && (e.Elapsed <= 0 || e.Expected <= 0 || e.Time.IsZero()) {
			t.Errorf("%+v", e)
		}
	}
}

func TestCancelledBuildsLeaveNothingRunning(t *testing.T) {
	f := fix(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.said = nil
	plan := twoPlatforms(f.count, "300")
	plan.Step("p/package/b").Commands[1].Shell = "(setsid sleep 987654 &) ; echo $$ >b.xo; sleep 987654"
	o := f.options()
	hear := o.OnEvent
	o.OnEvent = func(e step.Event) {
		hear(e)
		if e.Kind == step.Started && e.Step.ID == "p/package/b" {
			go func() {
				for !exists(filepath.Join(e.Dir, "b.xo")) {
					time.Sleep(5 * time.Millisecond)
				}
				cancel()
			}()
		}
	}
	out, err := Run(ctx, plan, f.store, here(), o)
	if !errors.Is(err, context.Canceled) || len(out.Failures) > 0 || len(out.Results) > 0 || len(out.Skipped) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, id := range []string{"p/package/b", "p/package/a", "p/link/p", "q/image/q"} {
		assert.Check(t, slices.ContainsFunc(f.said, func(s string) bool { return strings.HasPrefix(s, "cancelled "+id) }),
			"%s is not told as cancelled: %q", id, f.said)
	}
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		assert.Check(t, !strings.Contains(string(text), "sleep\x00987654"), "there still runs %s: %q", name, text)
	}
	assert.Check(t, len(names) != 0, "no processes are to be seen")
	left := f.works()
	assert.Check(t, len(left) == 0, "left %q", left)
	out, err = f.run(twoPlatforms(f.count, "0"))
	assert.NilError(t, err)
	right(t, out)
}

func TestWaitingForAnotherBuildEndsWithTheContext(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	keys, err := plan.Keys(f.store.Hash)
	assert.NilError(t, err)
	unlock, err := f.store.TryLock(keys["p/package/b"].Hash)
	assert.NilError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	o := f.options()
	hear := o.OnEvent
	done := 0
	o.OnEvent = func(e step.Event) {
		hear(e)
		if e.Kind == step.Finished || e.Kind == step.Failed || e.Kind == step.Skipped {
			done++
		}
		if done == 4 { // all that does not need it
			cancel()
		}
	}
	out, err := Run(ctx, plan, f.store, here(), o)
	if !errors.Is(err, context.Canceled) || out.Results["q/image/q"] == nil || out.Results["p/package/b"] != nil ||
		!out.Complete(plan, "q") {
		t.Errorf("%+v, %v", out, err)
	}
	if !slices.ContainsFunc(f.said, func(s string) bool {
		return strings.HasPrefix(s, "waiting p/package/b ") && strings.HasSuffix(s, " makes the same")
	}) {
		t.Errorf("%q", f.said)
	}
	unlock()
}

// A bit has changed, and neither size nor time says so.
func TestDamageOfWhatIsUsed(t *testing.T) {
	f := fix(t)
	out, err := f.run(twoPlatforms(f.count, "0"))
	assert.NilError(t, err)
	name := out.Results["p/link/p"].Path("p.linked")
	info, err := os.Stat(name)
	assert.NilError(t, err)
	os.Chmod(name, 0o666)
	os.WriteFile(name, []byte(strings.Replace("kernel a\nkernel b of p\ndeep\n", "deep", "beep", 1)), 0o666)
	os.Chtimes(name, info.ModTime(), info.ModTime())
	plan := twoPlatforms(f.count, "0")
	if out, err = f.run(plan); err != nil || len(out.Ran) > 0 {
		t.Errorf("nothing uses it: %+v, %v", out, err)
	}
	plan.Step("p/image/p").Files[0].Content = []byte("firmware 2\n")
	o := f.options()
	o.Check = func(path string) error { // the next job takes its input before the result is in the store
		if filepath.Base(path) == "p.linked" {
			until(t, "the image's job has its input", func() bool {
				names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "link", "in"))
				return len(names) > 0
			})
		}
		return nil
	}
	out, err = Run(t.Context(), plan, f.store, here(), o)
	assert.Assert(t, err == nil && slices.Equal(out.Ran, []string{"p/link/p", "p/image/p"}), "%+v, %v", out, err)
	text, err := os.ReadFile(out.Results["p/image/p"].Path("p.xclbin"))
	assert.Check(t, err == nil && string(text) == "kernel a\nkernel b of p\ndeep\nfirmware 2\n", "%q, %v", text, err)
	problems, err := f.store.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
}

func TestPruneLeavesTheResultsOfARunningBuild(t *testing.T) {
	f := fix(t)
	_, err := f.run(twoPlatforms(f.count, "0"))
	assert.NilError(t, err)
	plan := twoPlatforms(f.count, "0")
	plan.Step("p/image/p").Files[0].Content = []byte("firmware 2\n")
	o := f.options()
	hear := o.OnEvent
	o.OnEvent = func(e step.Event) {
		hear(e)
		if e.Kind == step.Started { // it is about to take the linked design out of the store
			p, err := f.store.Prune(t.Context(), store.PruneOptions{MaxSize: 1})
			if err != nil || len(p.Removed) != 1 || p.Removed[0].ID != "p/image/p" { // the one with the old firmware
				t.Errorf("%+v, %v", p, err)
			}
		}
	}
	out, err := Run(t.Context(), plan, f.store, here(), o)
	assert.Check(t, err == nil && slices.Equal(out.Ran, []string{"p/image/p"}), "%+v, %v", out, err)
	p, err := f.store.Prune(t.Context(), store.PruneOptions{MaxSize: 1})
	assert.Check(t, err == nil && len(p.Removed) == 8-1, "after it: %+v, %v", p, err)
}

func TestStages(t *testing.T) {
	f := fix(t)
	s := shell("p/link/p", step.Link, f.count, "c='Command: '; "+
		"printf '%s\\n' \"$c\"place_design x \"$c\"place_design \"$c\"route_design last; echo x >o", "o")
	_, err := f.run(&step.Plan{Steps: []*step.Step{s}})
	assert.NilError(t, err)
	if want := []string{"planned p/link/p", "started p/link/p", "stage p/link/p placement", "stage p/link/p routing",
		"finished p/link/p"}; !slices.Equal(f.said, want) {
		t.Errorf("events %q", f.said)
	}
}
