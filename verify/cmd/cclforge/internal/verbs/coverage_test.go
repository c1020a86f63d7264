package verbs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestWhatIsRun(t *testing.T) {
	worlds := func(name string) []string {
		return []string{"./verify/conformance", "-conform.over=verilated", "-conform.platforms=" + name, "-sim.waves=0",
			"-conform.scale=0.5"}
	}
	for _, test := range []struct {
		benches, platforms string
		want               [][]string
	}{
		{"./a,./b/...", "", [][]string{{"./a", "./b/..."}}},
		{"", "one,two", [][]string{{"./verify/rtlsim"}, worlds("one"), worlds("two")}},
		{"./a", "one", [][]string{{"./a"}, {"./verify/rtlsim"}, worlds("one")}},
		{"", "", nil},
	} {
		r := runs{benches: test.benches, platforms: test.platforms, scale: 0.5}
		if got := r.commands(); !slices.EqualFunc(got, test.want, slices.Equal) {
			t.Errorf("benches %q and platforms %q run %q, not %q", test.benches, test.platforms, got, test.want)
		}
	}
}

func TestCountsStayWhereTheyAreKept(t *testing.T) {
	named := filepath.Join(t.TempDir(), "counts")
	for _, dir := range []string{named, named, ""} {
		r := runs{dir: dir}
		end, err := r.begin()
		must(t, err)
		_, err = os.Stat(r.dir)
		assert.Check(t, err == nil && filepath.IsAbs(r.dir), "counts go to %q: %v", r.dir, err)
		end()
		_, err = os.Stat(r.dir)
		assert.Check(t, is.Equal((err == nil), (dir != "")), "%q in the end: %v", dir, err)
	}
}
