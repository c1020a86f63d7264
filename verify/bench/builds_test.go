package bench

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if err := o.Run(t.Context(), dir, &table, io.Discard); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "builds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r buildsReport
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	want := []buildPoint{{What: "plan", Platforms: 1}, {What: "plan", Platforms: 3}, {What: "nothing to do", Platforms: 1}}
	if len(r.Points) != len(want) {
		t.Fatalf("got %+v", r.Points)
	}
	for i, p := range r.Points {
		if p.What != want[i].What || p.Platforms != want[i].Platforms || p.Steps < 3*p.Platforms || p.Milliseconds <= 0 {
			t.Errorf("got %+v", p)
		}
		if !strings.Contains(table.String(), p.What) {
			t.Errorf("no %s in\n%s", p.What, table.String())
		}
	}
}
