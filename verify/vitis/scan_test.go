package vitis

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// TestScan: what a card was loaded with is known by the result of the build, and by the
// cache alone.
func TestScan(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{Cards: []string{"xilinx_u55c_gen3x16_xdma_base_3"}})
	o := b.run("build", "u55c_tcp")
	assert.Assert(t, o.code == 0, "%v", o)
	if o := b.run("scan"); o.code != 0 || !strings.Contains(o.out, "0000:81:00.1") || strings.Contains(o.out, "u55c_tcp") {
		t.Error(o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	load := exec.CommandContext(ctx, cclforge, "program", "u55c_tcp")
	load.Dir, load.Env = b.dir, b.env
	out, err := load.CombinedOutput()
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	for _, from := range []string{"results", "cache"} {
		if from == "cache" {
			assert.NilError(t, os.RemoveAll(filepath.Join(b.dir, "out")))
		}
		o := b.run("scan", "--json")
		var cards []struct {
			BDF    string
			Design struct{ Platform, Generation, File, Design, Firmware string }
		}
		if err := json.Unmarshal([]byte(o.out), &cards); err != nil || o.code != 0 || len(cards) != 1 {
			t.Fatal(err, o)
		}
		d := cards[0].Design
		if d.Platform != "u55c_tcp" || d.Generation != "accl-2024" || len(d.Design) != 64 || len(d.Firmware) != 64 ||
			strings.HasPrefix(d.File, b.cache) != (from == "cache") {
			t.Errorf("%s: %s", from, o)
		}
		if o := b.run("scan"); o.code != 0 || !strings.Contains(o.out, "u55c_tcp") {
			t.Error(o)
		}
	}
}
