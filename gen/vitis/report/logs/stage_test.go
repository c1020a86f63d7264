package logs

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestStage has lines as the tools write them (see rules for where they are from).
func TestStage(t *testing.T) {
	for line, want := range map[string]string{
		"[16:19:53] Block-level synthesis in progress, 0 of 67 jobs complete, 8 jobs running.":           "synthesis 0%",
		"[16:47:35] Block-level synthesis in progress, 66 of 67 jobs complete, 1 job running.":           "synthesis 98%",
		"[16:48:05] Top-level synthesis in progress.":                                                    "synthesis of the top",
		"INFO: [v++ 60-1443] [16:16:52] Run run_link: Step system_link: Started":                         "connecting",
		"[16:17:28] Run vpl: Step create_project: Started":                                               "project",
		"[16:18:06] Run vpl: Step generate_target: Started":                                              "generating IP",
		"[16:48:39] Run vpl: Step impl: Started":                                                         "joining netlists",
		"[17:01:46] Starting logic optimization..":                                                       "optimization",
		"[17:10:52] Starting logic placement..":                                                          "placement",
		"[17:17:55] Phase 2 Global Placement":                                                            "placement, global",
		"[17:32:36] Phase 3 Detail Placement":                                                            "placement, detail",
		"[17:37:09] Phase 4 Post Placement Optimization and Clean-Up":                                    "placement, clean-up",
		"[17:57:23] Starting logic routing..":                                                            "routing",
		"[18:05:29] Phase 4 Rip-up And Reroute":                                                          "routing, conflicts",
		"[18:34:19] Phase 8 Route finalize":                                                              "routing, last",
		"[18:38:53] Starting bitstream generation..":                                                     "bitstream",
		"INFO: [v++ 60-1443] [19:02:01] Run run_link: Step xclbinutil: Started":                          "packing",
		"Command: synth_design -top eth_xcvr_gt_channel -part xczu9eg-ffvb1156-2-e -mode out_of_context": "synthesis",
		"Command: route_design -directive Explore":                                                       "routing",
		"INFO: [HLS 200-1510] Running: csynth_design ":                                                   "C++ synthesis",
		"INFO: [HLS 200-1510] Running: export_design -flow impl -format ip_catalog -output /tmp/a.zip ":  "exporting",
		"INFO: [IMPL 213-8] Exporting RTL as a Vivado IP.":                                               "exporting",
		"INFO: [HLS 200-10] -- Generating RTL for module 'foo'":                                          "writing RTL",
		"[Wed Feb 16 19:53:49 2022] Launched synth_1...":                                                 "synthesis",
		"[Wed Feb 16 19:53:49 2022] Launched impl_1...":                                                  "implementation",
		"Cloning into 'src'...":                                                                          "cloning",
		"Receiving objects:  45% (450/1000), 1.2 MiB | 2.3 MiB/s":                                        "fetching 45%",
		"Resolving deltas: 100% (12/12), done.":                                                          "unpacking 100%",
		"\x1b[32m[ 45%] Building CXX object src/a.o\x1b[0m":                                              "compiling 45%",
		"[100%] Built target project":                                                                    "compiling 100%",
		"Submodule path 'hw/services/network': checked out '1234'":                                       "submodules",
		"Block-level synthesis in progress, 9 of 3 jobs complete":                                        "synthesis",
		"Block-level synthesis in progress, 9 of 0 jobs complete":                                        "synthesis",
		"Block-level synthesis in progress, 99999999999999999999 of 99999999999999999999 jobs complete":  "synthesis",
	} {
		got, ok := Stage(line)
		assert.Check(t, ok && got == want, "%q: %q %v, want %q", line, got, ok, want)
	}
	for _, line := range []string{
		"", "INFO: [v++ 60-629] Linking for hardware target", "[17:17:55] Phase 2.1 Floorplanning",
		"[17:41:00] Phase 4.1.1.3 Post Placement Timing Optimization",
		"puts \"Phase 2 Global Placement\"", "[16:48:39] Run vpl: Step synth: Completed",
		"remote: Counting objects: 50% (1/2)", "INFO: [Common 17-83] Releasing license: Implementation",
	} {
		got, ok := Stage(line)
		assert.Check(t, !ok, "%q: %q", line, got)
	}
}

func FuzzStage(f *testing.F) {
	for _, r := range rules {
		f.Add(r.mark)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if stage, ok := Stage(line); ok && (stage == "" || len(stage) > 40) {
			t.Errorf("%q", stage)
		}
	})
}
