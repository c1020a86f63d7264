package nightly_test

import (
	"testing"

	"github.com/cclforge/cclforge/gen/nightly"
)

// tests notes whether a test was skipped.
type tests struct{ skipped bool }

func (*tests) Helper()       {}
func (t *tests) Skip(...any) { t.skipped = true }

func TestHowMuchIsDone(t *testing.T) {
	for _, test := range []struct {
		variable string
		full     bool
	}{{"", false}, {"1", true}} {
		t.Setenv(nightly.Variable, test.variable)
		var got tests
		nightly.Only(&got)
		sampled := 0
		for n := range 12 {
			if nightly.Sampled(n, 4) {
				sampled++
			}
		}
		want, things := 2, 3
		if test.full {
			want, things = 5, 12
		}
		if got.skipped == test.full || nightly.Enabled() != test.full || nightly.Of(2, 5) != want || sampled != things {
			t.Errorf("%q: skipped %t, %d, %d of 12", test.variable, got.skipped, nightly.Of(2, 5), sampled)
		}
	}
}
