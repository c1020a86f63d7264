package tcl_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
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
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

// A kernel is packaged with the files that its top module needs, and with no other:
// Verilator reads them without a complaint, and has a use for each. The nets of its logic analyzer
// exist, as wide as the ports of the IP.
func TestFilesOfAPackageAreAllAndNoMore(t *testing.T) {
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("verilator is missing: apt-get install verilator")
	}
	seen := map[string]bool{}
	for _, v := range []struct {
		name string
		vars map[string]cty.Value
	}{
		{"u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put"), "host_memory": cty.True}},
		{"u280_axis3x", nil}, {"u280_manual", nil}, {"u200_udp", map[string]cty.Value{"hw_emu": cty.True}},
		{"u280_2022", nil},
	} {
		d := designtest.Load(t, v.name, v.vars)
		d.Platform.Build.Hang = v.name != "u55c_tcp" || nightly.Enabled()
		steps, err := emit.PackageSteps(d)
		assert.NilError(t, err)
		files := rendered(t, d)
		for _, s := range steps {
			engines := nightly.Enabled() || d.Platform.POEs[0].Kind == "udp" // another network, other files
			if seen[s.Kernel.ID] && !(s.Kernel.ID == "ccl_offload" && engines) {
				continue
			}
			seen[s.Kernel.ID] = true
			t.Run(v.name+"/"+s.Kernel.ID, func(t *testing.T) {
				t.Parallel()
				dir := place(t, files, s.Files...)
				checkFiles(t, d, s, dir)
				if !d.Platform.Build.Hang || s.Kernel.Nets == nil {
					return
				}
				wrapper := "vitis/package/" + s.Kernel.ID + ".v"
				for good, bad := range map[string]string{"core.halted;": "core.nothing;", "[3:0] core_cause": "[4:0] core_cause"} {
					write(t, filepath.Join(dir, wrapper), strings.Replace(string(files[wrapper]), good, bad, 1))
					out, err := elaborate(t, d, s, dir)
					assert.Check(t, err != nil && strings.Contains(out, bad), "%s: %v\n%s", bad, err, out)
				}
			})
		}
	}
	assert.Check(t, len(seen) == 13, "%d kernels were looked at, and not 13", len(seen))
}

// chosen are modules that a parameter chooses, by the network or the functions: the others are there
// for the tools to read.
var chosen = regexp.MustCompile(`^((rx|tx)_(tcp|udp|rdma)|rx_fill|rx_shift|header_parts|reduce_product)$`)

func checkFiles(t *testing.T, d *design.Design, s emit.PackageStep, dir string) {
	t.Helper()
	out, err := elaborate(t, d, s, dir)
	assert.Assert(t, err == nil, "verilator: %v\n%s", err, out)
	sources, err := emit.KernelSources(d, s.Kernel)
	assert.NilError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "tree.xml"))
	assert.NilError(t, err)
	var doc struct {
		Modules []struct {
			Name string `xml:"origName,attr"`
		} `xml:"netlist>module"`
		Packages []struct {
			Name string `xml:"name,attr"`
		} `xml:"netlist>package"`
	}
	assert.NilError(t, xml.Unmarshal(text, &doc))
	used := map[string]bool{}
	for _, m := range doc.Modules {
		used[m.Name] = true
	}
	delete(used, s.Kernel.Name+"_ip")
	delete(used, s.Kernel.Name+"_ila")
	listed := map[string]bool{}
	for _, f := range sources {
		if unit := strings.TrimSuffix(path.Base(f), ".sv"); !strings.HasSuffix(unit, "_pkg") {
			listed[unit] = true
		}
	}
	for unit := range listed {
		if chosen.MatchString(unit) && !used[unit] {
			delete(listed, unit)
		}
	}
	assert.Check(t, is.DeepEqual(used, listed), "modules -used +listed")
}

// elaborate reads a kernel in Verilator, with a logic analyzer of the ports that the package's script gives it.
func elaborate(t *testing.T, d *design.Design, s emit.PackageStep, dir string) (string, error) {
	t.Helper()
	sources, err := emit.KernelSources(d, s.Kernel)
	assert.NilError(t, err)
	sources = append(slices.Clone(sources), "vitis/package/"+s.Kernel.ID+".v")
	if d.Platform.Build.Hang && s.Kernel.Nets != nil {
		ip := must(t, tcl.Run{Parts: []string{tcl.Project, tcl.IPX}, Script: filepath.Join(dir, s.Script),
			Dir: t.TempDir()}).Object("ip:" + s.Kernel.Name + "_ila").Properties
		assert.Equal(t, ip["CONFIG.C_NUM_OF_PROBES"], fmt.Sprint(len(s.Kernel.Nets)))
		module := "module " + s.Kernel.Name + "_ila (input wire clk"
		for n := range len(s.Kernel.Nets) {
			module += fmt.Sprintf(", input wire [%s-1:0] probe%d", ip[fmt.Sprintf("CONFIG.C_PROBE%d_WIDTH", n)], n)
		}
		write(t, filepath.Join(dir, "ila.v"), "/* verilator lint_off UNUSED */\n"+module+");\nendmodule\n")
		sources = append(sources, "ila.v")
	}
	cmd := exec.CommandContext(t.Context(), "verilator", append([]string{
		"--xml-only", "--xml-output", filepath.Join(dir, "tree.xml"), "-Wall", "-Wno-DECLFILENAME", "--no-timing",
		"--Mdir", filepath.Join(dir, "obj"), "--top-module", s.Kernel.Name + "_ip",
	}, sources...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
