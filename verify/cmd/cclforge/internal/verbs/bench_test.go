package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// Under mpirun each process has a rank, and rank 0 alone reports.
func TestBenchUnderMpirun(t *testing.T) {
	command := append(ranktest.Mpirun(t), "-np", "3")
	meet := ranktest.Free(t).String()
	for _, platform := range []string{"u55c_udp", "u280_manual"} { // with and without a barrier of its own
		dir := t.TempDir()
		out, errs, code := ranktest.Run(t, append(command, os.Args[0], "bench", platform, "--sizes=1KiB:4KiB:x4",
			"--iterations=3", "--json", "--meet="+meet, "--out="+dir)...)
		var r rates.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Ranks != 3 ||
			r.World != "emulated, in memory" || len(r.Rows) < 10 || r.Wrong != 0 {
			t.Fatalf("%v, exit code %d\n%s%s", err, code, out, errs)
		}
		for _, row := range r.Rows {
			if row.Time <= 0 {
				t.Errorf("%+v", row)
			}
		}
		for _, file := range []string{resultFile, plotFile} {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || len(text) < 1000 {
				t.Errorf("%s: %d bytes, %v", file, len(text), err)
			}
		}
	}
}

func TestMistakesInBench(t *testing.T) {
	for text, args := range map[string][]string{
		"no sizes":               {"--sizes=0"},
		`no operation "nix"`:     {"--only=nix"},
		"the root 4 of 4":        {"--root=4"},
		"no such world":          {"nix:1"},
		`is called "nix"`:        {"nix"},
		`takes only [world]`:     {"u55c_tcp", "x"},
		"a world has 1 to 4096":  {"-n=5000"},
		"does not have elements": {"--dtype=int8"},
	} {
		out, errs, code := ranktest.Run(t, append([]string{os.Args[0], "bench"}, args...)...)
		assert.Check(t, code == 2 && strings.Contains(errs, text) && out == "",
			"%v: exit code %d\n%s%s", args, code, out, errs)
	}
}
