package bench

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestGenerateCoversEveryCase(t *testing.T) {
	if testing.Short() {
		t.Skip("generates everything")
	}
	var seen []string
	r, err := measureGenerate(t.Context(), t.TempDir(), 1, func(name string) { seen = append(seen, name) })
	assert.NilError(t, err)
	assert.Check(t, len(r.Results) == len(cases()) && len(seen) == len(cases()),
		"%d results, %d announced, for %d cases", len(r.Results), len(seen), len(cases()))
	for _, c := range r.Results {
		none := strings.HasSuffix(c.Name, "nothing to do") || strings.HasSuffix(c.Name, "not written")
		assert.Check(t, is.Equal(none, (c.Written == 0)), "%s wrote %d files", c.Name, c.Written)
	}
	var table strings.Builder
	assert.NilError(t, r.print(&table))
	for _, c := range cases() {
		assert.Check(t, is.Contains(table.String(), c.title()), "the table lacks")
	}
}

func TestGrowthOfALinearSeries(t *testing.T) {
	r := &generateReport{}
	for _, n := range engineCounts {
		r.Results = append(r.Results, generateResult{Engines: n, Median: 5 + 2*float64(n)})
	}
	got, ok := r.growth()
	assert.Check(t, ok && got[0].perEngine == 2 && got[1].perEngine == 2, "growth %v %v", got, ok)
}
