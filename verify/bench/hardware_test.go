package bench

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

func TestWorldsAreAsLargeAsRanksReachEachOther(t *testing.T) {
	for _, test := range []struct {
		platform    string
		asked, want []int
	}{
		{"u55c_tcp", []int{2, 4}, []int{2, 4}},
		{"u55c_tcp", []int{4, 2, 2}, []int{2, 4}},
		{"u280_axis3x", []int{2, 4}, []int{2, 3}},
		{"u280_axis3x", []int{4, 8}, []int{3}},
	} {
		got := worlds(designtest.Load(t, test.platform, nil), test.asked)
		assert.Check(t, slices.Equal(got, test.want), "%v ranks of %s: %v", test.asked, test.platform, got)
	}
}
