package rates

import (
	"slices"
	"time"
)

// Times sums up how long the runs of something took.
type Times struct {
	Runs   int     `json:"runs"`
	Median float64 `json:"median_us"`
	P99    float64 `json:"p99_us"`
	// Rate is the bytes of a rank's largest buffer by the median, in GB/s.
	Rate float64 `json:"gb_per_s,omitempty"`
}

// summary sums up times of runs on buffers of so many bytes.
func summary(times []time.Duration, bytes int) Times {
	if len(times) == 0 {
		return Times{}
	}
	sorted := slices.Sorted(slices.Values(times))
	median := quantile(sorted, 50)
	t := Times{Runs: len(sorted), Median: microseconds(median), P99: microseconds(quantile(sorted, 99))}
	if median > 0 {
		t.Rate = float64(bytes) / float64(median.Nanoseconds())
	}
	return t
}

// quantile is the smallest of sorted times that so many per cent do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
