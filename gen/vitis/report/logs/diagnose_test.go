package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

func workDir(files ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		dir[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return dir
}

const linkTail = `INFO: [v++ 60-1442] [13:36:55] Run run_link: Step vpl: Failed
Time (s): cpu = 00:00:12 ; elapsed = 00:00:23 . Memory (MB): peak = 2265.199 ; gain = 0.000
ERROR: [v++ 60-661] v++ link run 'run_link' failed
ERROR: [v++ 60-626] Kernel link failed to complete
ERROR: [v++ 60-703] Failed to finish linking
INFO: [v++ 60-1653] Closing dispatch client.
`

// The messages are those of public issue threads, which causes names; paths and
// names in them are made up.
var failures = []struct {
	name  string
	dir   fstest.MapFS
	err   error
	cause Cause
	first string // the first line begins with this
	count int    // of lines; 0: at least one
	log   string
	file  string
	line  int
}{
	{name: "timing of a clock that cannot be scaled", dir: workDir("step.log", `[13:31:18] Starting bitstream generation..
[13:36:54] Run vpl: Step impl: Failed
[13:36:55] Run vpl: FINISHED. Run Status: impl ERROR

===>The following messages were generated while  Compiling (bitstream) accelerator binary: a Log file: /w/link/vivado/vpl/prj/prj.runs/impl_1/runme.log  :
ERROR: [VPL 101-2] design did not meet timing - Design did not meet timing. One or more unscalable system clocks did not meet their required target frequency. For all system clocks, this design is using 0 nanoseconds as the threshold worst negative slack (WNS) value. List of system clocks with timing failure:
system clock: txoutclk_out[0]; slack: -0.024 ns
ERROR: [VPL 101-3] sourcing script /w/link/vivado/vpl/scripts/_full_write_bitstream_pre.tcl failed
ERROR: [VPL 60-773] In '/w/link/vivado/vpl/runme.log', caught Tcl error:  problem implementing dynamic region, impl_1: write_bitstream ERROR, please look at the run log file '/w/link/vivado/vpl/prj/prj.runs/impl_1/runme.log' for more information
ERROR: [VPL 60-704] Integration error, problem implementing dynamic region
ERROR: [VPL 60-806] Failed to finish platform linker
`+linkTail), cause: Timing, first: "ERROR: [VPL 101-2] design did not meet timing", count: 2, log: "step.log"},
	{name: "timing in an older text", dir: workDir("step.log", "ERROR: [VPL-4] Design failed to meet timing.\n"+linkTail),
		cause: Timing, first: "ERROR: [VPL-4]", count: 1, log: "step.log"},
	{name: "port", dir: workDir("step.log", `INFO: [CFGEN 83-0] Kernel Specs:
ERROR: [CFGEN 83-2292] --sp tag applied to an invalid port or argument name: m_axi_gmem0
ERROR: [CFGEN 83-2298] Exiting due to previous error
ERROR: [SYSTEM_LINK 82-36] [16:48:35] cfgen failed
ERROR: [SYSTEM_LINK 82-62] Error generating design file for /w/cfgen_cfgraph.xml, command: /opt/bin/cfgen -nk lu:1
ERROR: [SYSTEM_LINK 82-96] Error applying explicit connections to the system connectivity graph
ERROR: [SYSTEM_LINK 82-79] Unable to create system connectivity graph
`+linkTail), cause: Port, first: "ERROR: [CFGEN 83-2292]", count: 1, log: "step.log"},
	{name: "stream without an end",
		dir: workDir("step.log",
			"ERROR: [CFGEN 83-2284] No stream resources found that can accomodate compute unit "+
				"\"krnl_rtl_1.fpga_to_host\"\nERROR: [SYSTEM_LINK 82-36] [1:2:3] cfgen failed\n"+linkTail),
		cause: Stream, first: "ERROR: [CFGEN 83-2284]", count: 1, log: "step.log"},
	{name: "banks",
		dir: workDir("step.log",
			"ERROR: [CFGEN 83-2229] Failed to find single interface to reach all segments in {DDR[0], HBM[31], DDR[0]}\n"+
				linkTail), cause: Memories, first: "ERROR: [CFGEN 83-2229]", log: "step.log"},
	{name: "frequency option",
		dir: workDir("step.log", "ERROR: [CFGEN 83-2243] Malformed --clock.freqHz switch argument\n"+
			linkTail), cause: Connection, first: "ERROR: [CFGEN 83-2243]", log: "step.log"},
	{name: "no platform",
		dir: workDir("step.log",
			`ERROR: [v++ 60-1258] No valid platform was found that matches 'xilinx_u280_xdma_201920_3'. Please make sure that the platform is specified correctly, and the platform has the right version number. The platform repo paths are:
        /opt/Xilinx/Vitis/2023.2/platforms
The valid platforms found from the above repo paths are:

ERROR: [v++ 60-587] Failed to add a platform: specified platform xilinx_u280_xdma_201920_3 is not found or is not valid
`), cause: Platform, first: "ERROR: [v++ 60-1258]", count: 3, log: "step.log"},
	{name: "platform too old",
		dir: workDir("step.log",
			"ERROR: [v++ 60-1299] The specified platform is not supported. Platform "+
				"'xilinx_vck5000_gen4x8_qdma_2_202220_1.xpfm' (version 2022.2) is not supported by the current tool version "+
				"(2024.2).\n"), cause: Versions, first: "ERROR: [v++ 60-1299]", log: "step.log"},
	{name: "board files",
		dir: workDir("step.log",
			"ERROR: [Board 49-71] The board_part definition was not found for xilinx.com:au55c:part0:1.0. The project's "+
				"board_part property was not set\n"), cause: Board, log: "step.log"},
	{name: "device not installed",
		dir: workDir("step.log",
			"ERROR: [v++ 60-300] Failed to build kernel(ip) k, see log for details: /w/k/vitis_hls.log\nERROR: [v++ 60-773] "+
				"In '/w/k/vitis_hls.log', caught Tcl error: ERROR: [HLS 200-1023] Part 'xcu280-fsvh2892-2L-e' is not "+
				"installed.\nERROR: [v++ 60-599] Kernel compilation failed to complete\nERROR: [v++ 60-592] Failed to finish "+
				"compilation\n"),
		cause: Part, first: "ERROR: [HLS 200-1023] Part", count: 1, log: "step.log"},
	{name: "licence, hidden in the run's log",
		dir: workDir("step.log",
			"ERROR: [VPL 60-773] In '/w/_x/link/vivado/vpl/vivado.log', caught Tcl error:  problem implementing dynamic "+
				"region, synth: see the run log file '/w/_x/link/vivado/vpl/prj/prj.runs/my_rm_synth_1/runme.log' for more "+
				"information\nERROR: [VPL 60-704] Integration error\n"+linkTail,
			"_x/link/vivado/vpl/prj/prj.runs/impl_1/runme.log",
			"INFO: [Common 17-349] Got license for feature 'Implementation'\nERROR: [Foo 1-1] of an earlier try\n",
			"_x/link/vivado/vpl/prj/prj.runs/my_rm_synth_1/runme.log",
			"Attempting to get a license for feature 'Synthesis' and/or device 'xcu55c'\nWARNING: [Common 17-348] Failed to "+
				"get the license for feature 'Synthesis' and/or device 'xcu55c'. Explanation: The license feature Synthesis "+
				"could not be found.\nERROR: [Common 17-345] A valid license was not found for feature 'Synthesis' and/or "+
				"device 'xcu55c'. Please run the Vivado License Manager for assistance\n0 Infos, 1 Warnings, 0 Critical "+
				"Warnings and 1 Errors encountered.\n"),
		cause: Licence, first: "ERROR: [Common 17-345]", count: 2,
		log: "_x/link/vivado/vpl/prj/prj.runs/my_rm_synth_1/runme.log"},
	{name: "licence of an older flow that was only asked for",
		dir: workDir("step.log",
			"Attempting to get a license: ap_opencl\nWARNING: [VPL 17-301] Failed to get a license for 'ap_opencl'. "+
				"Explanation: The license feature ap_opencl could not be found.\nFeature available: ap_sdsoc\nERROR: [VPL "+
				"UTLZ-1] Resource utilization: RAMB18 and RAMB36/FIFO over-utilized in Top Level Design (This design requires "+
				"more RAMB18 and RAMB36/FIFO cells than are available in the target device.)\n"),
		cause: Utilisation, first: "ERROR: [VPL UTLZ-1]", count: 1, log: "step.log"},
	{name: "licence of the MAC",
		dir: workDir("step.log",
			`ERROR: [VPL 17-69] Command failed: This design contains one or more cells for which bitstream generation is not permitted:
level0_i/ulp/cmac_0/inst/cmac_bd_0_i/cmac_uplus_0/inst/i_cmac_bd_cmac_uplus_0_0_top (<encrypted cellview>)
If a new IP Core license was added, in order for the new license to be picked up, the current netlist needs to be updated by resetting and re-generating the IP output products before bitstream generation.
ERROR: [VPL 60-773] In '/w/vivado.log', caught Tcl error:  problem implementing dynamic region, impl_1: write_bitstream ERROR, please look at the run log file '/w/runme.log' for more information
`+linkTail), cause: IPLicence, first: "ERROR: [VPL 17-69]", count: 3, log: "step.log"},
	{name: "region",
		dir: workDir("step.log",
			"ERROR: [VPL UTLZ-1] Resource utilization: GTYE4_CHANNEL over-utilized in Pblock pblock_dynamic_region (This "+
				"design requires more GTYE4_CHANNEL cells than are available in Pblock 'pblock_dynamic_region'.)\n"+linkTail),
		cause: Region, log: "step.log"},
	{name: "placer in a region",
		dir: workDir("step.log",
			"ERROR: [VPL 30-1003] Placer failed with error: 'Could not place all instances'\nERROR: [Place 30-640] Place "+
				"Check : This design requires more RAMB18 cells than are available in Pblock 'SLR1'. This design requires 80 of "+
				"such cell types but only 20 compatible sites are available in Pblock 'SLR1'.\nERROR: [Place 30-99] Placer "+
				"failed with error: 'IO Clock Placer failed'\nERROR: [Common 17-69] Command failed: Placer could not place all "+
				"instances\n"), cause: Region, count: 1, log: "step.log"},
	{name: "congestion",
		dir: workDir("step.log",
			"ERROR: [VPL 60-773] In '/w/a/vivado.log', caught Tcl error:  problem implementing dynamic region, impl_1: "+
				"route_design ERROR, please look at the run log file '/w/a/runme.log' for more information\n"+linkTail,
			"a/runme.log",
			"WARNING: [Route 35-3311] The design has high localized SLL routing demand.\nERROR: [Route 35-3] Design is not "+
				"routable as its global congestion level is 7.\nERROR: [Common 17-39] 'route_design' failed due to earlier "+
				"errors.\n"),
		cause: Congestion, first: "ERROR: [Route 35-3]", count: 1, log: "a/runme.log"},
	{name: "C++",
		dir: workDir("step.log",
			"INFO: [HLS 200-10] Analyzing design file 'hls/filter.cpp' ...\nERROR: [HLS 207-3801] unknown type name "+
				"'stream_word' (hls/filter.hpp:49:5)\nERROR: [HLS 207-3801] unknown type name 'stream_word' "+
				"(hls/filter.hpp:60:5)\nERROR: [HLS 200-1715] Encountered problem during source synthesis\ncommand 'ap_source' "+
				"returned error code\n    while executing\n\"source run_hls.tcl\"\n"),
		cause: Source, first: "ERROR: [HLS 207-3801]", count: 2, log: "step.log", file: "hls/filter.hpp", line: 49},
	{name: "header",
		dir:   workDir("step.log", "ERROR: [HLS 207-812] 'ap_utils.h' file not found (/w/driver/hls/accl_hls.h:24:10)\n"),
		cause: Source, file: "/w/driver/hls/accl_hls.h", line: 24, log: "step.log"},
	{name: "RTL",
		dir:   workDir("step.log", "ERROR: [Synth 8-439] module 'sync_event' not found [/w/rtl/axi_jesd204_rx.v:127]\n"),
		cause: Source, file: "/w/rtl/axi_jesd204_rx.v", line: 127, log: "step.log"},
	{name: "compiler",
		dir: workDir("step.log",
			"[ 10%] Building CXX object a.o\nsrc/a.cpp:12:3: error: 'x' was not declared in this scope\n   12 |   x = "+
				"3;\nmake[1]: *** [Makefile:7: a.o] Error 1\n"), cause: Source, first: "src/a.cpp:12:3: error", file: "src/a.cpp",
		line: 12, log: "step.log"},
	{name: "date",
		dir: workDir("step.log",
			"source run_ippack.tcl -notrace\nbad lexical cast: source type value could not be interpreted as target\n    "+
				"while executing\n\"rdi::set_property core_revision 2201061327 {component component_1}\"\nINFO: [Common 17-206] "+
				"Exiting Vivado at Thu Jan  6 13:27:40 2022...\nERROR: [IMPL 213-28] Failed to generate IP.\ncommand "+
				"'ap_source' returned error code\n"),
		cause: Overflow, first: "bad lexical cast", count: 2, log: "step.log"},
	{name: "date, 2021",
		dir: workDir("step.log",
			"ERROR: '2201251806' is an invalid argument. Please specify an integer value.\n    while "+
				"executing\n\"rdi::set_property core_revision 2201251806 {component component_1}\"\n"), cause: Overflow,
		log: "step.log"},
	{name: "Tcl",
		dir: workDir("step.log",
			"source vitis/package/hostctrl.tcl -notrace\nwrong # args: should be \"add_register block name offset size "+
				"access\"\n    while executing\n\"add_register $block scenario 0x010 32 \"\n    (file "+
				"\"vitis/package/hostctrl.tcl\" line 146)\n    invoked from within\n\"source outer.tcl\"\n    (file "+
				"\"outer.tcl\" line 3)\nINFO: [Common 17-206] Exiting Vivado\n"),
		cause: Unknown, first: "wrong # args", count: 3, log: "step.log", file: "vitis/package/hostctrl.tcl", line: 146},
	{name: "an error behind a trace",
		dir: workDir("step.log",
			"it went wrong\n    while executing\n\"x\"\nINFO: [Common 17-206] Exiting\nERROR: [Foo 1-1] later\n"),
		cause: Unknown, first: "it went wrong", count: 3, log: "step.log"},
	{name: "two traces",
		dir: workDir("step.log",
			"one went wrong\n    while executing\n\"x\"\nINFO: [Common 17-206] Exiting\nanother went wrong\n    while "+
				"executing\n\"y\"\n"), cause: Unknown, first: "one went wrong", count: 4, log: "step.log"},
	{name: "only what a crash leaves", dir: workDir("step.log", "INFO: nothing\n", "hs_err_pid7.log",
		"#\nStack:\n/lib64/libc.so.6(+0x4eb80) [0x7fe492a3cb80]\n"), err: step.ErrFailed, cause: Crash},
	{name: "killed",
		dir: workDir("step.log",
			"[Sat Nov 21] Waiting for synth_1 to finish...\n/tools/Vivado/2023.2/bin/rdiArgs.sh: line 309: 3801495 Killed    "+
				"              \"$RDI_PROG\" \"$@\"\nmake: *** [Makefile:29: x.xsa] Error 137\n"), cause: Memory,
		count: 1, log: "step.log"},
	{name: "memory, told by the executor", dir: workDir("step.log", "INFO: nothing\n"),
		err: fmt.Errorf("link: %w", step.ErrMemory), cause: Memory},
	{name: "memory of a job",
		dir: workDir("step.log",
			"slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch. Some of the step tasks have been OOM Killed.\n"),
		err: step.ErrFailed, cause: Memory, count: 1, log: "step.log"},
	{name: "time of a job",
		dir: workDir("step.log",
			"slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-21T12:00:00 DUE TO TIME LIMIT ***\n"),
		err: step.ErrFailed, cause: TimeLimit, log: "step.log"},
	{name: "host of a job",
		dir: workDir("step.log",
			"slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-21T12:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR "+
				"DETAILS ***\n"), err: step.ErrFailed, cause: Host, log: "step.log"},
	{name: "killed without a word", dir: workDir("step.log", "INFO: nothing\n"), err: fmt.Errorf("%w: exit status 137",
		step.ErrFailed), cause: Memory, first: "the step has failed: exit status 137"},
	{name: "not found without a word", dir: workDir("step.log", ""),
		err:   fmt.Errorf("%w: exit status 127", step.ErrFailed),
		cause: Tool},
	{name: "a status that says nothing", dir: workDir("step.log", ""), err: fmt.Errorf("%w: exit status 1370",
		step.ErrFailed), cause: Unknown},
	{name: "time", dir: workDir("step.log", "[17:01:46] Starting logic placement..\n"), err: step.ErrTimeLimit,
		cause: TimeLimit},
	{name: "cancelled", dir: workDir("step.log", "ERROR: [v++ 60-661] v++ link run 'run_link' failed\n"),
		err: context.Canceled, cause: Cancelled},
	{name: "disk",
		dir: workDir("step.log", "ERROR: [Common 17-1294] Unable to create directory [/w/.Xil/Vivado-22251/dcp1].\n",
			"_x/vivado.log", "write_checkpoint failed: No space left on device\n"), cause: Disk,
		first: "ERROR: [Common 17-1294]", log: "step.log"},
	{name: "crash",
		dir: workDir("step.log", "Abnormal program termination (11)\nPlease check '/w/hs_err_pid11621.log' for details\n"+
			linkTail, "hs_err_pid11621.log",
			"#\n# An unexpected error has occurred (11)\n#\nStack:\n/lib64/libc.so.6(+0x4eb80) [0x7fe492a3cb80]\n"),
		cause: Crash, first: "Abnormal program termination (11)", log: "step.log"},
	{name: "library",
		dir: workDir("step.log",
			"application-specific initialization failed: couldn't load file \"librdi_commontasks.so\": libtinfo.so.5: cannot "+
				"open shared object file: No such file or directory\n"), cause: Library, count: 1, log: "step.log"},
	{name: "locale",
		dir: workDir("step.log",
			"terminate called after throwing an instance of 'std::runtime_error'\n  what():  "+
				"locale::facet::_S_create_c_locale name not valid\n/opt/bin/loader: line 164: 10333 Aborted                 "+
				"\"$RDI_PROG\" \"$@\"\n"), cause: Locale, first: "terminate called", log: "step.log"},
	{name: "revision", dir: workDir("step.log", "Cloning into 'src'...\nfatal: reference is not a tree: 7f3c0de\n"),
		cause: Revision, first: "fatal: reference", log: "step.log"},
	{name: "abbreviated revision", dir: workDir("step.log", "error: short object ID 562ae00 is ambiguous\n"+
		"fatal: Needed a single revision\n"), cause: Revision, first: "error: short", log: "step.log"},
	{name: "network",
		dir: workDir("step.log",
			"Cloning into 'src'...\nfatal: unable to access 'https://github.com/Xilinx/x.git/': Could not resolve host: "+
				"github.com\n"), cause: Network, log: "step.log"},
	{name: "access",
		dir: workDir("step.log",
			"git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.\n"),
		cause: Access, log: "step.log"},
	{name: "no tool", dir: workDir("step.log", "/w/step.commands.sh: line 5: v++: command not found\n"), cause: Tool,
		log: "step.log"},
	{name: "two causes",
		dir: workDir("step.log",
			"ERROR: [VPL-4] Design failed to meet timing.\nERROR: [VPL 35-3] Design is not routable as its global congestion "+
				"level is 7.\n"), cause: Timing, count: 2, log: "step.log"},
	{name: "long line", dir: workDir("step.log", "ERROR: [Foo 1-1] "+strings.Repeat("é", 3000)+"\n"), cause: Unknown,
		first: "ERROR: [Foo 1-1] é", count: 1, log: "step.log"},
	{name: "unknown error", dir: workDir("step.log", "ERROR: [Foo 1-1] the moon is full\n"+linkTail), cause: Unknown,
		first: "ERROR: [Foo 1-1] the moon is full", count: 1, log: "step.log"},
	{name: "only consequences", dir: workDir("step.log", linkTail), cause: Unknown, first: "ERROR: [v++ 60-661]",
		count: 3, log: "step.log"},
	{name: "escapes and carriage returns",
		dir: workDir("step.log", "10%\r20%\r\x1b[31mERROR: [VPL-4] Design failed to meet timing.\x1b[0m\r\n"), cause: Timing,
		first: "ERROR: [VPL-4] Design failed to meet timing.", count: 1, log: "step.log"},
	{name: "nothing at all", dir: workDir(), err: errors.New("exit status 3"), cause: Unknown, first: "exit status 3",
		count: 1},
	{name: "binary", dir: workDir("step.log", "\x00\x01\xff\xfe ERROR"), err: step.ErrFailed, cause: Unknown,
		first: "the step has failed"},
}

func TestDiagnose(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			d := Diagnose(t.Context(), f.dir, f.err)
			assert.Check(t, is.Equal(d.Cause, f.cause))
			if f.first != "" && (len(d.Lines) == 0 || !strings.HasPrefix(d.Lines[0], f.first)) {
				t.Errorf("lines %q, want the first to begin with %q", d.Lines, f.first)
			}
			assert.Check(t, f.count <= 0 || len(d.Lines) == f.count, "%d lines, want %d: %q", len(d.Lines), f.count, d.Lines)
			assert.Check(t, f.log == "" || d.Log == f.log, "log %q, want %q", d.Log, f.log)
			assert.Check(t, d.File == f.file && d.Line == f.line, "place %s:%d, want %s:%d", d.File, d.Line, f.file, f.line)
			assert.Check(t, d.Cause == Unknown || d.Title != "", "no title")
			for _, l := range d.Lines {
				assert.Check(t, utf8.RuneCountInString(l) <= mostWidth+2, "line with %d letters", utf8.RuneCountInString(l))
				assert.Check(t, !strings.ContainsAny(l, "\x1b\r\n\t"), "line with control characters: %q", l)
			}
		})
	}
}

func TestCauses(t *testing.T) {
	seen := map[Cause]bool{Utilisation: true}
	for _, f := range failures {
		seen[f.cause] = true
	}
	for _, c := range causes {
		if !seen[c.cause] && c.cause != Path && c.cause != Instance {
			t.Errorf("no test of cause %q", c.cause)
		}
		if c.title == "" || c.pattern != nil && c.source == "" {
			t.Errorf("cause %q has no title or no source", c.cause)
		}
	}
	for _, line := range []struct {
		text  string
		cause Cause
	}{
		{"ERROR: [CFGEN 83-2300] Compute unit foo_1 not found", Instance},
		{"cannot create /a/b: File name too long", Path},
		{"ERROR: [DRC UTLZ-1] Resource utilization: LUT as Logic over-utilized in Top Level Design (This design requires " +
			"more LUT as Logic cells than are available in the target device.)", Utilisation},
		{"[Place 30-484] The packing of LUTRAM/SRL instances into capable slices could not be obeyed.", Utilisation},
	} {
		i, _ := match(line.text)
		assert.Check(t, i >= 0 && causes[i].cause == line.cause, "%q: not %q", line.text, line.cause)
	}
}

// endless is a log of many bytes that takes no memory.
type endless struct {
	fstest.MapFS
	size int64
}

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.MapFS.Open(name)
	if err != nil || name != step.LogFile {
		return f, err
	}
	return &bigFile{File: f, left: e.size}, nil
}

type bigFile struct {
	fs.File
	left int64
	at   int
}

var filler = []byte(
	"INFO: [Route 35-416] Intermediate Timing Summary | WNS=0.001  | TNS=0.000  | WHS=N/A    | THS=N/A    |\n")

func (b *bigFile) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return b.File.Read(p)
	}
	n := 0
	for n < len(p) && b.left > 0 {
		c := copy(p[n:], filler[b.at:])
		n, b.at = n+c, (b.at+c)%len(filler)
		b.left -= int64(c)
	}
	return n, nil
}

func TestBigLog(t *testing.T) {
	dir := endless{workDir("step.log", "\n"+strings.Repeat("x", 1<<20)+"\nERROR: [VPL-4] Design failed to meet timing.\n"),
		16 << 20}
	allocated := testing.AllocsPerRun(1, func() {
		d := Diagnose(t.Context(), dir, step.ErrFailed)
		assert.Check(t, d.Cause == Timing && d.Log == "step.log", "%+v", d)
	})
	if perLine := allocated / float64((16<<20)/len(filler)); perLine > 2 {
		t.Errorf("%.1f allocations a line", perLine)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Check(t, len(Diagnose(ctx, dir, step.ErrFailed).Lines) != 0,
		"no line from the error when the context has ended")
}

func FuzzDiagnose(f *testing.F) {
	for _, c := range failures {
		for _, file := range c.dir {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Diagnose(t.Context(), fstest.MapFS{step.LogFile: {Data: data}}, step.ErrFailed)
		assert.Check(t, len(d.Lines) <= mostLines, "%d lines", len(d.Lines))
		for _, l := range d.Lines {
			assert.Check(t, !strings.ContainsAny(l, "\n\r\x1b"), "%q", l)
		}
		_ = d.String()
	})
}
