package bench

import (
	"strings"
	"testing"
)

func TestGenerateCoversEveryCase(t *testing.T) {
	if testing.Short() {
		t.Skip("generates everything")
	}
	var seen []string
	r, err := measureGenerate(t.Context(), t.TempDir(), 1, func(name string) { seen = append(seen, name) })
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != len(cases()) || len(seen) != len(cases()) {
		t.Errorf("%d results, %d announced, for %d cases", len(r.Results), len(seen), len(cases()))
	}
	for _, c := range r.Results {
		none := strings.HasSuffix(c.Name, "nothing to do") || strings.HasSuffix(c.Name, "not written")
		if none != (c.Written == 0) {
			t.Errorf("%s wrote %d files", c.Name, c.Written)
		}
	}
	var table strings.Builder
	if err := r.print(&table); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases() {
		if !strings.Contains(table.String(), c.title()) {
			t.Errorf("the table lacks %q", c.title())
		}
	}
}

func TestGrowthOfALinearSeries(t *testing.T) {
	r := &generateReport{}
	for _, n := range engineCounts {
		r.Results = append(r.Results, generateResult{Engines: n, Median: 5 + 2*float64(n)})
	}
	got, ok := r.growth()
	if !ok || got[0].perEngine != 2 || got[1].perEngine != 2 {
		t.Errorf("growth %v %v", got, ok)
	}
}
