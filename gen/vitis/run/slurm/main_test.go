package slurm_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/verify/vitis/slurmtest"
)

// cluster has two nodes with four processors each.
var cluster = slurmtest.Share(slurmtest.Options{CPUs: 4, Memory: 4000})

func TestMain(m *testing.M) {
	// The tests wait for Slurm, not for processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(cluster.Main(m))
}

// patience is more than anything here takes.
const patience = 2 * time.Minute

func executor(t *testing.T, change func(*slurm.Options)) (*slurm.Executor, *slurmtest.Cluster) {
	t.Helper()
	c := cluster.Get(t)
	o := slurm.Options{Poll: 250 * time.Millisecond, Env: c.Env()}
	if change != nil {
		change(&o)
	}
	e, err := slurm.New(t.Context(), o)
	assert.NilError(t, err)
	return e, c
}

// waiting is bash that waits for a file, and not for ever. A look takes no process: it reads a pipe that stays empty.
func waiting(file string) string {
	return "exec 9<> <(:); for ((i = 0; i < 3000; i++)); do [ -e " + file + " ] && break; read -rt 0.05 -u 9; done"
}

var untilGo = waiting("go")

// watched is a job with what it has told so far.
type watched struct {
	step.Job
	mu                    sync.Mutex
	lines, where, waiting []string
}

func job(t *testing.T, c *slurmtest.Cluster, name, script string, r step.Resources) *watched {
	t.Helper()
	dir, err := os.MkdirTemp(c.Dir, "w")
	assert.NilError(t, err)
	return jobIn(t, dir, name, script, r)
}

func jobIn(t *testing.T, dir, name, script string, r step.Resources) *watched {
	t.Helper()
	assert.NilError(t, os.MkdirAll(dir, 0o755))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, step.ScriptFile), []byte("#!/bin/bash\n"+script+"\n"), 0o644))
	w := &watched{}
	add := func(list *[]string) func(string) {
		return func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			*list = append(*list, text)
		}
	}
	w.Job = step.Job{
		Step: &step.Step{ID: name, Title: name, Resources: r}, Key: "key of " + name, Dir: dir,
		Lines: add(&w.lines), Started: add(&w.where), Waiting: add(&w.waiting),
	}
	return w
}

func (w *watched) told(list *[]string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), *list...)
}

func submit(t *testing.T, e *slurm.Executor, w *watched, after ...step.Running) step.Running {
	t.Helper()
	r, err := e.Submit(t.Context(), w.Job, after)
	assert.NilError(t, err)
	return r
}

func wait(ctx context.Context, r step.Running) <-chan error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- r.Wait(ctx)
	}()
	return done
}

func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
}

func queued(t *testing.T, c *slurmtest.Cluster, dir string) []string {
	t.Helper()
	out, err := c.Command(t.Context(), "squeue", "--noheader", "--format=%A|%Z").Output()
	assert.NilError(t, err)
	var ids []string
	for line := range strings.Lines(string(out)) {
		id, where, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		if where == dir {
			ids = append(ids, id)
		}
	}
	return ids
}

func admin(t *testing.T, c *slurmtest.Cluster, args ...string) {
	t.Helper()
	out, err := c.Command(t.Context(), args[0], args[1:]...).CombinedOutput()
	assert.Assert(t, err == nil, "%q: %v: %s", args, err, out)
}

// mark is a number of a sleep that no other process has.
func mark() string { return fmt.Sprintf("%d.%09d", 1000+os.Getpid()%1000, time.Now().Nanosecond()) }

func alive(t *testing.T, seconds string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	assert.NilError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err == nil && string(text) == "sleep\x00"+seconds+"\x00" {
			return true
		}
	}
	return false
}

func wants(t *testing.T, err error, is error, texts ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("the error is %v, and should match %q", err, is)
		return
	}
	for _, text := range texts {
		assert.Check(t, strings.Contains(err.Error(), text), "the error is %q, without %q", err, text)
	}
}

func uid() string { return strconv.Itoa(os.Getuid()) }

func leaveRecord(t *testing.T, w *watched, name, text string) {
	t.Helper()
	assert.NilError(t, os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644))
}

func rewriteRecord(t *testing.T, w *watched, change func(string) string) {
	t.Helper()
	for _, f := range glob(t, w, "slurm-*.json") {
		text, err := os.ReadFile(f)
		assert.NilError(t, err)
		leaveRecord(t, w, filepath.Base(f), change(string(text)))
	}
}

func glob(t *testing.T, w *watched, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Dir, pattern))
	assert.Assert(t, err == nil && len(files) != 0, "no %s in %s: %v", pattern, w.Dir, err)
	return files
}
