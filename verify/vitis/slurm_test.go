package vitis

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/vitis/slurmtest"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// onCluster is the platform that is built on a cluster: it has kernels of its own
// and of third parties.
const onCluster = "u55c_udp"

// Builds on a real Slurm cluster, with two nodes that are large on paper.
func TestOnSlurm(t *testing.T) {
	t.Parallel()
	c, err := slurmtest.Start(t.Context(), slurmtest.Options{CPUs: 16, Memory: 200 << 10})
	if errors.Is(err, slurmtest.ErrMissing) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.NilError(t, c.Stop())
	})
	reference := slurmBench(t, c)
	reference.build(onCluster, "--on=local")
	t.Run("builds", func(t *testing.T) {
		t.Run("killed", func(t *testing.T) { t.Parallel(); killed(t, c, reference) })
		t.Run("interrupted", func(t *testing.T) { nightly.Only(t); t.Parallel(); interruptedOnSlurm(t, c, reference) })
	})
	jobs, err := c.Queue(t.Context())
	assert.Check(t, err == nil && len(jobs) == 0, "in the queue are %q: %v", jobs, err)
}

func slurmBench(t *testing.T, c *slurmtest.Cluster) *bench {
	b := newBench(t, standin.Options{Pace: 10 * time.Millisecond})
	b.env = append(b.env, "SLURM_CONF="+c.Conf)
	return b
}

// killed is a build that gets SIGKILL while the cluster works for it, twice. The
// third follows the jobs, and no tool is run twice. The fourth has nothing to do.
func killed(t *testing.T, c *slurmtest.Cluster, reference *bench) {
	b := slurmBench(t, c)
	assert.NilError(t, b.Fail(standin.Fault{Tool: "v++", Contains: "--link", Kind: standin.Slow,
		For: 4 * time.Second, Times: 1}))
	for _, until := range []func() bool{
		func() bool { return len(calls(b)) > 0 && len(jobsOf(t, c, b)) > 2 },
		func() bool { return slices.ContainsFunc(calls(b), linking) },
	} {
		cmd, out, errs := b.command(t.Context(), "build", onCluster, "--on=slurm")
		assert.NilError(t, cmd.Start())
		wait(t, "the cluster works", until)
		err := cmd.Process.Kill()
		assert.Check(t, err == nil, "it has ended already: %v\n%s%s", err, out, errs)
		_ = cmd.Wait()
	}
	if names := jobsOf(t, c, b); !slices.ContainsFunc(names,
		func(n string) bool { return strings.Contains(n, "/link/") }) {
		t.Errorf("the kill has ended the job that links: %q", names)
	}
	o := b.build(onCluster, "--on=slurm", "--json")
	assert.Check(t, strings.Contains(o.out, `"n1"`) || strings.Contains(o.out, `"n2"`), "no node is named: %v", o)
	same(t, b, reference)
	seen := map[string]bool{}
	for _, call := range b.worked() {
		// git and make are called by one script several times.
		key := call.Tool + " " + call.Dir + " " + strings.Join(call.Args, " ")
		if seen[key] && call.Tool != "git" && call.Tool != "make" {
			t.Errorf("called twice: %s", key)
		}
		seen[key] = true
		assert.Check(t, !linking(call) || call.Exit == 0, "the link has ended with %d: %q", call.Exit, call.Notes)
	}
	assert.Check(t, len(seen) != 0, "no tool was called")
	b.build(onCluster, "--on=slurm")
	if calls := b.worked(); len(calls) > 0 {
		t.Errorf("the build after it has called %s %q", calls[0].Tool, calls[0].Args)
	}
	names := jobsOf(t, c, b)
	assert.Check(t, len(names) == 0, "in the queue are %q", names)
}

// interruptedOnSlurm is a build that gets SIGINT while a tool hangs that is deaf to
// signals: nothing is left in the queue, and no process.
func interruptedOnSlurm(t *testing.T, c *slurmtest.Cluster, reference *bench) {
	b := slurmBench(t, c)
	assert.NilError(t, b.Fail(standin.Fault{Tool: "v++", Contains: "--link", Kind: standin.Hang}))
	cmd, out, errs := b.command(t.Context(), "build", onCluster, "--on=slurm")
	assert.NilError(t, cmd.Start())
	wait(t, "the link hangs", func() bool { return slices.ContainsFunc(calls(b), linking) })
	assert.NilError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	assert.Check(t, code == 130, "exit status %d\n%s%s", code, out, errs)
	names := jobsOf(t, c, b)
	assert.Check(t, len(names) == 0, "in the queue are %q", names)
	for _, call := range calls(b) {
		if (linking(call) || call.Tool == "daemon") && syscall.Kill(call.PID, 0) == nil {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", call.PID))
			if len(line) > 0 { // not yet reaped by init
				t.Errorf("%q is left", line)
			}
		}
	}
	assert.NilError(t, b.Fail())
	b.worked()
	b.build(onCluster, "--on=slurm")
	same(t, b, reference)
	for _, call := range b.worked() {
		assert.Check(t, call.Tool != "vivado" && call.Tool != "git",
			"the second build has repeated %s %q in %s", call.Tool, call.Args, call.Dir)
	}
}

// same compares the .xclbin with that of a build on this host.
func same(t *testing.T, b, reference *bench) {
	t.Helper()
	var texts [2][]byte
	for i, of := range []*bench{b, reference} {
		var err error
		texts[i], err = os.ReadFile(filepath.Join(of.dir, "out", "build", onCluster, onCluster+".xclbin"))
		assert.Check(t, err)
	}
	assert.Check(t, bytes.Equal(texts[0], texts[1]),
		"the .xclbin differs from that of a local build: %d and %d bytes", len(texts[0]), len(texts[1]))
}

func linking(c standin.Call) bool { return c.Tool == "v++" && slices.Contains(c.Args, "--link") }

// calls are the calls so far; half a line at the end is no error here.
func calls(b *bench) []standin.Call {
	all, _ := b.Calls()
	return all
}

func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		assert.Assert(t, time.Now().Before(end), "still not: %s", what)
	}
}

// jobsOf are the names of a bench's jobs that have not ended.
func jobsOf(t *testing.T, c *slurmtest.Cluster, b *bench) []string {
	t.Helper()
	out, err := c.Command(t.Context(), "squeue", "--noheader", "--format=%j|%Z").Output()
	assert.NilError(t, err)
	var names []string
	for line := range strings.Lines(string(out)) {
		if name, dir, _ := strings.Cut(line, "|"); strings.HasPrefix(dir, b.cache) {
			names = append(names, name)
		}
	}
	return names
}
