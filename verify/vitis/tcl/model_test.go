package tcl_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

const smallTop = "module top (\n    input wire ap_clk,\n    input wire ap_rst_n,\n    input wire a_tvalid,\n    " +
	"output wire [31:0] b_tdata\n);\nendmodule\n"

// The model refuses what Vivado refuses: otherwise nothing that it takes says anything.
func TestModelRefuses(t *testing.T) {
	needTcl(t)
	const project = "create_project -part xcu50-fsvh2104-2-e p [pwd]/p\n"
	const packaged = project +
		"add_files top.v\nset_property top top [get_filesets sources_1]\nipx::package_project -root_dir [pwd]/ip -vendor " +
		"v -library l\nset c [ipx::current_core]\n"
	const axis = packaged +
		"set b [ipx::add_bus_interface a1 $c]\nset_property bus_type_vlnv xilinx.com:interface:axis:1.0 $b\nset_property " +
		"abstraction_type_vlnv xilinx.com:interface:axis_rtl:1.0 $b\nset_property interface_mode slave $b\n"
	const cell = "set s [create_bd_cell -type ip -vlnv xilinx.com:ip:axis_switch:1.1 s]\n"
	const ila = "set i [create_ip -name ila -vendor xilinx.com -library ip -module_name a]\n" +
		"set_property CONFIG.C_NUM_OF_PROBES 2 $i\nset_property "
	for script, want := range map[string]string{
		"launch_simulation":                                       `invalid command name "launch_simulation"`,
		"create_project -fast p":                                  "unknown option '-fast'",
		"create_project -part":                                    "missing value for option '-part'",
		"create_project -part u50 p":                              "does not name a part",
		"create_project -part a -part b p":                        "given twice",
		project + project:                                         "is open",
		project + "add_files nothing.v":                           "there is no file nothing.v",
		project + "add_files top.v\nadd_files top.v":              "there is a file",
		project + "set_property speed 1 [get_filesets sources_1]": "a fileset has no property 'speed'",
		project + "set_property top":                              "name, value and object",
		project +
			"add_files top.sv\nset_property top top [get_filesets sources_1]\nipx::package_project -root_dir [pwd]/ip -vendor v -library l": "no file in Verilog has the module",
		packaged + "ipx::add_bus_interface a $c":                                   "there is a bus bus:a already",
		packaged + "ipx::remove_bus_interface z $c":                                "there is no bus",
		packaged + "ipx::add_port_map TVALID [ipx::add_bus_interface z $c]":        "has no bus type",
		axis + "ipx::add_port_map TSIZE $b":                                        "axis has no port TSIZE",
		axis + "set_property physical_name z_tvalid [ipx::add_port_map TVALID $b]": "the top module has no port z_tvalid",
		axis + "set_property physical_name b_tdata [ipx::add_port_map TDATA $b]":   "is an output",
		axis +
			"set_property physical_name a_tvalid [ipx::add_port_map TVALID $b]\nset_property physical_name a_tvalid [ipx::add_port_map TUSER $b]": "a_tvalid is in",
		axis + "ipx::add_bus_parameter SPEED $b":                                        "no bus has a parameter SPEED",
		axis + "ipx::associate_bus_interfaces -busif a1 -clock a1 $c":                   "a1 is no clock",
		axis + "ipx::check_integrity -kernel $c":                                        "has no bus type",
		packaged + "package_xo -kernel_name top -ip_directory [pwd]/ip -xo_path x.xo":   "there is no IP in",
		packaged + "ipx::save_core $c\npackage_xo -ip_directory [pwd]/ip -xo_path x.xo": "-kernel_name is missing",
		packaged +
			"ipx::save_core $c\npackage_xo -kernel_name k -ip_directory [pwd]/ip -xo_path x.xo -kernel_xml top.v": "the IP is 'top'",
		ila + "CONFIG.C_PROBE2_WIDTH 1 $i":                              "an ila of 2 probes has no CONFIG.C_PROBE2",
		ila + "CONFIG.C_PROBE1_WIDTH 1025 $i":                           "no CONFIG.C_PROBE1_WIDTH",
		ila + "CONFIG.C_DEPTH 1024 $i":                                  "no CONFIG.C_DEPTH",
		"create_bd_cell -type ip -vlnv xilinx.com:ip:axis_router:1.0 s": "there is no IP",
		cell + "set_property CONFIG.NUM_SI 17 $s":                       "it may be 1 to 16",
		cell + "set_property CONFIG.ARB_ON_TLAST 1 $s":                  "ARB_ON_TLAST without HAS_TLAST",
		cell + "set_property CONFIG.ARB_ON_MAX_XFERS 0 $s":              "without ARB_ON_TLAST",
		cell + "set_property CONFIG.M01_AXIS_BASETDEST 0 $s":            "with 1 outputs",
		cell + "set_property CONFIG.M00_AXIS_HIGHTDEST 0x2 $s":          "1 bits of TDEST",
		cell + "set_property CONFIG.SPEED 1 $s":                         "has no parameter SPEED",
		cell +
			"connect_bd_intf_net [get_bd_intf_pins s/S00_AXIS] [get_bd_intf_pins s/M00_AXIS]\nconnect_bd_intf_net [get_bd_intf_pins s/S00_AXIS] [get_bd_intf_pins s/M00_AXIS]": "is connected already",
		cell + "connect_bd_intf_net [get_bd_intf_pins s/S00_AXIS] [get_bd_intf_pins s/S01_AXIS]": "are both slave",
		"report_power -fast":                          "unknown option '-fast'",
		"report_timing_summary -delay_type x -file f": "-delay_type x",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "top.v"), smallTop)
		write(t, filepath.Join(dir, "top.sv"), smallTop)
		write(t, filepath.Join(dir, "script.tcl"), script+"\n")
		_, err := tcl.Run{Parts: []string{tcl.Project, tcl.IPX, tcl.BD, tcl.Netlist},
			Script: filepath.Join(dir, "script.tcl"), Dir: dir}.Do(t.Context())
		assert.Check(t, err != nil && strings.Contains(err.Error(), want),
			"%s: error %v, which does not say %q", script, err, want)
	}
}

func TestWithoutTcl(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := tcl.Available()
	assert.Check(t, errors.Is(err, tcl.ErrNoTcl) && strings.Contains(err.Error(), "apt-get install tcl"), "error %v", err)
}
