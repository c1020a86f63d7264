package logs

import (
	"regexp"
	"strconv"
	"strings"
)

// rule tells a stage from a line of a log.
type rule struct {
	mark    string         // a part of the line, for speed
	pattern *regexp.Regexp // nil if mark says all; its groups are a percentage, or a number and of how many
	stage   string
}

// rules are what tools write about where they are. A line is of the first rule that
// matches. Sources: logs of v++ 2020.2 to 2025.2 with Vivado and Vitis HLS below it
// in public issue threads (Xilinx/Vitis_Accel_Examples, Xilinx/xup_vitis_network_example,
// fpgasystems/Vitis_with_100Gbps_TCP-IP), UG893 and UG1399 on the commands, and git.
var rules = []rule{
	// v++ --link: steps of run_link and vpl.
	{"Block-level synthesis in progress", regexp.MustCompile(`in progress, (\d+) of (\d+) jobs complete`), "synthesis"},
	{"Top-level synthesis in progress", nil, "synthesis of the top"},
	{"Run run_link: Step system_link: Started", nil, "connecting"},
	{"Run vpl: Step create_project: Started", nil, "project"},
	{"Run vpl: Step create_bd: Started", nil, "block design"},
	{"Run vpl: Step generate_target: Started", nil, "generating IP"},
	{"Run vpl: Step synth: Started", nil, "synthesis"},
	{"Run vpl: Step impl: Started", nil, "joining netlists"},
	{"Starting logic optimization..", nil, "optimization"},
	{"Starting logic placement..", nil, "placement"},
	{"Starting physical logic optimization", nil, "optimization, placed"},
	{"Starting logic routing..", nil, "routing"},
	{"ost-route physical", regexp.MustCompile(`Starting .*[Pp]ost-route physical`), "optimization, routed"},
	{"Starting bitstream generation..", nil, "bitstream"},
	{"Run run_link: Step xclbinutil: Started", nil, "packing"},
	// Phases of the placer and the router.
	{"Global Placement", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Global Placement\s*$`), "placement, global"},
	{"Detail Placement", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Detail Placement\s*$`), "placement, detail"},
	{"Post Placement Optimization",
		regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Post Placement Optimization and Clean-Up\s*$`), "placement, clean-up"},
	{"Initial Routing", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Initial Routing\s*$`), "routing, initial"},
	{"Rip-up And Reroute", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Rip-up And Reroute\s*$`), "routing, conflicts"},
	{"Delay and Skew Optimization", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Delay and Skew Optimization\s*$`),
		"routing, delays"},
	{"Post Hold Fix", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Post Hold Fix\s*$`), "routing, hold"},
	{"Route finalize", regexp.MustCompile(`^(?:\[[\d:]+\] )?Phase \d+ Route finalize\s*$`), "routing, last"},
	// Commands of Vivado, in scripts of ours and in runs.
	{"Command: synth_design", nil, "synthesis"},
	{"Command: opt_design", nil, "optimization"},
	{"Command: place_design", nil, "placement"},
	{"Command: phys_opt_design", nil, "optimization"},
	{"Command: route_design", nil, "routing"},
	{"Command: write_bitstream", nil, "bitstream"},
	{"Command: link_design", nil, "joining netlists"},
	{"Launched ", regexp.MustCompile(`^\[[^\]]+\] Launched .*synth`), "synthesis"},
	{"Launched ", regexp.MustCompile(`^\[[^\]]+\] Launched .*impl`), "implementation"},
	// Vitis HLS.
	{"Starting hardware synthesis", regexp.MustCompile(`^INFO: \[HLS 200-10\] Starting hardware synthesis`), "scheduling"},
	{"[HLS 200-1510] Running: csynth_design", nil, "C++ synthesis"},
	{"[HLS 200-1510] Running: export_design", nil, "exporting"},
	{"[IMPL 213-8]", nil, "exporting"},
	{"Generating RTL for module", regexp.MustCompile(`^INFO: \[HLS 200-10\] -- Generating RTL for module`), "writing RTL"},
	// git, make with CMake.
	{"Cloning into ", regexp.MustCompile(`^Cloning into '`), "cloning"},
	{"Receiving objects:", regexp.MustCompile(`^(?:remote: )?Receiving objects: +(\d+)%`), "fetching"},
	{"Resolving deltas:", regexp.MustCompile(`^(?:remote: )?Resolving deltas: +(\d+)%`), "unpacking"},
	{"Updating files:", regexp.MustCompile(`^Updating files: +(\d+)%`), "checking out"},
	{"Submodule path '", regexp.MustCompile(`^Submodule path '[^']*': checked out`), "submodules"},
	{"%] ", regexp.MustCompile(`^\[ *(\d+)%\] (?:Building|Linking|Generating|Built)`), "compiling"},
}

// Stage is the stage of a tool that a line of its log announces: "placement",
// "synthesis 98%". ok is false for other lines.
func Stage(line string) (stage string, ok bool) {
	if strings.HasPrefix(line, "WARNING:") || strings.HasPrefix(line, "INFO: [") && !telling(line) {
		return "", false
	}
	for _, r := range rules {
		if !strings.Contains(line, r.mark) {
			continue
		}
		if r.pattern == nil {
			return r.stage, true
		}
		if m := r.pattern.FindStringSubmatch(Clean(line)); m != nil {
			return r.stage + percent(m[1:]), true
		}
	}
	return "", false
}

// telling sorts out most messages, which are most of the lines.
func telling(line string) bool {
	for _, code := range []string{"60-1443]", "[HLS 200-", "[IMPL 213-"} {
		if strings.Contains(line, code) {
			return true
		}
	}
	return false
}

// percent writes " 45%" from a percentage, or from a number and of how many.
func percent(groups []string) string {
	switch len(groups) {
	case 1:
		if n, err := strconv.Atoi(groups[0]); err == nil && n <= 100 {
			return " " + strconv.Itoa(n) + "%"
		}
	case 2:
		done, err1 := strconv.Atoi(groups[0])
		all, err2 := strconv.Atoi(groups[1])
		if err1 == nil && err2 == nil && all > 0 && done <= all {
			return " " + strconv.Itoa(int(int64(done)*100/int64(all))) + "%"
		}
	}
	return ""
}
