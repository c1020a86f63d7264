package report

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

type kind int

const (
	none kind = iota
	timing
	kernelUse
	cardUse
	slrUse
	power
	hls
	info
	log
)

// found is a report file; the one with the highest rank of its kind counts.
type found struct {
	path string // in the report
	in   fs.FS  // where the file has this name
	name string
	kind kind
	rank int
}

// stages are the stages that names of report files tell, the last counts most.
// Final is what our own script calls what it reports before the bitstream.
var stages = []string{"synthed", "opt", "placed", "routed", "final"}

// classify tells what a file is from its name. v++ writes reports with the name of
// the run in front (impl_1_kernel_util_routed.rpt); versions and platforms differ in
// the names of the top (hw_bb_locked_timing_summary_routed.rpt).
func classify(p string) found {
	name := strings.ToLower(path.Base(p))
	f := found{path: p}
	switch {
	case strings.HasSuffix(name, ".xclbin.info"):
		f.kind = info
	case strings.HasSuffix(name, "_csynth.rpt"):
		f.kind = hls
	case strings.HasSuffix(name, ".log"):
		f.kind = log
	case !strings.HasSuffix(name, ".rpt"):
	case strings.Contains(name, "timing_summary"):
		f.kind, f.rank = timing, timingRank(name)
		if f.rank < 0 {
			f.kind = none
		}
	case strings.Contains(name, "kernel_util_"):
		f.kind, f.rank = kernelUse, stageRank(name)
	case strings.Contains(name, "full_util_"), wholeUse(name):
		f.kind, f.rank = cardUse, stageRank(name)
	case strings.Contains(name, "slr_util_"):
		f.kind, f.rank = slrUse, stageRank(name)
	case strings.Contains(name, "power"):
		f.kind = power
		switch {
		case strings.Contains(name, "final"):
			f.rank = 2
		case strings.Contains(name, "rout"):
			f.rank = 1
		}
	}
	return f
}

// wholeUse is about names that scripts of others give: shell_utilization.rpt of
// Coyote. Reports of single blocks and of other kinds are called alike.
func wholeUse(name string) bool {
	if !strings.Contains(name, "utilization") {
		return false
	}
	for _, other := range []string{"synth", "hierarch", "clock", "control", "pblock"} {
		if strings.Contains(name, other) {
			return false
		}
	}
	return true
}

// timingRank orders timing summaries: what was last done to the design counts.
// Those of earlier stages say nothing about the result, and have no rank.
func timingRank(name string) int {
	switch {
	case strings.Contains(name, "final"):
		return 4
	case strings.Contains(name, "postroute"), strings.Contains(name, "post_route"):
		return 3
	case strings.Contains(name, "route"):
		return 2
	case strings.Contains(name, "synth"), strings.Contains(name, "place"), strings.Contains(name, "init"),
		strings.Contains(name, "opted"):
		return -1
	default:
		return 1
	}
}

func stageRank(name string) int {
	for i, s := range slices.Backward(stages) {
		if strings.Contains(name, s) {
			return i
		}
	}
	return -1
}
