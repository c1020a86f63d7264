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
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// roleVariable makes this program, started again, another builder: of the plan of
// these tests, in the store that is its argument.
const roleVariable = "CCLFORGE_RUN_TEST"

func TestMain(m *testing.M) {
	Supervise()
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(builder(role))
	}
	if dir := os.Getenv(localRole); dir != "" {
		localBuilder(dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func builder(role string) int {
	st, err := store.Open(os.Args[1])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var exec step.Executor = NewLocal(LocalOptions{Jobs: 3, CPUs: 3, Grace: 200 * time.Millisecond})
	if role == "detached" {
		exec = &detached{}
	}
	out, err := Run(context.Background(), twoPlatforms(os.Args[2], os.Args[3]), st, exec, Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(out.Ran)
	return 0
}

func start(t *testing.T, role, store, count, pause string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], store, count, pause)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	assert.NilError(t, cmd.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("another builder said: %s", out.String())
		}
	})
	return cmd
}

// shell is a step of one line of bash. It counts itself in the file $COUNT.
func shell(id string, kind step.Kind, count, line string, outputs ...string) *step.Step {
	_, name, _ := strings.Cut(id, "/")
	return &step.Step{ID: id, Kind: kind, Title: strings.ReplaceAll(name, "/", " "), Outputs: outputs,
		Commands: []step.Command{{Shell: "echo " + name + " >>\"$COUNT\""}, {Shell: line}}, Env: map[string]string{
			"COUNT": count}}
}

func with(s *step.Step, path, content string) *step.Step {
	s.Files = append(s.Files, step.File{Path: path, Content: []byte(content)})
	return s
}

func need(s *step.Step, id, output, path string) *step.Step {
	s.Needs = append(s.Needs, step.Need{Step: id, Output: output, Path: path})
	return s
}

// twoPlatforms is a plan of two platforms that have the kernel a in common. Each
// step takes pause seconds, "0" for none, before and after a part in which it is half done.
func twoPlatforms(count, pause string) *step.Plan {
	slow := func(line string) string {
		if pause == "0" {
			return line
		}
		return fmt.Sprintf("sleep %s; echo half >half; %s; sleep %s", pause, line, pause)
	}
	plan := &step.Plan{}
	for _, p := range []string{"p", "q"} {
		a := with(shell(p+"/package/a", step.Package, count,
			slow("cp in/a.txt a.xo; mkdir -p tree/x; echo deep >tree/x/y"), "a.xo", "tree"),
			"in/a.txt", "kernel a\n")
		b := with(shell(p+"/package/b", step.Package, count, slow("cp in/b.txt b.xo"), "b.xo"), "in/b.txt",
			"kernel b of "+p+"\n")
		link := need(need(need(shell(p+"/link/"+p, step.Link, count, slow("cat xo/a.xo xo/b.xo t/x/y >"+p+".linked"),
			p+".linked"), a.ID, "a.xo", "xo/a.xo"), a.ID, "tree", "t"), b.ID, "b.xo", "xo/b.xo")
		image := with(need(shell(p+"/image/"+p, step.Image, count, slow("cat link/in fw.mem >"+p+".xclbin"), p+".xclbin"),
			link.ID, p+".linked", "link/in"), "fw.mem", "firmware 1\n")
		plan.Steps = append(plan.Steps, a, b, link, image)
		plan.Results = append(plan.Results, step.Result{Platform: p, Step: image.ID, Output: p + ".xclbin",
			Path: p + ".xclbin"})
	}
	return plan
}

var want = map[string]string{
	"p/image/p": "kernel a\nkernel b of p\ndeep\nfirmware 1\n",
	"q/image/q": "kernel a\nkernel b of q\ndeep\nfirmware 1\n",
}

func right(t *testing.T, out *Outcome) {
	t.Helper()
	assert.Assert(t, out != nil, "no outcome")
	for id, text := range want {
		r := out.Results[id]
		if r == nil {
			t.Errorf("%s has no result", id)
			continue
		}
		got, err := os.ReadFile(r.Path(r.Outputs[0]))
		assert.Check(t, err == nil && string(got) == text, "%s: %q, %v", id, got, err)
	}
}

// counted is how often each step has run, sorted: "link p 2".
func counted(t *testing.T, count string) string {
	t.Helper()
	text, err := os.ReadFile(count)
	assert.Assert(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	n := map[string]int{}
	for line := range strings.Lines(string(text)) {
		n[strings.TrimSpace(line)]++
	}
	var list []string
	for name, k := range n {
		list = append(list, fmt.Sprintf("%s %d", name, k))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// once is what counted says when each step of twoPlatforms has run once: a for
// both platforms, b for each.
const once = "image/p 1, image/q 1, link/p 1, link/q 1, package/a 1, package/b 2"

type fixture struct {
	*testing.T
	store *store.Store
	count string
	mu    sync.Mutex
	said  []string // events
	whole []step.Event
}

func fix(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, "store"))
	assert.NilError(t, err)
	return &fixture{T: t, store: st, count: filepath.Join(dir, "count")}
}

// abandon kills a builder that has submitted jobs which go on without it, and gives
// the files with what they are known by.
func (f *fixture) abandon(pause string) []string {
	f.Helper()
	cmd := start(f.T, "detached", f.store.Dir(), f.count, pause)
	until(f.T, "all are submitted", func() bool { return len(f.inWork("job.pid")) == 7 })
	cmd.Process.Kill()
	cmd.Wait()
	return f.inWork("job.pid")
}

func (f *fixture) inWork(name string) []string {
	names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*", name))
	return names
}

func (f *fixture) options() Options {
	return Options{OnEvent: func(e step.Event) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.whole = append(f.whole, e)
		f.said = append(f.said, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.Step.ID, e.Detail)))
	}}
}

// heard reports whether an event has come; with clears what was heard.
func (f *fixture) heard(event string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.said, event)
}

func here() *Local {
	return NewLocal(LocalOptions{Jobs: 3, CPUs: 3, Grace: 300 * time.Millisecond})
}

func (f *fixture) run(plan *step.Plan) (*Outcome, error) {
	f.Helper()
	f.said, f.whole = nil, nil
	return Run(f.Context(), plan, f.store, here(), f.options())
}

func (f *fixture) works() []string {
	names, _ := filepath.Glob(filepath.Join(f.store.Dir(), "work", "*", "*"))
	return names
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for begin := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("no: %s", what)
		}
	}
}
