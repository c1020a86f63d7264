package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/hls"
)

func TestAReportHasEveryWorld(t *testing.T) {
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	dir, out := t.TempDir(), new(bytes.Buffer)
	o := Plugins{Platform: "u55c_tcp", Bytes: 64 << 10, Runs: 3}
	assert.NilError(t, o.Run(t.Context(), dir, out, io.Discard))
	text, err := os.ReadFile(filepath.Join(dir, "plugins.json"))
	assert.NilError(t, err)
	var r pluginsReport
	assert.NilError(t, json.Unmarshal(text, &r))
	rates := map[string]float64{}
	for _, p := range r.Points {
		rates[p.Kernel+" in "+p.World] = p.BeatsASecond
	}
	for _, kernel := range []string{"reduce_ops", "hp_compression"} {
		for _, world := range []string{"component", "hls", "built-in"} {
			if rates[kernel+" in "+world] <= 0 {
				t.Errorf("%s in %s is missing in\n%s", kernel, world, out)
			}
		}
	}
}
