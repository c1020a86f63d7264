//go:build linux

package run

import (
	"context"
	"errors"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

func TestTwoBuildersAtOnce(t *testing.T) {
	f := fix(t)
	var all []*exec.Cmd
	for range 2 {
		all = append(all, start(t, "local", f.store.Dir(), f.count, "0.05"))
	}
	out, err := f.run(twoPlatforms(f.count, "0.05"))
	assert.NilError(t, err)
	right(t, out)
	for _, cmd := range all {
		assert.NilError(t, cmd.Wait())
	}
	assert.Check(t, is.Equal(counted(t, f.count), once), "there ran")
	left := f.works()
	assert.Check(t, len(left) == 0, "left %q", left)
}

// A builder whose sibling fails makes the result itself.
func TestTheOtherBuilderIsKilled(t *testing.T) {
	f := fix(t)
	other := start(t, "local", f.store.Dir(), f.count, "0.4")
	until(t, "it works", func() bool { return counted(t, f.count) != "" })
	go func() {
		for waits := false; !waits; time.Sleep(10 * time.Millisecond) {
			f.mu.Lock()
			waits = slices.ContainsFunc(f.said, func(s string) bool { return strings.HasPrefix(s, "waiting ") })
			f.mu.Unlock()
		}
		other.Process.Kill()
		other.Wait()
	}()
	out, err := Run(t.Context(), twoPlatforms(f.count, "0.4"), f.store, here(), f.options())
	assert.NilError(t, err)
	right(t, out)
}

// However often, and whenever, builders are killed: the next ends in the same
// result, and what was finished is not made again.
func TestKilledAtAnyMoment(t *testing.T) {
	for _, role := range []string{"local", "detached"} {
		t.Run(role, func(t *testing.T) {
			f := fix(t)
			seeded := rand.New(rand.NewSource(11))
			kills := nightly.Of(5, 12)
			for range kills {
				cmd := start(t, role, f.store.Dir(), f.count, "0.05")
				time.Sleep(time.Duration(seeded.Intn(500)) * time.Millisecond)
				cmd.Process.Kill()
				cmd.Wait()
			}
			last := start(t, role, f.store.Dir(), f.count, "0.05")
			assert.NilError(t, last.Wait())
			ran := counted(t, f.count)
			t.Logf("after %d kills: %s", kills, ran)
			assert.Check(t, role != "detached" || ran == once, "jobs that went on were made again: %s", ran)
			out, err := f.run(twoPlatforms(f.count, "0.05"))
			assert.Check(t, err == nil && len(out.Ran) == 0, "%+v, %v", out, err)
			right(t, out)
			problems, err := f.store.Verify(t.Context(), nil)
			assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
			left := f.works()
			assert.Check(t, len(left) == 0, "left %q", left)
			decisions, err := Why(twoPlatforms(f.count, "0.05"), f.store)
			assert.Check(t, err == nil && !slices.ContainsFunc(decisions, Decision.Runs), "%v, %v", decisions, err)
		})
	}
}

// What was left by builders that are no more: the next build uses what is finished
// and begins anew what is not.
func TestWhatIsLeftIsUsedOrNot(t *testing.T) {
	plan := func(f *fixture) (*step.Plan, string) {
		s := shell("p/package/a", step.Package, f.count, "cp in/a.txt a.xo; test ! -e stray", "a.xo")
		p := &step.Plan{Steps: []*step.Step{with(s, "in/a.txt", "right\n")}}
		keys, err := p.Keys(f.store.Hash)
		assert.NilError(t, err)
		return p, keys[s.ID].Hash
	}
	for name, c := range map[string]struct {
		change func(dir string)
		runs   bool
	}{
		"finished":       {func(dir string) { os.WriteFile(filepath.Join(dir, "a.xo"), []byte("right\n"), 0o666) }, false},
		"half":           {func(dir string) { os.Remove(filepath.Join(dir, "step.exit")); touch(dir, "stray") }, true},
		"failed":         {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), []byte("1\n"), 0o666) }, true},
		"no status":      {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), nil, 0o666) }, true},
		"strange status": {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), []byte("0x\n"), 0o666) }, true},
		"no output":      {func(dir string) { os.Remove(filepath.Join(dir, "a.xo")) }, true},
		"empty output":   {func(dir string) { os.WriteFile(filepath.Join(dir, "a.xo"), nil, 0o666) }, true},
		"no owner":       {func(dir string) { os.Remove(filepath.Join(dir, ownerFile)); touch(dir, "a.xo") }, true},
		"another script": {
			func(dir string) { touch(dir, "a.xo"); os.WriteFile(filepath.Join(dir, CommandsFile), nil, 0o666) }, true},
		"only begun":      {func(dir string) { os.RemoveAll(dir); os.Mkdir(dir, 0o777) }, true},
		"not a directory": {func(dir string) { os.RemoveAll(dir); os.WriteFile(dir, nil, 0o666) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := fix(t)
			p, key := plan(f)
			o := f.options()
			o.keep = true
			_, err := Run(t.Context(), p, f.store, here(), o)
			assert.NilError(t, err)
			os.RemoveAll(f.store.ResultDir(key))
			c.change(f.store.Works(key)[0])
			os.Remove(f.count)
			out, err := f.run(p)
			assert.NilError(t, err)
			text, err := os.ReadFile(out.Results["p/package/a"].Path("a.xo"))
			assert.Check(t, err == nil && string(text) == "right\n", "%q, %v", text, err)
			assert.Check(t, is.Equal(counted(t, f.count) != "", c.runs))
			left := f.works()
			assert.Check(t, len(left) == 0 || name == "not a directory", "left %q", left)
		})
	}
}

func touch(dir, name string) { os.WriteFile(filepath.Join(dir, name), []byte("wrong\n"), 0o666) }

// A producer's result is damaged or gone between its publication and the job that
// needs it: its work directory is still there.
func TestResultsThatGoMeanwhile(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0.1")
	keys, err := plan.Keys(f.store.Hash)
	assert.NilError(t, err)
	o := f.options()
	hear := o.OnEvent
	o.OnEvent = func(e step.Event) {
		hear(e)
		if e.Kind == step.Finished && e.Step.Kind == step.Package {
			os.RemoveAll(f.store.ResultDir(keys[e.Step.ID].Hash))
		}
	}
	out, err := Run(t.Context(), plan, f.store, here(), o)
	assert.NilError(t, err)
	right(t, out)
}

// What a step has made of something that was refused afterwards is no result.
func TestWhatWasMadeOfRefusedOutputs(t *testing.T) {
	f := fix(t)
	flag := filepath.Join(t.TempDir(), "flag")
	bad := filepath.Join(t.TempDir(), "bad")
	os.WriteFile(bad, []byte("bad\n"), 0o666)
	a := shell("p/package/a", step.Package, f.count,
		"if test -e \"$FLAG\"; then echo good >a.xo; else ln -s \"$BAD\" a.xo; fi", "a.xo")
	a.Env["FLAG"], a.Env["BAD"] = flag, bad
	link := need(shell("p/link/p", step.Link, f.count, "cat a.xo >p.linked; sleep 0.2", "p.linked"), a.ID, "a.xo", "a.xo")
	plan := &step.Plan{Steps: []*step.Step{a, link}}
	// The builder is gone while both jobs run to their ends.
	d := &detached{blind: true}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		until(t, "both have ended", func() bool {
			names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "step.exit"))
			return len(names) == 2
		})
		cancel()
	}()
	if out, err := Run(ctx, plan, f.store, d, f.options()); !errors.Is(err, context.Canceled) || len(out.Results) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	os.WriteFile(flag, nil, 0o666)
	out, err := f.run(plan)
	assert.NilError(t, err)
	text, err := os.ReadFile(out.Results[link.ID].Path("p.linked"))
	assert.Check(t, err == nil && string(text) == "good\n", "%q, %v", text, err)
}

// The producer's job has ended well and its result is refused, while the next job
// runs, or when that has ended, too.
func TestWhatRunsWithRefusedOutputs(t *testing.T) {
	for _, line := range []string{"cat a.xo >p.linked; sleep 600", "cat a.xo >p.linked"} {
		f := fix(t)
		a := shell("p/package/a", step.Package, f.count, "echo bad >a.xo", "a.xo")
		link := need(shell("p/link/p", step.Link, f.count, line, "p.linked"), a.ID, "a.xo", "a.xo")
		o := f.options()
		keys, err := (&step.Plan{Steps: []*step.Step{a, link}}).Keys(f.store.Hash)
		assert.NilError(t, err)
		wait := "p.linked"
		if !strings.Contains(line, "sleep") {
			wait = step.ExitFile
		}
		bad := errors.New("no kernel")
		o.Check = func(path string) error {
			if filepath.Base(path) != "a.xo" {
				return nil
			}
			until(t, "the other runs", func() bool {
				names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", keys[link.ID].Hash, "*", wait))
				return len(names) == 1
			})
			time.Sleep(200 * time.Millisecond) // so that its end is known
			return bad
		}
		out, err := Run(t.Context(), &step.Plan{Steps: []*step.Step{a, link}}, f.store, here(), o)
		if !errors.Is(err, bad) || !errors.Is(err, store.ErrOutput) || !slices.Equal(out.Skipped, []string{link.ID}) ||
			len(out.Results) > 0 {
			t.Errorf("%s: %+v, %v", line, out, err)
		}
		_, err = f.store.Get(keys[link.ID].Hash)
		assert.Check(t, errors.Is(err, store.ErrMissing), "%s: what was made of it is in the store: %v", line, err)
	}
}
