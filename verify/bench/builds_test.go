package bench

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/run"
)

func TestMain(m *testing.M) {
	run.Supervise()
	os.Exit(m.Run())
}

// TestEveryPoint wants a figure for each thing that is measured.
func TestEveryPoint(t *testing.T) {
	for _, name := range []string{"PATH", "XDG_CACHE_HOME", "XILINX_VITIS", "XILINX_VIVADO", "XILINX_HLS", "XILINX_XRT",
		"PLATFORM_REPO_PATHS"} {
		t.Setenv(name, os.Getenv(name)) // what the benchmark sets goes with the test
	}
	dir := t.TempDir()
	var table strings.Builder
	o := DefaultBuilds()
	o.Many, o.Runs = 3, 1
	assert.NilError(t, o.Run(t.Context(), dir, &table, io.Discard))
	text, err := os.ReadFile(filepath.Join(dir, "builds.json"))
	assert.NilError(t, err)
	var r buildsReport
	assert.NilError(t, json.Unmarshal(text, &r))
	want := []buildPoint{{What: "plan", Platforms: 1}, {What: "plan", Platforms: 3}, {What: "nothing to do", Platforms: 1}}
	assert.Equal(t, len(r.Points), len(want), "got %+v", r.Points)
	for i, p := range r.Points {
		if p.What != want[i].What || p.Platforms != want[i].Platforms || p.Steps < 3*p.Platforms || p.Milliseconds <= 0 {
			t.Errorf("got %+v", p)
		}
		assert.Check(t, is.Contains(table.String(), p.What))
	}
}
