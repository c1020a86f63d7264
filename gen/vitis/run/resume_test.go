//go:build linux

package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

func TestTwoBuildersAtOnce(t *testing.T) {
	f := fix(t)
	var all []*exec.Cmd
	for range 4 {
		all = append(all, start(t, "local", f.store.Dir(), f.count, "0.05"))
	}
	out, err := f.run(twoPlatforms(f.count, "0.05"))
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got := counted(t, f.count); got != once {
		t.Errorf("there ran %s", got)
	}
	if left := f.works(); len(left) > 0 {
		t.Errorf("left %q", left)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
}

// However often, and whenever, builders are killed: the next ends in the same
// result, and what was finished is not made again.
func TestKilledAtAnyMoment(t *testing.T) {
	for _, role := range []string{"local", "detached"} {
		t.Run(role, func(t *testing.T) {
			f := fix(t)
			seeded := rand.New(rand.NewSource(11))
			kills := 12
			for range kills {
				cmd := start(t, role, f.store.Dir(), f.count, "0.05")
				time.Sleep(time.Duration(seeded.Intn(500)) * time.Millisecond)
				cmd.Process.Kill()
				cmd.Wait()
			}
			last := start(t, role, f.store.Dir(), f.count, "0.05")
			if err := last.Wait(); err != nil {
				t.Fatal(err)
			}
			ran := counted(t, f.count)
			t.Logf("after %d kills: %s", kills, ran)
			if role == "detached" && ran != once {
				t.Errorf("jobs that went on were made again: %s", ran)
			}
			out, err := f.run(twoPlatforms(f.count, "0.05"))
			if err != nil || len(out.Ran) > 0 {
				t.Errorf("%+v, %v", out, err)
			}
			right(t, out)
			if problems, err := f.store.Verify(t.Context(), nil); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
			if left := f.works(); len(left) > 0 {
				t.Errorf("left %q", left)
			}
			if decisions, err := Why(twoPlatforms(f.count, "0.05"), f.store); err != nil || slices.ContainsFunc(decisions, Decision.Runs) {
				t.Errorf("%v, %v", decisions, err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
		return p, keys[s.ID].Hash
	}
	for name, c := range map[string]struct {
		change func(dir string)
		runs   bool
	}{
		"finished":        {func(dir string) { os.WriteFile(filepath.Join(dir, "a.xo"), []byte("right\n"), 0o666) }, false},
		"half":            {func(dir string) { os.Remove(filepath.Join(dir, "step.exit")); touch(dir, "stray") }, true},
		"failed":          {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), []byte("1\n"), 0o666) }, true},
		"no status":       {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), nil, 0o666) }, true},
		"strange status":  {func(dir string) { os.WriteFile(filepath.Join(dir, "step.exit"), []byte("0x\n"), 0o666) }, true},
		"no output":       {func(dir string) { os.Remove(filepath.Join(dir, "a.xo")) }, true},
		"empty output":    {func(dir string) { os.WriteFile(filepath.Join(dir, "a.xo"), nil, 0o666) }, true},
		"no owner":        {func(dir string) { os.Remove(filepath.Join(dir, ownerFile)); touch(dir, "a.xo") }, true},
		"another script":  {func(dir string) { touch(dir, "a.xo"); os.WriteFile(filepath.Join(dir, CommandsFile), nil, 0o666) }, true},
		"only begun":      {func(dir string) { os.RemoveAll(dir); os.Mkdir(dir, 0o777) }, true},
		"not a directory": {func(dir string) { os.RemoveAll(dir); os.WriteFile(dir, nil, 0o666) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := fix(t)
			p, key := plan(f)
			o := f.options()
			o.Keep = true
			if _, err := Run(t.Context(), p, f.store, here(), o); err != nil {
				t.Fatal(err)
			}
			os.RemoveAll(f.store.ResultDir(key))
			c.change(f.store.Works(key)[0])
			os.Remove(f.count)
			out, err := f.run(p)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(out.Results["p/package/a"].Path("a.xo")); err != nil || string(text) != "right\n" {
				t.Errorf("%q, %v", text, err)
			}
			if ran := counted(t, f.count) != ""; ran != c.runs {
				t.Errorf("ran: %v", ran)
			}
			if left := f.works(); len(left) > 0 && name != "not a directory" {
				t.Errorf("left %q", left)
			}
		})
	}
}

func touch(dir, name string) { os.WriteFile(filepath.Join(dir, name), []byte("wrong\n"), 0o666) }

// Jobs of a cluster go on when their builder is gone, and take from each other what
// they need; the next builder follows those that are there.
func TestJobsThatOutliveTheirBuilder(t *testing.T) {
	f := fix(t)
	cmd := start(t, "detached", f.store.Dir(), f.count, "0.3")
	until(t, "all are submitted", func() bool {
		names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "job.pid"))
		return len(names) == 7
	})
	cmd.Process.Kill()
	cmd.Wait()
	d := &detached{}
	out, err := Run(t.Context(), twoPlatforms(f.count, "0.3"), f.store, d, f.options())
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
	if got := counted(t, f.count); got != once || d.new != 0 {
		t.Errorf("%d jobs were started anew; there ran %s", d.new, got)
	}
	if r := out.Results["p/link/p"]; r.Seconds <= 0 && r.Seconds > 60 {
		t.Errorf("it took %v s", r.Seconds)
	}
}

func TestJobsThatEndWithoutABuilder(t *testing.T) {
	f := fix(t)
	cmd := start(t, "detached", f.store.Dir(), f.count, "0.1")
	until(t, "all are submitted", func() bool {
		names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "job.pid"))
		return len(names) == 7
	})
	cmd.Process.Kill()
	cmd.Wait()
	until(t, "all have ended", func() bool {
		names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "step.exit"))
		return len(names) == 7
	})
	out, err := f.run(twoPlatforms(f.count, "0.1")) // on this host
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
	if got := counted(t, f.count); got != once {
		t.Errorf("there ran %s", got)
	}
}

// A job of an earlier build waits for one that is no more: both are made anew.
func TestJobsWhoseProducersAreGone(t *testing.T) {
	f := fix(t)
	cmd := start(t, "detached", f.store.Dir(), f.count, "0.5")
	names := func() []string {
		names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", "job.pid"))
		return names
	}
	until(t, "all are submitted", func() bool { return len(names()) == 7 })
	cmd.Process.Kill()
	cmd.Wait()
	for _, name := range names() {
		text, _ := os.ReadFile(name)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		owner := readOwner(filepath.Dir(name))
		if owner != nil && strings.HasSuffix(owner.Step, "package/b") {
			syscall.Kill(-pid, syscall.SIGKILL) // a node is lost
			until(t, "it is gone", func() bool { return !runs(pid) })
		}
	}
	d := &detached{}
	out, err := Run(t.Context(), twoPlatforms(f.count, "0.5"), f.store, d, f.options())
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
	if d.new != 6 { // all but the common kernel
		t.Errorf("%d jobs were started anew", d.new)
	}
	for _, name := range names() {
		t.Errorf("%s is left", name)
	}
}

// A producer's result is damaged or gone between its publication and the job that
// needs it: its work directory is still there.
func TestResultsThatGoMeanwhile(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0.1")
	keys, err := plan.Keys(f.store.Hash)
	if err != nil {
		t.Fatal(err)
	}
	o := f.options()
	hear := o.OnEvent
	o.OnEvent = func(e step.Event) {
		hear(e)
		if e.Kind == step.Finished && e.Step.Kind == step.Package {
			os.RemoveAll(f.store.ResultDir(keys[e.Step.ID].Hash))
		}
	}
	out, err := Run(t.Context(), plan, f.store, here(), o)
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
}

// What a step has made of something that was refused afterwards is no result.
func TestWhatWasMadeOfRefusedOutputs(t *testing.T) {
	f := fix(t)
	flag := filepath.Join(t.TempDir(), "flag")
	bad := filepath.Join(t.TempDir(), "bad")
	os.WriteFile(bad, []byte("bad\n"), 0o666)
	a := shell("p/package/a", step.Package, f.count, "if test -e \"$FLAG\"; then echo good >a.xo; else ln -s \"$BAD\" a.xo; fi", "a.xo")
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
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out.Results[link.ID].Path("p.linked")); err != nil || string(text) != "good\n" {
		t.Errorf("%q, %v", text, err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
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
		if !errors.Is(err, bad) || !errors.Is(err, store.ErrOutput) || !slices.Equal(out.Skipped, []string{link.ID}) || len(out.Results) > 0 {
			t.Errorf("%s: %+v, %v", line, out, err)
		}
		if _, err := f.store.Get(keys[link.ID].Hash); !errors.Is(err, store.ErrMissing) {
			t.Errorf("%s: what was made of it is in the store: %v", line, err)
		}
	}
}

// A cluster that does not answer any more: the jobs may go on.
func TestJobsOutOfSight(t *testing.T) {
	f := fix(t)
	d := &detached{lost: true}
	out, err := Run(t.Context(), twoPlatforms(f.count, "0.3"), f.store, d, f.options())
	if !errors.Is(err, step.ErrLost) || len(out.Results) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	d = &detached{}
	if out, err = Run(t.Context(), twoPlatforms(f.count, "0.3"), f.store, d, f.options()); err != nil {
		t.Fatal(err)
	}
	right(t, out)
	if got := counted(t, f.count); got != once || d.new > 0 {
		t.Errorf("%d jobs were started anew; there ran %s", d.new, got)
	}
}

// The executor fails in ways of its own.
func TestExecutorsThatRefuse(t *testing.T) {
	f := fix(t)
	refuse := errors.New("no such partition")
	plan := twoPlatforms(f.count, "0")
	out, err := Run(t.Context(), plan, f.store, &detached{refuse: refuse}, f.options())
	if !errors.Is(err, refuse) || len(out.Failures) != 3 || len(out.Skipped) != 5 || len(f.works()) > 0 {
		t.Errorf("%d failures, skipped %q, left %q, %v", len(out.Failures), out.Skipped, f.works(), err)
	}
}

func TestTheWholeGraphIsSubmittedAtOnce(t *testing.T) {
	f := fix(t)
	d := &detached{hold: make(chan struct{})}
	go func() {
		until(t, "all seven are submitted before one ends", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.new == 7 })
		close(d.hold)
	}()
	out, err := Run(t.Context(), twoPlatforms(f.count, "0"), f.store, d, f.options())
	if err != nil {
		t.Fatal(err)
	}
	right(t, out)
}

func TestDeliver(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	plan.Results = append(plan.Results, step.Result{Platform: "p", Step: "p/package/a", Output: "tree", Path: "files/tree"},
		step.Result{Platform: "p", Step: "p/package/a", Output: "no/report.rpt", Path: "report.rpt"},
		step.Result{Platform: "p", Step: "p/package/a", Output: "tree/x/y", Path: "y.txt"})
	dir := filepath.Join(t.TempDir(), "out", "p")
	if _, err := Deliver(plan, f.store, "p", dir); !errors.Is(err, store.ErrMissing) || exists(dir) {
		t.Errorf("before the build: %v", err)
	}
	out, err := f.run(plan)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"files/tree/x/y", "p.xclbin", "y.txt"}
	deliver := func() {
		t.Helper()
		paths, err := Deliver(plan, f.store, "p", dir)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(paths)
		for i, p := range all {
			if i >= len(paths) || paths[i] != filepath.Join(dir, p) {
				t.Fatalf("delivered %q", paths)
			}
		}
		var found []string
		filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				rel, _ := filepath.Rel(dir, p)
				found = append(found, rel)
			}
			return nil
		})
		if !slices.Equal(found, all) {
			t.Errorf("there are %q", found)
		}
		for p, text := range map[string]string{"p.xclbin": want["p/image/p"], "y.txt": "deep\n", "files/tree/x/y": "deep\n"} {
			if got, err := os.ReadFile(filepath.Join(dir, p)); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v", p, got, err)
			}
		}
	}
	deliver()
	info, _ := os.Stat(filepath.Join(dir, "p.xclbin"))
	if _, err := out.Deliver("p", dir); err != nil {
		t.Error(err)
	}
	deliver()
	if now, _ := os.Stat(filepath.Join(dir, "p.xclbin")); !os.SameFile(info, now) {
		t.Error("what is there was copied again")
	}
	if info.Mode().Perm()&0o200 == 0 {
		t.Errorf("users cannot remove or write it: %v", info.Mode())
	}
	// Users' own files with those names are replaced, others stay.
	os.WriteFile(filepath.Join(dir, "p.xclbin"), []byte(strings.Replace(want["p/image/p"], "kernel", "kernal", 1)), 0o666)
	os.Remove(filepath.Join(dir, "y.txt"))
	os.Symlink("/etc/passwd", filepath.Join(dir, "y.txt"))
	os.WriteFile(filepath.Join(dir, ".p.xclbin.cclforge-tmp"), []byte("left by a crash"), 0o666)
	deliver()
	// Something that cannot be replaced: nothing is changed.
	os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "y.txt", "mine"), 0o777)
	if _, err := Deliver(plan, f.store, "p", dir); err == nil || !strings.Contains(err.Error(), "y.txt is a directory") {
		t.Errorf("onto a directory: %v", err)
	}
	if exists(filepath.Join(dir, "p.xclbin")) {
		t.Error("a part was delivered")
	}
	// A result that is damaged: nothing is changed.
	keys, _ := plan.Keys(f.store.Hash)
	r, err := f.store.Get(keys["p/package/a"].Hash)
	if err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(dir)
	os.MkdirAll(dir, 0o777)
	os.Remove(r.Path("tree/x/y"))
	if _, err := Deliver(plan, f.store, "p", dir); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestDeliverToAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() != 0 || syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		t.Skip("SKIPPED: a small file system needs root and mount")
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f := fix(t)
	s := shell("p/link/p", step.Link, f.count, "echo new >small; head -c 200000 /dev/zero >large", "small", "large")
	plan := &step.Plan{Steps: []*step.Step{s}, Results: []step.Result{
		{Platform: "p", Step: s.ID, Output: "small", Path: "small"}, {Platform: "p", Step: s.ID, Output: "large", Path: "large"}}}
	if _, err := f.run(plan); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "small"), []byte("old"), 0o666)
	if _, err := Deliver(plan, f.store, "p", dir); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if text, _ := os.ReadFile(filepath.Join(dir, "small")); string(text) != "old" || len(names) != 1 || len(hidden) != 0 {
		t.Errorf("%q, %q, %q", text, names, hidden)
	}
}

// A store of somebody else, all of whose results are there.
func TestAReadOnlyStore(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to mount a directory that cannot be written")
	}
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	if _, err := f.run(plan); err != nil {
		t.Fatal(err)
	}
	dir := f.store.Dir()
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("SKIPPED: cannot mount:", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("SKIPPED: cannot mount:", err)
	}
	out, err := f.run(plan)
	if err != nil || len(out.Present) != 8 {
		t.Fatalf("%+v, %v", out, err)
	}
	right(t, out)
	if _, err := Deliver(plan, f.store, "p", t.TempDir()); err != nil {
		t.Error(err)
	}
	plan.Step("p/image/p").Files[0].Content = []byte("firmware 2\n")
	if out, err = f.run(plan); !errors.Is(err, syscall.EROFS) || len(out.Failures) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// detached runs jobs as a cluster does: they go on without the process that has
// submitted them.
type detached struct {
	mu     sync.Mutex
	new    int // jobs that it has started
	refuse error
	hold   chan struct{} // if not nil, jobs start when it is closed
	blind  bool          // it never sees the end of a job
	lost   bool          // it never hears of a job again
}

type detachedJob struct {
	d       *detached
	dir     string
	started func(string)
}

func (d *detached) Name() string { return "detached" }

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

func (d *detached) Alive(_ context.Context, dir string) (bool, error) { return runs(d.pid(dir)), nil }

func (d *detached) Cancel(_ context.Context, dir string) error {
	if pid := d.pid(dir); runs(pid) {
		syscall.Kill(-pid, syscall.SIGKILL)
		for runs(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

func (d *detached) Submit(_ context.Context, j step.Job, after []step.Running) (step.Running, error) {
	if d.refuse != nil {
		return nil, d.refuse
	}
	if alive, _ := d.Alive(context.Background(), j.Dir); alive {
		return &detachedJob{d, j.Dir, j.Started}, nil
	}
	script := "echo $$ >job.new; mv job.new job.pid\n"
	if d.hold != nil {
		script += fmt.Sprintf("while ! test -e %s/go; do sleep 0.01; done\n", j.Dir)
		go func() { <-d.hold; os.WriteFile(filepath.Join(j.Dir, "go"), nil, 0o666) }()
	}
	for _, a := range after {
		dir := a.(*detachedJob).dir
		script += fmt.Sprintf("while ! test -e %[1]s/step.exit && test -e %[1]s; do sleep 0.01; done\n"+
			"if test -e %[1]s && test $(cat %[1]s/step.exit) != 0; then touch job.notrun; exit; fi\n", dir)
	}
	cmd := exec.Command("bash", "-c", script+"exec bash step.sh >step.log 2>&1")
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
	d.mu.Unlock()
	return &detachedJob{d, j.Dir, j.Started}, nil
}

func (j *detachedJob) Wait(ctx context.Context) error {
	d := j.d
	j.started("a node")
	if d.lost {
		return step.ErrLost
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
