package emit

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
)

var moduleUse = regexp.MustCompile(`(?m)^\s+(\w+)\s*(?:#\(|\w+ \()`)

var moduleName = regexp.MustCompile(`(?m)^(?:module|package)\s+(\w+)`)

func TestCoyoteSources(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	files := filesOf(t, coyote, d)
	have := map[string]string{}
	for name, text := range files {
		if path.Ext(name) != ".sv" {
			continue
		}
		assert.Check(t, path.Dir(name) == "coyote/src/hdl", "%s stands where the shell does not look", name)
		for _, m := range moduleName.FindAllStringSubmatch(text, -1) {
			assert.Check(t, have[m[1]] == "", "%s is in %s and %s", m[1], have[m[1]], name)
			have[m[1]] = name
			assert.Check(t, !slices.Contains(d.Shell.Modules, m[1]), "%s has the name of a module of the shell's", m[1])
		}
	}
	for _, k := range d.Kernels() {
		_, is := have[k.Name]
		assert.Check(t, is == !d.InShell(k), "kernel %s: it is there: %t", k.ID, is)
	}
	// No instance has the name of one of the shell's.
	for name, text := range files {
		for _, m := range moduleUse.FindAllStringSubmatch(text, -1) {
			if path.Ext(name) == ".sv" && slices.Contains(d.Shell.Modules, m[1]) {
				t.Errorf("%s uses %s, which is the shell's", name, m[1])
			}
		}
	}
	for _, name := range []string{"coyote_top", "coyote_dma", "coyote_rdma", "coyote_pkg", "cclo_fifo",
		"cclo_pkg", "skid_buffer"} {
		assert.Check(t, have[name] != "", "there is no %s", name)
	}
}

// The top level joins what the design joins: both ends of every stream have the
// same wires, and no wire has other ends.
func TestCoyoteStreams(t *testing.T) {
	for _, vars := range []map[string]cty.Value{nil, {"host_memory": cty.True}} {
		d := designtest.Load(t, "u55c_rdma", vars)
		text := filesOf(t, coyote, d)["coyote/src/hdl/coyote_top.sv"]
		at := map[string]string{} // signal by instance.pin
		ends := map[string]int{}
		for name, i := range netlistOf(t, text).instances {
			for pin, signal := range i.pins {
				at[name+"."+pin] = signal
				ends[signal]++
			}
		}
		for _, s := range d.Streams {
			for _, suffix := range []string{"_tvalid", "_tready", "_tdata"} {
				from, to := at[s.From.Instance.Name+"."+s.From.Name+suffix], at[s.To.Instance.Name+"."+s.To.Name+suffix]
				if from == "" || from != to {
					t.Errorf("%s%s of %s is at %q, and %s%s of %s at %q", s.From.Name, suffix, s.From.Instance.Name, from, s.To.Name,
						suffix, s.To.Instance.Name, to)
				}
				assert.Check(t, ends[from] == 2, "%s has %d ends", from, ends[from])
			}
		}
		for _, i := range d.Instances {
			assert.Check(t, at[i.Name+".ap_clk"] == "aclk" && at[i.Name+".ap_rst_n"] == "aresetn",
				"%s has clock %q and reset %q", i.Name, at[i.Name+".ap_clk"], at[i.Name+".ap_rst_n"])
		}
		for pin, signal := range map[string]string{
			"poe_0.host_send_tdata": "host_send_2_tdata", "extdma_0_0.card_send_tdata": "card_send_0_tdata",
			"extdma_0_1.host_recv_tdata": "host_recv_1_tdata", "extdma_0_1.wr_data": "wr_data[98 +: 98]",
			"poe_0.send_data": "wr_data[196 +: 98]", "poe_0.write_data": "wr_data[294 +: 98]",
			"poe_0.read_data": "rd_data[196 +: 98]",
		} {
			assert.Check(t, at[pin] == signal, "%s is at %q, want %q", pin, at[pin], signal)
		}
	}
}

// Drivers of today look for the engine at 0 and for the host controller at 0x2000,
// in bytes of kernels.
func TestCoyoteWindows(t *testing.T) {
	windows := CoyoteWindows(designtest.Load(t, "u55c_rdma", nil))
	if len(windows) != 2 || windows[0].Instance != "ccl_offload_0" || windows[0].Base != 0 || windows[0].Size != 0x2000 ||
		windows[1].Instance != "hostctrl_0_0" || windows[1].Base != 0x2000 || windows[1].Size != 0x1000 {
		t.Errorf("windows are %+v", windows)
	}
}

var cmakeSet = regexp.MustCompile(`(?m)^set\((\w+) ([^)]*)\)$`)

func TestCoyoteOptions(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", map[string]cty.Value{"ethernet_port": cty.NumberIntVal(1)})
	got := map[string]string{}
	for _, m := range cmakeSet.FindAllStringSubmatch(filesOf(t, coyote, d)["coyote/CMakeLists.txt"], -1) {
		got[m[1]] = m[2]
	}
	// What Xilinx/ACCL configures: three streams each of host and card, two of RDMA.
	for name, want := range map[string]string{
		"FDEV_NAME": "u55c", "N_REGIONS": "1", "EN_STRM": "1", "N_STRM_AXI": "3", "EN_MEM": "1", "N_CARD_AXI": "3",
		"EN_RDMA": "1", "N_RDMA_AXI": "2",
		"EN_NET_0": "0", "EN_NET_1": "1", "ACLK_F": "250", "EN_PR": "0",
	} {
		assert.Check(t, got[name] == want, "%s is %q, want %q", name, got[name], want)
	}
	for name := range got {
		assert.Check(t, slices.Contains(d.Shell.Computed, name) || name == "CMAKE_MODULE_PATH",
			"%s is set, and users may set it too", name)
		assert.Check(t, !slices.Contains(d.Shell.Known, name), "%s is both computed and an option of users", name)
	}
	cores := "set(COMP_CORES $ENV{CCLFORGE_JOBS})"
	assert.Check(t, strings.Contains(filesOf(t, coyote, d)["coyote/CMakeLists.txt"], cores),
		"the build does not decide how many processors it takes")
	own := *d.Shell
	own.Options = []platform.Setting{{Name: "COMP_CORES", Value: "2"}}
	with := *d
	with.Shell = &own
	assert.Check(t, !strings.Contains(filesOf(t, coyote, &with)["coyote/CMakeLists.txt"], cores),
		"the build decides how many processors it takes, and the platform has said it")
	flags := strings.Join(CoyoteFlags(d.Shell), " ")
	assert.Check(t, flags == "-DBUILD_OPT=1 -DEN_AVX=0 -DTLBL_A=12", "flags are %q", flags)
}

func TestCoyoteFirmware(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	files := filesOf(t, coyote, d)
	assert.Check(t, files["vitis/firmware_mmi.tcl"] != "" && files[CoyoteMap] != "" && CoyoteProcessors(d) != nil,
		"firmware that can be replaced: the map is missing")
	got := CoyoteProcessors(d)
	assert.Check(t, slices.Equal(got, []string{"ccl_offload_0"}), "processors are %q", got)
	d.Platform.Build.Firmware = "kernel"
	files = filesOf(t, coyote, d)
	assert.Check(t, files["vitis/firmware_mmi.tcl"] == "" && CoyoteProcessors(d) == nil,
		"firmware in the kernel: there is a map")
}

// A kernel in C++ becomes an IP under the name that the top level uses.
func TestCoyoteInCpp(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	d.PluginsAs("hls")
	files := filesOf(t, coyote, d)
	top, script := files["coyote/src/hdl/coyote_top.sv"], files["coyote/hls_reduce_ops.tcl"]
	for _, text := range []string{"reduce_ops_hls_ip arith_0 (", ".in0_TDATA(", ".out_r_TVALID(", ".ap_clk(aclk)"} {
		assert.Check(t, strings.Contains(top, text), "the top level has no %q", text)
	}
	for _, text := range []string{"set_top reduce_ops", "-format ip_catalog -ipname reduce_ops_hls_ip",
		"set_part {xcu55c-fsvh2892-2L-e}", "create_clock -period 250MHz"} {
		assert.Check(t, strings.Contains(script, text), "the script has no %q:\n%s", text, script)
	}
	if !strings.Contains(files["coyote/src/init_ip.tcl"], "create_ip -name reduce_ops_hls_ip ") ||
		files["coyote/src/hdl/reduce_ops.sv"] != "" {
		t.Error("the project has no IP, or has RTL of the same kernel")
	}
	for name, want := range map[string]bool{
		"coyote/CMakeLists.txt": true, "hls/reduce_ops/reduce_ops.cpp": true, "hls/cclo_hls.hpp": true,
		"hls/reduce_ops/hls_config.cfg": false,
		"hls/sim/hls_stream.h":          false, "rtl/platform_top.sv": false, "vitis/firmware_mmi.tcl": true,
	} {
		if CoyoteReads(d, name) != want {
			t.Errorf("the build reads %s: %t", name, !want)
		}
	}
}

func TestCoyoteCannot(t *testing.T) {
	for name, c := range map[string]struct {
		vars   map[string]cty.Value
		change func(*design.Design)
		says   string
	}{
		"user kernel with memory": {map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}, nil,
			"kernel vadd_put reaches memory by its port"},
		"emulation": {map[string]cty.Value{"hw_emu": cty.True}, nil, "cannot be emulated"},
		"board": {nil, func(d *design.Design) {
			b := *d.Platform.Board
			b.Name, b.KnownAs = "u50", nil
			d.Platform.Board = &b
		}, "does not know the board u50"},
		"engines":      {nil, func(d *design.Design) { d.Platform.CCLO.Count = 2 }, "one engine"},
		"DMA engines":  {nil, func(d *design.Design) { d.Platform.CCLO.DMAEngines = 4 }, "take 5 streams"},
		"internal DMA": {nil, func(d *design.Design) { d.Platform.CCLO.DMA = "internal" }, `say dma = "external"`},
	} {
		d := designtest.Load(t, "u55c_rdma", c.vars)
		if c.change != nil {
			c.change(d)
		}
		if err := d.CheckShell(); err == nil || !strings.Contains(err.Error(), c.says) ||
			!strings.HasPrefix(err.Error(), "platforms/") {
			t.Errorf("%s: error is %v", name, err)
		}
		files, err := coyote(d)
		assert.Check(t, err == nil && files == nil, "%s: %d files, error %v", name, len(files), err)
	}
	d := designtest.Load(t, "u55c_tcp", nil)
	if files, err := coyote(d); err != nil || files != nil || d.Shell != nil || d.CheckShell() != nil {
		t.Errorf("a platform that is linked has %d files of the shell's (%v)", len(files), err)
	}
}

func TestRenamed(t *testing.T) {
	in := "module fifo #(\n    fifo #(.WIDTH(8)) fifo (\n  fifo  queue (\n    fifo_x #(.A(1)) a (\nassign fifo = " +
		"queue; // a fifo (\nmodule queue (\n"
	want := "module cclo_fifo #(\n    cclo_fifo #(.WIDTH(8)) fifo (\n  cclo_fifo  queue (\n    fifo_x #(.A(1)) a " +
		"(\nassign fifo = queue; // a fifo (\nmodule cclo_queue (\n"
	got := renamed([]byte(in), []string{"fifo", "queue"})
	assert.Check(t, string(got) == want, "got\n%s\nwant\n%s", got, want)
	assert.Check(t, bytes.Equal(renamed([]byte(in), nil), []byte(in)), "without names something has changed")
}
