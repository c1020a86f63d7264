package slurm

import (
	"fmt"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// resources are the options of sbatch for what a step takes.
func resources(r step.Resources) []string {
	options := []string{fmt.Sprintf("--cpus-per-task=%d", max(1, r.CPUs))}
	if r.Memory > 0 {
		options = append(options, fmt.Sprintf("--mem=%dM", r.Memory))
	}
	if r.Time > 0 {
		options = append(options, "--time="+limit(r.Time))
	}
	return options
}

// limit is a time as sbatch reads it, days-hours:minutes:seconds. Slurm counts
// whole minutes.
func limit(d time.Duration) string {
	minutes := int64(d / time.Minute)
	if d%time.Minute > 0 {
		minutes++
	}
	return fmt.Sprintf("%d-%02d:%02d:00", minutes/(24*60), minutes/60%24, minutes%60)
}
