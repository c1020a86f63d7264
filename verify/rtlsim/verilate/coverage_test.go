package verilate_test

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// point is one that a model has left.
type point struct {
	page, text, comment string // its text is that of its line
	hits                uint64
}

// left are the points of a source.
func left(t *testing.T, dir, source string) (found []point) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	assert.Assert(t, len(names) == 2 && strings.HasSuffix(names[1], ".points"), "the model has left %q", names)
	points, err := os.ReadFile(names[1])
	assert.NilError(t, err)
	hits, err := os.ReadFile(strings.TrimSuffix(names[1], "points") + "hits")
	assert.NilError(t, err)
	text, err := os.ReadFile(source)
	assert.NilError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, line := range strings.Split(strings.TrimSpace(string(points)), "\n") {
		f := strings.Split(line, "\t")
		at, err := strconv.Atoi(f[1])
		assert.Assert(t, err == nil && f[0] == source, "%q: %v", line, err)
		page, _, _ := strings.Cut(f[3], "/")
		found = append(found, point{page, strings.TrimSpace(lines[at-1]), f[4], binary.LittleEndian.Uint64(hits[8*i:])})
	}
	return found
}

func TestCoverageIsLeft(t *testing.T) {
	nightly.Only(t)
	b := fifo(t)
	dir := t.TempDir()
	t.Setenv(verilate.CoverageVariable, dir)
	var through func(seed, count uint64) uint64
	assert.NilError(t, b.Bind(t.Context(), "", map[string]any{"through": &through}))
	for model := uint64(1); model <= 2; model++ {
		through(model, 100)
		pushed, bits := uint64(0), 0
		for _, p := range left(t, dir, b.Sources[0]) {
			if strings.Contains(p.text, "if (push) memory") && p.comment == "if" {
				pushed += p.hits
			}
			if p.page == "v_toggle" {
				bits++
			}
		}
		want := 100 * model
		assert.Check(t, pushed == want && bits > 0, "after %d models %d words were pushed, not %d; %d bits are counted",
			model, pushed, want, bits)
	}
}

// TestWaysOfFunctionsAreCounted has a function whose operand is one of a block's own
// values: as Verilator takes such blocks apart, counts are of other cycles.
func TestWaysOfFunctionsAreCounted(t *testing.T) {
	nightly.Only(t)
	b := fifo(t)
	dir := t.TempDir()
	t.Setenv(verilate.CoverageVariable, dir)
	t.Setenv(verilate.LinesVariable, "1")
	b.Top = "halves"
	for file, to := range map[string]*[]string{"testdata/halves.sv": &b.Sources, "testdata/halves.cpp": &b.Shell} {
		path, err := filepath.Abs(file)
		assert.NilError(t, err)
		*to = []string{path}
	}
	var halve func(values *byte, count uint64)
	assert.NilError(t, b.Bind(t.Context(), "", map[string]any{"halve": &halve}))
	want := map[string]uint64{} // of all models together
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 0))
		values := make([]byte, 100)
		for i := range values {
			if values[i] = byte(r.IntN(3)); values[i] == 0 {
				want["if"]++
			} else {
				want["else"]++
			}
		}
		halve(&values[0], uint64(len(values)))
		got := map[string]uint64{}
		for _, p := range left(t, dir, b.Sources[0]) {
			if strings.HasPrefix(p.text, "if (of == 0)") {
				got[p.comment] += p.hits
			}
			assert.Check(t, p.page != "v_toggle", "bits are counted, although lines alone were asked for")
		}
		assert.Check(t, maps.Equal(got, want), "seed %d: ways were gone %v times, not %v", seed, got, want)
	}
}
