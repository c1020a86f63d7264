//go:build linux

package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

func TestFailuresLeaveTheRest(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	plan.Step("p/package/b").Commands = append(plan.Step("p/package/b").Commands,
		step.Command{Shell: "echo 'ERROR: [V++ 1-2] no licence' >&2; exit 5"})
	out, err := f.run(plan)
	var failure *Failure
	if !errors.Is(err, step.ErrFailed) || !errors.As(err, &failure) || len(out.Failures) != 1 ||
		out.Failures[0] != failure || failure.Step.ID != "p/package/b" {
		t.Fatalf("%+v, %v", out, err)
	}
	if !slices.Equal(out.Skipped, []string{"p/link/p", "p/image/p"}) || out.Results["q/image/q"] == nil ||
		out.Complete(plan, "p") || !out.Complete(plan, "q") {
		t.Errorf("%+v", out)
	}
	for _, e := range []string{"failed p/package/b", "skipped p/link/p p/package/b has failed",
		"skipped p/image/p p/package/b has failed", "finished q/image/q"} {
		assert.Check(t, f.heard(e), "no event %q in %q", e, f.said)
	}
	assert.Check(t, !f.heard("started p/link/p") && !strings.Contains(counted(t, f.count), "link/p"),
		"what cannot run has run: %s", counted(t, f.count))
	for _, word := range []string{"p/package/b", "exit status 5", failure.Log, failure.Command} {
		assert.Check(t, word != "" && strings.Contains(err.Error(), word), "%q is not in %v", word, err)
	}
	text, err := os.ReadFile(failure.Log)
	assert.Check(t, err == nil && strings.Contains(string(text), "no licence"), "%q, %v", text, err)
	// The command does the same again.
	again := exec.Command("bash", "-c", failure.Command)
	text, err = again.CombinedOutput()
	assert.Check(t, again.ProcessState.ExitCode() == 5 && strings.Contains(string(text), "no licence"),
		"%q, %v", text, err)
	// The next build runs what is missing, and leaves no directories.
	before := counted(t, f.count)
	if out, err = f.run(twoPlatforms(f.count, "0")); err != nil ||
		!slices.Equal(out.Ran, []string{"p/package/b", "p/link/p", "p/image/p"}) {
		t.Errorf("%+v, %v; before: %s", out, err, before)
	}
	right(t, out)
}

// Somebody who tries something by hand in the directory of a failed step makes no result.
func TestWorkByHandIsNoResult(t *testing.T) {
	f := fix(t)
	b := shell("p/package/b", step.Package, f.count, "test -e fixed && echo by hand >b.xo", "b.xo")
	plan := &step.Plan{Steps: []*step.Step{b}}
	out, err := f.run(plan)
	assert.Assert(t, err != nil, "it did not fail")
	dir := out.Failures[0].Dir
	for _, change := range []string{CommandsFile, step.ScriptFile} {
		text, err := os.ReadFile(filepath.Join(dir, change))
		assert.NilError(t, err)
		os.WriteFile(filepath.Join(dir, change), append(text, []byte("\n# mine\n")...), 0o666)
		os.WriteFile(filepath.Join(dir, "fixed"), nil, 0o666)
		if text, err := exec.Command("bash", filepath.Join(dir, "step.sh")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if out, err = f.run(plan); err == nil || out.Results["p/package/b"] != nil {
			t.Fatalf("after a change of %s: %+v, %v", change, out, err)
		}
		dir = out.Failures[0].Dir
	}
	// Without a change it is what the step does.
	os.WriteFile(filepath.Join(dir, "fixed"), nil, 0o666)
	text, err := exec.Command("bash", filepath.Join(dir, "step.sh")).CombinedOutput()
	assert.Assert(t, err == nil, "%v: %s", err, text)
	if out, err = f.run(plan); err != nil || out.Results["p/package/b"] == nil {
		t.Errorf("%+v, %v", out, err)
	}
}

// A script that is run once more, and killed, has not ended well.
func TestAScriptThatIsRunAgain(t *testing.T) {
	f := fix(t)
	s := shell("p/package/a", step.Package, f.count,
		"echo x >a.xo; test ! -e block || { echo half >a.xo; touch blocked; exec sleep 600; }", "a.xo")
	o := f.options()
	o.keep = true
	_, err := Run(t.Context(), &step.Plan{Steps: []*step.Step{s}}, f.store, here(), o)
	assert.NilError(t, err)
	dir := f.works()[0]
	if code, ended := exitOf(dir); !ended || code != 0 {
		t.Fatal(code, ended)
	}
	os.WriteFile(filepath.Join(dir, "block"), nil, 0o666)
	again := exec.Command("bash", filepath.Join(dir, step.ScriptFile))
	again.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	assert.NilError(t, again.Start())
	until(t, "it runs", func() bool { return exists(filepath.Join(dir, "blocked")) })
	syscall.Kill(-again.Process.Pid, syscall.SIGKILL)
	again.Wait()
	code, ended := exitOf(dir)
	assert.Check(t, !ended, "it has ended with %d", code)
}

func TestOutputsThatAreNotLeft(t *testing.T) {
	for line, want := range map[string]string{
		"true":                      "left no ./b.xo",
		": >b.xo":                   "left ./b.xo empty",
		"mkdir b.xo":                "left ./b.xo empty",
		"mkdir -p b.xo/c":           "b.xo is an empty directory",
		"ln -s /etc/passwd b.xo":    "outside the work directory",
		"ln -s nowhere b.xo":        "left no ./b.xo",
		"mkfifo b.xo":               "neither a file nor a directory",
		"exit 0":                    "left no ./b.xo",
		"echo x >b.xo; kill -9 $$":  "137",
		"echo x >b.xo; false; true": "exit status 1",
		"(":                         "exit status 2",
		"echo x >b.xo; trap 'exit 0' EXIT; exit 9": "",
	} {
		f := fix(t)
		b := shell("p/package/b", step.Package, f.count, line, "b.xo")
		out, err := f.run(&step.Plan{Steps: []*step.Step{b}})
		if want == "" {
			assert.Check(t, err, "%s", line)
			continue
		}
		if len(out.Failures) != 1 || out.Failures[0].Step != b || out.Results[b.ID] != nil {
			t.Errorf("%s: %+v, %v", line, out, err)
			continue
		}
		log, _ := os.ReadFile(out.Failures[0].Log)
		assert.Check(t, is.Contains(string(log)+err.Error(), want), "%s: %v, log %q", line, err, log)
	}
}

func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() != 0 || syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m") != nil {
		t.Skip("SKIPPED: a small file system needs root and mount")
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f := fix(t)
	var err error
	f.store, err = store.Open(dir)
	assert.NilError(t, err)
	plan := twoPlatforms(f.count, "0")
	// A step of q could meet the full disk, too.
	plan.Steps, plan.Results = plan.Steps[:4], plan.Results[:1]
	plan.Step("p/package/b").Commands[1].Shell = "head -c 1200000 /dev/urandom >b.xo" // no room for a copy
	out, err := f.run(plan)
	assert.Assert(t, len(out.Failures) != 0 && errors.Is(err, syscall.ENOSPC) && out.Results["p/link/p"] == nil,
		"%+v, %v", out, err)
	if out, err = f.run(plan); !errors.Is(err, syscall.ENOSPC) || len(out.Failures) == 0 {
		t.Fatalf("still full: %+v, %v", out, err)
	}
	// With room the work that was done is used.
	assert.NilError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=20m"))
	if out, err = f.run(plan); err != nil || out.Results["p/image/p"] == nil {
		t.Fatal(err)
	}
	assert.Check(t, is.Contains(counted(t, f.count), "package/b 1"), "it ran again")
	problems, err := f.store.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
}

func TestAFileThatChangesMeanwhile(t *testing.T) {
	f := fix(t)
	name := filepath.Join(t.TempDir(), "kernel.cpp")
	os.WriteFile(name, []byte("one"), 0o777)
	slow := shell("p/package/a", step.Package, f.count, "cp in/k.cpp a.xo; test -x in/k.cpp", "a.xo")
	slow.Files = []step.File{{Path: "in/k.cpp", Disk: name}}
	plan := &step.Plan{Steps: []*step.Step{slow}}
	o := f.options()
	o.OnEvent = func(e step.Event) {
		if e.Kind == step.Planned {
			os.WriteFile(name, []byte("two"), 0o777)
		}
	}
	out, err := Run(t.Context(), plan, f.store, here(), o)
	if err == nil || !strings.Contains(err.Error(), "kernel.cpp has changed since the build began") || len(f.works()) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = f.run(plan)
	assert.NilError(t, err)
	text, err := os.ReadFile(out.Results["p/package/a"].Path("a.xo"))
	assert.Check(t, err == nil && string(text) == "two", "%q, %v", text, err)
}

func TestWrongPlans(t *testing.T) {
	f := fix(t)
	for name, c := range map[string]struct {
		change func(p *step.Plan)
		want   string
	}{
		"twice": {func(p *step.Plan) { p.Steps[1].ID = p.Steps[0].ID }, "two steps p/package/a"},
		"order": {func(p *step.Plan) { p.Steps[0], p.Steps[2] = p.Steps[2], p.Steps[0] },
			"does not stand before it"},
		"file away":      {func(p *step.Plan) { p.Steps[0].Files[0].Path = "../x" }, `"../x" does not stay inside`},
		"file absolute":  {func(p *step.Plan) { p.Steps[0].Files[0].Path = "/x" }, "does not stay inside"},
		"our file":       {func(p *step.Plan) { p.Steps[0].Files[0].Path = "step.sh" }, "a name that the runner uses"},
		"output away":    {func(p *step.Plan) { p.Steps[0].Outputs[0] = "a/../../b" }, "does not stay inside"},
		"no output":      {func(p *step.Plan) { p.Steps[3].Outputs = nil }, "it has no outputs"},
		"need away":      {func(p *step.Plan) { p.Steps[2].Needs[0].Path = "../x" }, "does not stay inside"},
		"relative file":  {func(p *step.Plan) { p.Steps[0].Files[0].Disk = "x" }, "not absolute"},
		"missing file":   {func(p *step.Plan) { p.Steps[0].Files[0].Disk = "/nowhere/x" }, "/nowhere/x"},
		"foreign result": {func(p *step.Plan) { p.Results[0].Step = "x" }, "of a step x, which there is not"},
	} {
		plan := twoPlatforms(f.count, "0")
		c.change(plan)
		out, err := f.run(plan)
		assert.Check(t, out == nil && err != nil && strings.Contains(err.Error(), c.want), "%s: %v", name, err)
		_, err = Why(plan, f.store)
		assert.Check(t, err != nil, "%s: why says nothing", name)
	}
	_, err := os.Stat(f.count)
	assert.Check(t, err != nil, "something ran")
}
