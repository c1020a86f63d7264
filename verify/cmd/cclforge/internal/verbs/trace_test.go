package verbs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// trace runs the verb.
func trace(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, remarks strings.Builder
	root := command.New(traceVerb())
	root.SetOut(&out)
	root.SetErr(&remarks)
	code = command.End(command.Execute(t.Context(), root, append([]string{"trace"}, args...)...), false, &remarks)
	return code, out.String(), remarks.String()
}

// TestTraceWritesWhatItSays: of ranks in this process there are all files, each whole.
func TestTraceWritesWhatItSays(t *testing.T) {
	t.Run("emulated", func(t *testing.T) { tracesAll(t, "u55c_udp", "emulated", "message 1 KiB") })
	t.Run("Verilated", func(t *testing.T) {
		if !nightly.Enabled() {
			t.Skip("runs in go tool mage nightly")
		}
		tracesAll(t, "verilated:u55c_udp", "Verilated", "message")
	})
}

func tracesAll(t *testing.T, on, what, arrow string) {
	dir := filepath.Join(t.TempDir(), "new", "trace")
	code, stdout, stderr := trace(t, on, "--op=send", "--size=1KiB", "-n=3", "--out="+dir, "--summary")
	assert.Assert(t, code == good, "%s%s", stdout, stderr)
	begins := map[string]string{
		"timeline.html": "<!DOCTYPE html>", "timeline.jsonl": `{"kind":"timeline"`, "timeline.pftrace": "\n",
		"packets.pcapng": "\n\r\r\n", "ccl.lua": "--",
	}
	found, err := os.ReadDir(dir)
	must(t, err)
	assert.Equal(t, len(found), len(begins))
	for name, begin := range begins {
		content, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		assert.Check(t, bytes.HasPrefix(content, []byte(begin)), "%s begins with %q", name, content[:min(len(content), 20)])
		assert.Check(t, strings.Contains(stdout, filepath.Join(dir, name)), "%s is not in %s", name, stdout)
	}
	html, err := os.ReadFile(filepath.Join(dir, "timeline.html"))
	must(t, err)
	for _, want := range []string{"send of 256 float32 (1 KiB) on 3 ranks of u55c_udp, " + what, arrow} {
		assert.Check(t, strings.Contains(string(html), want), "the page does not say %q", want)
	}
	assert.Check(t, strings.Contains(stdout, "on the wire"), stdout)
}

// TestTraceRefuses: what makes no sense is named, and changes no file.
func TestTraceRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "timeline.html")
	must(t, os.WriteFile(file, []byte("mine"), 0o644))
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"u55c_tcp --op=allredcue", wrong, `has no operation "allredcue"; it has allgather, allreduce`},
		{"u55c_tcp --size=none", wrong, `"none"; expected is a number of bytes up to 16 GiB, like 4, 64KiB or 1MiB`},
		{"u55c_tcp --size=1KiB:4KiB", wrong, "expected is one size"},
		{"u55c_tpc", wrong, "u55c_tpc"},
		{"moon:4", wrong, "no such world"},
		{"u55c_tcp --dtype=float8", wrong, "float8"},
		{"u55c_tcp --root=4", wrong, "the root 4 of 4 ranks"},
		{"u55c_tcp -n=-1", wrong, "not -1"},
		{"u55c_tcp --op=send -n=1", wrong, "on 1 ranks"},
		{"u55c_tcp --warmup=-1", wrong, "-1"},
		{"u55c_tcp --out=" + filepath.Join(file, "below"), failed, "make the directory for traces: mkdir " + file},
	} {
		args := strings.Fields(c.args)
		if !strings.Contains(c.args, "--out") {
			args = append(args, "--out="+dir)
		}
		code, _, stderr := trace(t, args...)
		assert.Check(t, code == c.code && strings.Contains(stderr, c.says), "%s: %d %s", c.args, code, stderr)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	content, err := os.ReadFile(file)
	assert.Check(t, err == nil && len(left) == 1 && string(content) == "mine", "%v", left)
}

// deaf is a port that receives nothing any more once it is told so.
type deaf struct {
	fabric.Port
	is *atomic.Bool
}

func (d *deaf) Receive() *fabric.Packet {
	p := d.Port.Receive()
	for ; p != nil && d.is.Load(); p = d.Port.Receive() {
		p.Release()
	}
	return p
}

// TestTraceOfAFailure: of a world whose rings alone are known, and whose operation fails as one rank
// receives nothing, the files are there, and the error is that of the call.
func TestTraceOfAFailure(t *testing.T) {
	d := designtest.Load(t, "u55c_udp", nil)
	p := driverview.Of(d)
	var is atomic.Bool
	w, err := world.New(t.Context(), d, 2, world.Options{
		Engine: emu.Options{RemoteTimeout: 50 * time.Millisecond, Patience: time.Millisecond},
		Port: func(rank int, port fabric.Port) fabric.Port {
			if rank == 0 {
				return port
			}
			return &deaf{port, &is}
		}})
	must(t, err)
	defer w.Close()
	target.Register(target.Kind{Name: "deaf", Open: func(context.Context, *target.Request) (*target.Part, error) {
		return &target.Part{Platform: &p, What: "deaf", Devices: w.Devices(), Ranks: w.Ranks(),
			Options: []accl.OpenOption{accl.WithTimeout(1 << 20)}, Close: func() error { is.Store(false); return nil }}, nil
	}})
	dir := t.TempDir()
	args := []string{"deaf:", "--op=bcast", "--size=256", "-n=2", "--out=" + dir}
	code, stdout, stderr := trace(t, args...)
	assert.Assert(t, code == good, "%s%s", stdout, stderr)
	content, err := os.ReadFile(filepath.Join(dir, "timeline.jsonl"))
	must(t, err)
	packet := regexp.MustCompile(`"kind":"packet",.*"rank":0,"to":1`)
	assert.Assert(t, packet.Match(content), "%s", content)
	must(t, os.Remove(filepath.Join(dir, "timeline.jsonl")))

	is.Store(true)
	code, stdout, stderr = trace(t, append(args, "--warmup=0")...)
	assert.Assert(t, code == failed && strings.Contains(stderr, "TIMEOUT"), "%d %s%s", code, stdout, stderr)
	content, err = os.ReadFile(filepath.Join(dir, "timeline.jsonl"))
	must(t, err)
	assert.Assert(t, bytes.Contains(content, []byte("It has failed")) && !packet.Match(content), "%s", content)
	assert.Assert(t, regexp.MustCompile(`"kind":"wait",.*"rank":0,"name":"waits (for rank 1|in vain)"`).Match(content), "%s", content)
}
