package tcl_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

// What the package scripts of shipped platforms leave is what their designs say.
func TestPackagesAreWhatTheDesignSays(t *testing.T) {
	needTcl(t)
	for n, name := range shipped(t) {
		if !nightly.Sampled(n, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkPackages(t, designtest.Load(t, name, nil))
		})
	}
	for name, vars := range map[string]map[string]cty.Value{
		"u55c_tcp": {"user_kernel": cty.StringVal("vadd_put"), "host_memory": cty.True},
		"u250_udp": {"hw_emu": cty.True},
	} {
		t.Run(name+"_varied", func(t *testing.T) {
			t.Parallel()
			checkPackages(t, designtest.Load(t, name, vars))
		})
	}
}

func checkPackages(t *testing.T, d *design.Design) {
	t.Helper()
	steps, err := emit.PackageSteps(d)
	assert.NilError(t, err)
	var packaged, want []string
	for _, s := range steps {
		packaged = append(packaged, s.Kernel.ID)
	}
	for _, k := range d.Kernels() {
		if k.Source == platform.SourceRTL && d.Platform.POEs[0].Kind != "rdma" {
			want = append(want, k.ID)
		}
	}
	assert.Assert(t, slices.Equal(packaged, want), "packaged are %q, and the RTL kernels are %q", packaged, want)
	if len(steps) == 0 {
		return
	}
	files := rendered(t, d)
	for _, s := range steps {
		dir := place(t, files, s.Files...)
		state, err := tcl.Run{Parts: []string{tcl.Project, tcl.IPX}, Script: filepath.Join(dir, s.Script),
			Dir: t.TempDir()}.Do(t.Context())
		if err != nil {
			t.Errorf("%s: %v", s.Kernel.ID, err)
			continue
		}
		checkPackage(t, d, s, dir, state)
	}
}

func checkPackage(t *testing.T, d *design.Design, s emit.PackageStep, dir string, state *tcl.State) {
	t.Helper()
	k := s.Kernel
	assert.Check(t, is.Equal(state.All("project")[0].Properties["PART"], d.Platform.Board.Part), k.ID)
	core := state.Object("core").Properties
	for name, want := range map[string]string{
		"vendor": "cclforge", "library": "kernel", "name": k.Name, "version": "1.0", "sdx_kernel": "true",
		"sdx_kernel_type": "rtl",
		"vitis_drc":       "ctrl_protocol " + k.Control, "SAVED": "1", "CHECKED": "1", "IMPORTED": "1",
	} {
		assert.Check(t, is.Equal(core[name], want), "%s: %s", k.ID, name)
	}
	wantParameters := ""
	if d.Platform.POEs[0].Kind == "axis" && k.Name == "network_krnl" {
		wantParameters = "ID 0"
	}
	assert.Check(t, is.Equal(core["PARAMETERS"], wantParameters), k.ID)
	checkSources(t, s, dir, core["FILES"])
	assert.Check(t, is.DeepEqual(wantBuses(k), gotBuses(state)), "%s: buses -design +package", k.ID)
	assert.Check(t, is.DeepEqual(wantRegisters(k), gotRegisters(state)), "%s: registers -design +package", k.ID)
	checkXO(t, k, dir, s, state)
}

// checkSources: what was added is what the step names, packages first.
func checkSources(t *testing.T, s emit.PackageStep, dir, added string) {
	t.Helper()
	var got []string
	modules := false
	for _, name := range strings.Fields(added) {
		name, err := filepath.Rel(dir, name)
		assert.NilError(t, err)
		assert.Check(t, !strings.HasSuffix(name, "_pkg.sv") || !modules,
			"%s: the package %s comes behind modules", s.Kernel.ID, name)
		modules = modules || !strings.HasSuffix(name, "_pkg.sv")
		got = append(got, name)
	}
	slices.Sort(got)
	var want []string
	for _, f := range s.Files {
		if slices.Contains([]string{".sv", ".v", ".mem"}, filepath.Ext(f)) {
			want = append(want, f)
		}
	}
	assert.Check(t, is.DeepEqual(want, got), "%s: sources -step +script", s.Kernel.ID)
}

// checkXO: the file is where the step says, nothing else is left, and the kernel's
// description is of this IP.
func checkXO(t *testing.T, k *design.Kernel, dir string, s emit.PackageStep, state *tcl.State) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(dir, s.XO)); err != nil || string(text) != "xo of "+k.Name+"\n" {
		t.Errorf("%s: %s is %q, %v", k.ID, s.XO, text, err)
	}
	left, _ := os.ReadDir(filepath.Join(dir, "_package"))
	assert.Check(t, len(left) == 0, "%s: %v is left in _package", k.ID, left)
	xo := state.All("xo")
	assert.Assert(t, len(xo) == 1, "%s: package_xo was called %d times", k.ID, len(xo))
	var doc struct {
		Kernel struct {
			Name  string `xml:"name,attr"`
			VLNV  string `xml:"vlnv,attr"`
			Ports []struct {
				Name string `xml:"name,attr"`
			} `xml:"ports>port"`
		} `xml:"kernel"`
	}
	text, err := os.ReadFile(xo[0].Properties["XML"])
	assert.NilError(t, err)
	assert.NilError(t, xml.Unmarshal(text, &doc))
	assert.Check(t, doc.Kernel.VLNV == "cclforge:kernel:"+k.Name+":1.0" && doc.Kernel.Name == k.Name,
		"%s: its XML describes %s %s", k.ID, doc.Kernel.Name, doc.Kernel.VLNV)
	for _, p := range doc.Kernel.Ports {
		assert.Check(t, state.Object("bus:"+p.Name) != nil, "%s: its XML has a port %s that the IP lacks", k.ID, p.Name)
	}
}

// An engine with the vendor's processor has that as an IP of its own inside.
func TestVendorsProcessorIsMadeInTheEngine(t *testing.T) {
	needTcl(t)
	d := designtest.Made(t, "described", map[string]string{"described.hcl": `
platform "described" {
  board = "u55c"
  clock = 250
  cclo { processor = "microblaze_v" }
  poe "tcp" {}
}
`})
	files := rendered(t, d)
	steps, err := emit.PackageSteps(d)
	assert.NilError(t, err)
	for _, s := range steps {
		dir := place(t, files, s.Files...)
		state := must(t, tcl.Run{Parts: []string{tcl.Project, tcl.IPX}, Script: filepath.Join(dir, s.Script),
			Dir: t.TempDir()})
		checkPackage(t, d, s, dir, state)
		ips := state.All("ip")
		if s.Kernel.ID != "ccl_offload" {
			assert.Check(t, len(ips) == 0, "%s has %v inside", s.Kernel.ID, ips)
			continue
		}
		assert.Check(t, len(ips) == 1 && ips[0].Properties["VLNV"] == "xilinx.com:ip:microblaze_riscv",
			"the engine has %v inside", ips)
		assert.Check(t, is.Contains(string(files["rtl/microblaze_v/control_processor.sv"]),
			`parameter FIRMWARE = "cclo_firmware.mem"`))
		own := func(f string) bool { return strings.HasPrefix(filepath.Base(f), "rv32_core") }
		assert.Check(t, !slices.ContainsFunc(s.Files, own), "the engine has our processor, too")
	}
}
