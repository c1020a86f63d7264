package tcl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

// sections are the lines of a configuration of v++ by section; those before the
// first one are in "".
func sections(text []byte) map[string][]string {
	all := map[string][]string{}
	at := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			at = strings.Trim(line, "[]")
		default:
			all[at] = append(all[at], line)
		}
	}
	return all
}

// Boards' platforms and clocks as contracts/kernels.md has them.
var shells = map[string]string{
	"u50": "xilinx_u50_gen3x16_xdma_5_202210_1", "u55c": "xilinx_u55c_gen3x16_xdma_3_202210_1",
	"u200": "xilinx_u200_gen3x16_xdma_2_202110_1",
	"u250": "xilinx_u250_gen3x16_xdma_4_1_202210_1", "u280": "xilinx_u280_gen3x16_xdma_1_202211_1",
}

func TestBuildConfigurationOfAllPlatforms(t *testing.T) {
	for _, name := range shipped(t) {
		for _, emulated := range []bool{false, true} {
			if emulated && (strings.HasSuffix(name, "rdma") || name == "u280_2022" || name == "u280_manual") {
				continue // no such variable
			}
			var vars map[string]cty.Value
			if emulated {
				vars = map[string]cty.Value{"hw_emu": cty.True}
			}
			d := designtest.Load(t, name, vars)
			files := rendered(t, d)
			read := emit.LinkFiles(d)
			if strings.HasSuffix(name, "rdma") {
				assert.Check(t, len(read) == 0 && files[buildFile] == nil, "%s is not linked by v++, and has %q", name, read)
				continue
			}
			for _, f := range read {
				assert.Check(t, files[f] != nil, "%s: %s is not rendered", name, f)
			}
			board, kind, _ := strings.Cut(name, "_")
			// Only the ring of the axis platforms and kernels of others change the block design.
			others := len(d.PostLinks()) > 0
			want := map[string][]string{"": {"platform=" + shells[board], "kernel_frequency=250"}}
			if kind == "axis3x" || others {
				want["advanced"] = []string{"param=compiler.userPostSysLinkOverlayTcl=@WORK@/vitis/post_link.tcl"}
			}
			if !emulated {
				want["linkhook"] = []string{"do_last=vpl.impl.route_design,@WORK@/vitis/firmware_mmi.tcl",
					"do_first=vpl.impl.write_bitstream,@WORK@/vitis/reports.tcl"}
			}
			assert.Check(t, is.DeepEqual(want, sections(files[buildFile])), "%s, emulated %t: -want +", name, emulated)
			for _, f := range []string{postLink, mmiScript, "vitis/reports.tcl"} {
				mentioned := strings.Contains(string(files[buildFile]), "@WORK@/"+f)
				if mentioned != slices.Contains(read, f) || mentioned != (files[f] != nil) {
					t.Errorf("%s: %s is mentioned: %t, read by the link: %t, rendered: %t", name, f, mentioned,
						slices.Contains(read, f), files[f] != nil)
				}
			}
			if processors := emit.FirmwareProcessors(d); emulated != (len(processors) == 0) || !emulated &&
				len(processors) != d.Platform.CCLO.Count {
				t.Errorf("%s: the map has the processors %q", name, processors)
			}
		}
	}
}

const described = `
platform "described" {
  board = "u55c"
  clock = 300
  cclo {}
  poe "tcp" {}
  build {
    %s
  }
}
`

// What a platform says of its build is where v++ reads it.
func TestBuildBlockReachesTheConfiguration(t *testing.T) {
	d := designtest.Made(t, "described", map[string]string{"described.hcl": strings.Replace(described, "%s", `
    profile { data = ["all:all:all"] }
    debug { chipscope = ["ccl_offload_0:s_axis_krnl"] }
    vivado   = { "prop.run.impl_1.STRATEGY" = "Performance_Explore", "param.project.writeIntermediateCheckpoints" = "1" }
    advanced = { "param.compiler.errorOnHoldViolation" = "false" }`, 1)})
	got := sections(rendered(t, d)[buildFile])
	for section, lines := range map[string][]string{
		"":         {"kernel_frequency=300"},
		"profile":  {"data=all:all:all"},
		"debug":    {"chipscope=ccl_offload_0:s_axis_krnl"},
		"vivado":   {"prop=run.impl_1.STRATEGY=Performance_Explore", "param=project.writeIntermediateCheckpoints=1"},
		"advanced": {"param=compiler.errorOnHoldViolation=false"},
	} {
		for _, line := range lines {
			assert.Check(t, slices.Contains(got[section], line), "[%s] is %q and lacks %s", section, got[section], line)
		}
	}
}

// The firmware is packaged with the engine, and with nothing else.
func TestFirmwareIsInTheEngine(t *testing.T) {
	needTcl(t)
	inKernel := designtest.Made(t, "described",
		map[string]string{"described.hcl": strings.Replace(described, "%s", `firmware = "kernel"`, 1)})
	late := designtest.Load(t, "u55c_tcp", nil)
	emulated := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"hw_emu": cty.True})
	image, err := emit.FirmwareImage(late)
	assert.NilError(t, err)
	const mem = "firmware/cclo_firmware.mem"
	for name, test := range map[string]struct {
		files map[string][]byte
		steps []emit.PackageStep
	}{
		"hw":     {rendered(t, late), steps(t, late)},
		"kernel": {rendered(t, inKernel), steps(t, inKernel)},
		"hw_emu": {rendered(t, emulated), steps(t, emulated)},
	} {
		assert.Check(t, is.Equal("@00000000\n"+string(test.files[mem]), string(image)),
			"%s: %s is not the firmware", name, mem)
		const parameter = `parameter FIRMWARE = "cclo_firmware.mem"`
		assert.Check(t, is.Contains(string(test.files["rtl/ccl_offload/cpu/control_processor.sv"]), parameter),
			"%s: the control processor does not have", name)
		for _, s := range test.steps {
			want := s.Kernel.ID == "ccl_offload"
			assert.Check(t, is.Equal(slices.Contains(s.Files, mem), want), "%s: %s reads the firmware", name, s.Kernel.ID)
			assert.Check(t, is.Equal(strings.Contains(string(test.files[s.Script]), "cclo_firmware.mem"), want),
				"%s: the script of %s names the firmware, or", name, s.Kernel.ID)
		}
	}
}

// The words of the memory file are those of the image, the lowest byte in the lowest
// bits, as the processor reads them.
func TestFirmwareImageHasTheWordsOfTheProcessor(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		d := designtest.Load(t, name, nil)
		text, err := emit.FirmwareImage(d)
		assert.NilError(t, err)
		prebuilt, err := firmware.Prebuilt(d.ABI().Name)
		assert.NilError(t, err)
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		assert.Assert(t, lines[0] == "@00000000" && len(lines)-1 == (len(prebuilt.Code)+3)/4,
			"%s: %d lines from %q on, for %d bytes", name, len(lines), lines[0], len(prebuilt.Code))
		for at, b := range prebuilt.Code {
			digits := lines[1+at/4]
			if want := fmt.Sprintf("%02X", b); len(digits) != 8 || digits[6-2*(at%4):8-2*(at%4)] != want {
				t.Fatalf("%s: byte %d is %s, and its word %s", name, at, want, digits)
			}
		}
	}
	assert.Check(t, is.Equal(string(emit.MemoryFile([]byte{1, 2, 3, 4, 5})), "@00000000\n04030201\n00000005\n"),
		"5 bytes")
}

func steps(t testing.TB, d *design.Design) []emit.PackageStep {
	t.Helper()
	steps, err := emit.PackageSteps(d)
	assert.NilError(t, err)
	return steps
}

// Reports are made where the build looks for them; one that fails is a warning.
func TestReportsAreMadeAndNeverStopABuild(t *testing.T) {
	needTcl(t)
	files := rendered(t, designtest.Load(t, "u55c_tcp", nil))
	for _, broken := range []string{"", "report_power"} {
		dir := place(t, files, "vitis/reports.tcl", buildFile)
		must(t, tcl.Run{Parts: []string{tcl.Netlist}, Setup: "set model::broken {" + broken + "}",
			Script: filepath.Join(dir, "vitis/reports.tcl"), Dir: t.TempDir()})
		want := []string{"full_util_final.rpt", "hierarchy_final.rpt", "power_final.rpt", "slr_util_final.rpt",
			"timing_summary_final.rpt"}
		if broken != "" {
			want = slices.DeleteFunc(want, func(s string) bool { return strings.HasPrefix(s, "power") })
		}
		var got []string
		entries, err := os.ReadDir(filepath.Join(dir, "reports"))
		assert.NilError(t, err)
		for _, e := range entries {
			got = append(got, e.Name())
		}
		assert.Check(t, is.DeepEqual(want, got), "reports -want +")
	}
}

// A generation of the user's own is rendered without its firmware, and its packaging
// says what is missing.
func TestFirmwareThatNobodyHasBuilt(t *testing.T) {
	text, err := platforms.FS.ReadFile("abi/accl-2024.hcl")
	assert.NilError(t, err)
	d := designtest.Made(t, "described", map[string]string{
		"abi/own.hcl": strings.Replace(string(text), `abi "accl-2024"`, `abi "own"`, 1),
		"described.hcl": strings.Replace(strings.Replace(described, "%s", `firmware = "kernel"`, 1), "clock = 300",
			"clock = 300\n  abi = \"own\"", 1),
	})
	files := rendered(t, d)
	assert.Check(t, files["firmware/cclo_firmware.mem"] == nil && files["vitis/package/ccl_offload.tcl"] != nil,
		"there is an image, or no package script")
	_, err = emit.PackageSteps(d)
	assert.Check(t, errors.Is(err, firmware.ErrNoImage) && strings.Contains(err.Error(), "ccl_offload"),
		"error %v", err)
}
