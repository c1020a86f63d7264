package model

import "math"

// Function combines two elements.
type Function func(a, b float64) float64

// Reduction is a reduction and what results of it look like.
type Reduction struct {
	Of     Function
	Rounds bool // results of reals are rounded
	// Most is the largest magnitude of n operands whose result is no larger than the limit.
	Most func(limit float64, n int) float64
}

// Reductions are those of all interface generations, by name.
var Reductions = map[string]Reduction{
	"sum": {Of: Sum, Rounds: true, Most: func(limit float64, n int) float64 { return math.Floor(limit / float64(n)) }},
	"max": {Of: Max, Most: unchanged},
	"min": {Of: Min, Most: unchanged},
	"prod": {Of: Prod, Rounds: true, Most: func(limit float64, n int) float64 {
		return math.Floor(math.Pow(limit, 1/float64(n)))
	}},
}

func unchanged(limit float64, _ int) float64 { return limit }

// Sum adds.
func Sum(a, b float64) float64 { return a + b }

// Prod multiplies.
func Prod(a, b float64) float64 { return a * b }

// Max is IEEE 754-2019 maximum: a NaN if there is one, and -0 below +0.
func Max(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN() // math.Max prefers infinity
	}
	return math.Max(a, b)
}

// Min is IEEE 754-2019 minimum: a NaN if there is one, and -0 below +0.
func Min(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN() // math.Min prefers infinity
	}
	return math.Min(a, b)
}
