package model

import (
	"math"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
)

// Worked out by hand: two ranks, blocks of two elements.
func TestOperations(t *testing.T) {
	a, b := []float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}
	in := [][]float64{a, b}
	for name, c := range map[string]struct{ got, want [][]float64 }{
		"bcast":          {Bcast(in, 1), [][]float64{b, b}},
		"scatter":        {Scatter(in, 1, 2), [][]float64{{10, 20}, {30, 40}}},
		"gather":         {Gather(in, 1), [][]float64{nil, {1, 2, 3, 4, 10, 20, 30, 40}}},
		"allgather":      {AllGather([][]float64{{1}, {2}}), [][]float64{{1, 2}, {1, 2}}},
		"reduce":         {Reduce(in, 0, Sum), [][]float64{{11, 22, 33, 44}, nil}},
		"allreduce":      {AllReduce(in, Max), [][]float64{b, b}},
		"reduce_scatter": {ReduceScatter(in, 2, Sum), [][]float64{{11, 22}, {33, 44}}},
		"scan":           {Scan([][]float64{{1, 2}, {3, 4}, {5, 6}}, Sum), [][]float64{{1, 2}, {4, 6}, {9, 12}}},
		"exscan":         {ExScan([][]float64{{1, 2}, {3, 4}, {5, 6}}, Sum), [][]float64{nil, {1, 2}, {4, 6}}},
		"alltoall":       {AllToAll(in, 2), [][]float64{{1, 2, 10, 20}, {3, 4, 30, 40}}},
	} {
		assert.Check(t, reflect.DeepEqual(c.got, c.want), "%s: %v, not %v", name, c.got, c.want)
	}
	assert.Check(t, !math.Signbit(Max(math.Copysign(0, -1), 0)) && math.IsNaN(Max(math.NaN(), math.Inf(1))), "maximum")
}
