//go:build linux

package run

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// late runs a plan in which two steps need a kernel, and an image the first of them:
// the second one and the image get to work only when the first one is done, and so
// is the kernel.
func (f *fixture) late(line string, exec *detached) (*Outcome, error) {
	f.Helper()
	kernel := shell("p/package/a", step.Package, f.count, line, "a.xo")
	x := need(shell("p/link/x", step.Link, f.count, "cp xo/a.xo x.linked", "x.linked"), kernel.ID, "a.xo", "xo/a.xo")
	y := need(shell("p/link/y", step.Link, f.count, "cp xo/a.xo y.linked", "y.linked"), kernel.ID, "a.xo", "xo/a.xo")
	z := need(shell("p/image/z", step.Image, f.count, "cp link/x z.xclbin", "z.xclbin"), x.ID, "x.linked", "link/x")
	plan := &step.Plan{Steps: []*step.Step{kernel, x, y, z}}
	keys, err := keysOf(plan, f.store)
	assert.NilError(f, err)
	var held []func()
	for _, s := range []*step.Step{y, z} {
		unlock, err := f.store.TryLock(keys[s.ID].Hash)
		if err != nil || unlock == nil {
			f.Fatalf("the lock of %s is not free: %v", s.ID, err)
		}
		held = append(held, unlock)
	}
	free := sync.OnceFunc(func() {
		for _, unlock := range held {
			unlock()
		}
	})
	defer free()
	f.said, f.whole = nil, nil
	o := f.options()
	tell := o.OnEvent
	o.OnEvent = func(e step.Event) {
		tell(e)
		if e.Step == x && slices.Contains([]step.EventKind{step.Skipped, step.Failed, step.Finished}, e.Kind) {
			free()
		}
	}
	return Run(f.Context(), plan, f.store, exec, o)
}

// What fails between a look at it and the submission of what needs it is not waited
// for, and what needs it is not begun.
func TestFailuresBeforeASubmission(t *testing.T) {
	f := fix(t)
	d := &detached{}
	out, err := f.late("exit 5", d)
	if !errors.Is(err, step.ErrFailed) || len(out.Failures) != 1 ||
		!slices.Equal(out.Skipped, []string{"p/link/x", "p/link/y", "p/image/z"}) {
		t.Fatalf("%+v, %v", out, err)
	}
	delete(d.after, "p/package/a")
	delete(d.after, "p/link/x") // it may have been
	assert.Check(t, len(d.after) <= 0 && counted(t, f.count) == "package/a 1",
		"%v were submitted, and there ran %s", d.after, counted(t, f.count))
	assert.Check(t, f.heard("skipped p/link/y p/package/a has failed") && len(f.works()) == 1,
		"%q, left %q", f.said, f.works())
}

// A job of which sight was lost may end well: what needs it comes after it.
func TestLossesBeforeASubmission(t *testing.T) {
	f := fix(t)
	d := &detached{lost: true}
	out, err := f.late("sleep 0.3; echo x >a.xo", d)
	if !errors.Is(err, step.ErrLost) || len(out.Results) > 0 || d.after["p/link/y"] != 1 || d.after["p/image/z"] != 1 {
		t.Fatalf("%+v, %v; the jobs came after %v others", out, err, d.after)
	}
	d = &detached{}
	if out, err = f.late("sleep 0.3; echo x >a.xo", d); err != nil || len(out.Results) != 4 {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := counted(t, f.count); got != "image/z 1, link/x 1, link/y 1, package/a 1" || d.new > 0 {
		t.Errorf("%d jobs were started anew; there ran %s", d.new, got)
	}
}
