package plan_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// inShell plans the shipped platform that is built into Coyote, changed.
func inShell(t *testing.T, change func(*design.Design), set func(*tools.Set), firmware string) (*step.Plan, error) {
	t.Helper()
	d := designtest.Load(t, "u55c_rdma", nil)
	shell := *d.Shell
	d.Shell = &shell
	if change != nil {
		change(d)
	}
	files, err := emit.Platform(d)
	assert.NilError(t, err)
	s := tools.Assume(designtest.Library(t).Toolchain, "2023.2")
	if set != nil {
		set(s)
	}
	return plan.Plan(d, files, s, plan.Options{Descriptions: "/x", Firmware: []byte(firmware)})
}

const (
	shellStep = "u55c_rdma/shell/coyote"
	shellLast = "u55c_rdma/image/u55c_rdma"
)

func TestShell(t *testing.T) {
	p, err := inShell(t, nil, nil, "@0\n")
	assert.NilError(t, err)
	s := p.Step(shellStep)
	assert.Assert(t, s != nil && len(p.Steps) == 2, "steps are %+v", p.Steps)
	have := map[string]bool{}
	for _, f := range s.Files {
		have[f.Path] = true
		if strings.HasPrefix(f.Path, "rtl/") || strings.HasPrefix(f.Path, "driver/") || strings.HasPrefix(f.Path, "hls/") {
			t.Errorf("the shell's build depends on %s", f.Path)
		}
	}
	for _, name := range []string{"coyote/CMakeLists.txt", "coyote/src/vfpga_top.svh", "coyote/src/init_ip.tcl",
		"coyote/src/hdl/coyote_top.sv", "coyote/firmware_mmi.tcl", "vitis/firmware_mmi.tcl"} {
		assert.Check(t, have[name], "%s is not there", name)
	}
	if want := []step.Result{{Platform: "u55c_rdma", Step: shellLast, Output: "u55c_rdma.bit",
		Path: "u55c_rdma.bit"}}; !slices.Equal(p.Results, want) {
		t.Errorf("results are %+v", p.Results)
	}
}

func TestShellKeys(t *testing.T) {
	p, err := inShell(t, nil, nil, "@0\n")
	assert.NilError(t, err)
	base := keysOf(t, p)
	for name, c := range map[string]struct {
		change       func(*design.Design)
		set          func(*tools.Set)
		firmware     string
		shell, image bool // whose key changes
	}{
		"nothing":  {nil, nil, "@0\n", false, false},
		"firmware": {nil, nil, "@0\n1\n", false, true},
		"revision": {func(d *design.Design) { d.Shell.Revision = strings.Repeat("a", 40) }, nil, "@0\n", true, true},
		"an option": {func(d *design.Design) {
			d.Shell.Options = []platform.Setting{{Name: "BUILD_OPT", Value: "0"}, {Name: "TLBL_A", Value: "12"}}
		}, nil, "@0\n", true, true},
		"clock": {func(d *design.Design) { d.Platform.Clock = 200 }, nil, "@0\n", true, true},
		"Vivado": {nil, func(s *tools.Set) {
			v := s.Tools["vivado"]
			v.Version = "2022.2"
			s.Tools["vivado"] = v
		}, "@0\n", true, true},
		"jobs": {func(d *design.Design) { d.Platform.Build.Jobs = 3 }, nil, "@0\n", false, false},
		"processors": {func(d *design.Design) {
			steps := maps.Clone(d.Platform.Build.Steps)
			steps[step.Shell] = step.Resources{CPUs: 2}
			d.Platform.Build.Steps = steps
		}, nil, "@0\n", false, false},
		"where a tool is": {nil, func(s *tools.Set) {
			for name, v := range s.Tools {
				v.Path = "/elsewhere/" + name
				s.Tools[name] = v
			}
		}, "@0\n", false, false},
	} {
		p, err := inShell(t, c.change, c.set, c.firmware)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		keys := keysOf(t, p)
		if (keys[shellStep] != base[shellStep]) != c.shell || (keys[shellLast] != base[shellLast]) != c.image {
			t.Errorf("%s: other keys of the shell: %t, of the image: %t; want %t, %t", name, keys[shellStep] != base[shellStep],
				keys[shellLast] != base[shellLast], c.shell, c.image)
		}
	}
}

func TestShellFirmwareInKernel(t *testing.T) {
	inKernel := func(d *design.Design) { d.Platform.Build.Firmware = platform.FirmwareKernel }
	p, err := inShell(t, inKernel, nil, "@0\n")
	assert.NilError(t, err)
	assert.Check(t, len(p.Steps) == 1 && !strings.Contains(string(p.Steps[0].Script()), "firmware_mmi"),
		"there are %d steps", len(p.Steps))
	var paths []string
	for _, r := range p.Results {
		paths = append(paths, r.Path)
	}
	assert.Check(t, slices.Equal(paths, []string{"u55c_rdma.bit", "u55c_rdma.bin"}), "results are %q", paths)
	for _, r := range p.Results {
		assert.Check(t, slices.Contains(p.Steps[0].Outputs, r.Output), "%s is no output", r.Output)
	}
}

func TestShellInCpp(t *testing.T) {
	p, err := inShell(t, func(d *design.Design) { d.PluginsAs("hls") }, nil, "@0\n")
	assert.NilError(t, err)
	s := p.Step(shellStep)
	script := string(s.Script())
	hls, cmake := strings.Index(script, "vitis_hls -f coyote/hls_reduce_ops.tcl\n"), strings.Index(script, "cmake -S")
	if hls < 0 || cmake < hls || !strings.Contains(script, "vitis_hls -f coyote/hls_hp_compression.tcl\n") {
		t.Errorf("kernels in C++ are not compiled first:\n%s", script)
	}
	if !slices.ContainsFunc(s.Files, func(f step.File) bool { return f.Path == "hls/reduce_ops/reduce_ops.cpp" }) {
		t.Error("the C++ is not there")
	}
}

func TestShellCannot(t *testing.T) {
	_, err := inShell(t, func(d *design.Design) { d.Platform.CCLO.Count = 2 }, nil, "")
	if err == nil || !strings.Contains(err.Error(), "platforms/u55c_rdma.hcl") ||
		!strings.Contains(err.Error(), "one engine") {
		t.Errorf("error is %v", err)
	}
	for _, tool := range []string{"vivado", "vitis_hls", "git", "cmake", "make", "updatemem"} {
		_, err := inShell(t, nil, func(s *tools.Set) { delete(s.Tools, tool) }, "")
		assert.Check(t, errors.Is(err, tools.ErrMissing) && strings.Contains(err.Error(), tool),
			"without %s the error is %v", tool, err)
	}
	needs := plan.Needs(designtest.Load(t, "u55c_rdma", nil))
	for _, tool := range []string{"vivado", "vitis_hls", "git", "cmake", "make", "updatemem"} {
		assert.Check(t, slices.ContainsFunc(needs, func(n tools.Need) bool { return n.Tool == tool }),
			"%s is not among the tools that are looked for", tool)
	}
}
