package logs

import (
	"regexp"
	"strings"
)

// Cause is the name of a cause, for programs. Names do not change.
type Cause string

const (
	Unknown     Cause = ""
	Cancelled   Cause = "cancelled"
	TimeLimit   Cause = "time-limit"
	Memory      Cause = "memory"
	Disk        Cause = "disk"
	Crash       Cause = "crash"
	Tool        Cause = "tool"
	Library     Cause = "library"
	Locale      Cause = "locale"
	Platform    Cause = "platform"
	Board       Cause = "board"
	Part        Cause = "part"
	Versions    Cause = "versions"
	Licence     Cause = "licence"
	IPLicence   Cause = "ip-licence"
	Timing      Cause = "timing"
	Region      Cause = "region"
	Utilisation Cause = "utilisation"
	Congestion  Cause = "congestion"
	Stream      Cause = "stream"
	Port        Cause = "port"
	Instance    Cause = "instance"
	Memories    Cause = "memories"
	Connection  Cause = "connection"
	Revision    Cause = "revision"
	Network     Cause = "network"
	Access      Cause = "access"
	Overflow    Cause = "date-overflow"
	Path        Cause = "path"
	Source      Cause = "source"
	Host        Cause = "host"
)

// knowledge is a known cause: the first entry whose pattern a line matches tells
// it.
type knowledge struct {
	cause Cause
	// marks are parts of lines, one of which must be there, for speed.
	marks   []string
	pattern *regexp.Regexp
	// certain also looks at lines that are no errors: what they say cannot be
	// meant otherwise.
	certain bool
	title   string
	hint    string
	// source is where the text of the message stands in public.
	source string
}

// causes are known causes, the most telling first.
var causes = []knowledge{
	{Overflow, []string{"lexical cast", "invalid argument"},
		regexp.MustCompile(
			`bad lexical cast: source type value could not be interpreted as target|'2[0-9]{9}' is an invalid argument\. Please specify an integer value`), true,
		"the tools cannot count as far as today's date",
		"install the vendor's patch y2k22 (article 76960) into this version, which is 2021.2 or older, or use a later " +
			"version",
		"github.com/Xilinx/kria-vitis-platforms/issues/12, github.com/walkieq/RNN_HLS/issues/3"},
	{Disk, []string{"No space left", "Disk quota", "writeMessage failed", "isk full"},
		regexp.MustCompile(`(?i)no space left on device|disk quota exceeded|disk full|HDDMProto::writeMessage failed`), true,
		"the disk is full",
		"make room where the work directory and TMPDIR are (a link takes some 20 GB), or prune the cache (mage cache " +
			"prune), and build again: it goes on where it stopped",
		"github.com/f4pga/f4pga-arch-defs/issues/1527; errno(3)"},
	{Memory, []string{"Killed", "bad_alloc", "annot allocate memory", "ut of memory", "oom", "OOM"},
		regexp.MustCompile(
			`\bKilled\s*("\$RDI_PROG"|$)|^Killed$|std::bad_alloc|[Cc]annot allocate memory|[Oo]ut of memory|oom[-_]kill|OOM Killed`), true,
		"there was not enough memory",
		"a link for an Alveo card takes 32 to 64 GB: run fewer steps at a time (-jobs=1), give jobs of a cluster more " +
			"memory (memory in build { step \"link\" {} }), or use a bigger host",
		"github.com/Xilinx/kria-vitis-platforms/issues/1, github.com/aws/aws-fpga/issues/759"},
	{Crash, []string{"bnormal program termination", "segfault in", "nexpected error has occurred", "60-777",
		"egmentation fault"},
		regexp.MustCompile(
			`Abnormal program termination \(\d+\)|segfault in /|An unexpected error has occurred|\[VPL 60-777\]|Segmentation fault`), true,
		"one of the vendor's tools has crashed",
		"build again; if it crashes at the same place, there may be too little memory (see dmesg), or it is a bug of this " +
			"version: try another one",
		"github.com/PandABlocks/PandABlocks-FPGA/issues/119, github.com/esl-epfl/HEEPsilon/issues/22"},
	{Library, []string{"shared object", "GLIBC"},
		regexp.MustCompile(`cannot open shared object file|version .GLIBC(XX)?_[\d.]+. not found`), true,
		"a library that the tools need is not installed",
		"install it (for libtinfo.so.5: package libtinfo5, or ncurses-compat-libs), or run installLibs.sh of the tools as " +
			"root",
		"github.com/timvideos/litex-buildenv/issues/319, github.com/alchitry/Alchitry-Labs-V2/issues/79"},
	{Locale, []string{"_S_create_c_locale"}, regexp.MustCompile(`locale::facet::_S_create_c_locale name not valid`), true,
		"the locale that is set is not installed",
		"set LC_ALL=C.UTF-8, or install the locale",
		"github.com/m-labs/migen/issues/183"},
	{IPLicence, []string{"bitstream generation is not permitted", "Design Linking license", "mandatory licenses",
		"bit stream generation is not permitted"},
		regexp.MustCompile(
			`bit ?stream generation is not permitted|greater than a Design Linking license|requires one or more mandatory licenses but no valid`), false,
		"an IP core has no licence for bitstreams",
		"get its licence (that of the 100G Ethernet core cmac_usplus is free at the vendor's licensing site), point " +
			"XILINXD_LICENSE_FILE to it, and remove the result of the core from the cache: it was generated without",
		"github.com/Xilinx/xup_vitis_network_example/issues/135, github.com/corundum/corundum/issues/251"},
	{Licence, []string{"icense", "icence", "ap_opencl"},
		regexp.MustCompile(
			`(?i)17-345\]|valid licen[sc]e was not found|licen[sc]e.{0,60}(?:could not be (?:found|checked)|not found|has expired|failed)|(?:failed to|could not|cannot) (?:get|check ?out|obtain|acquire).{0,40}licen[sc]e|no valid licen[sc]e`), false,
		"a licence of the tools is missing",
		"point XILINXD_LICENSE_FILE to the licence file or server (port@host), and see that the server is up and new " +
			"enough for this version; without one, the board cannot be built for",
		"github.com/Xilinx/AVED/issues/5, github.com/lowRISC/opentitan/issues/18098"},
	{Versions, []string{"60-1299", "newer version", "later version", "not supported by the current tool version"},
		regexp.MustCompile(
			`\[v\+\+ 60-1299\]|not supported by the current tool version|(?:created|saved|generated|packaged) (?:with|by|in|using) a (?:newer|later) version`), false,
		"versions of the tools and of the board's platform do not go together",
		"use the version of Vitis that the platform was made for, or one up to a year younger; what was made by a later " +
			"version cannot be read by an earlier one",
		"UG1393, \"Platform version compatibility\": v++ refuses platforms by policy"},
	{Platform, []string{"latform"},
		regexp.MustCompile(
			`No valid platform was found|No platform was found|60-1258\]|60-705\]|specified platform \S+ is not found|Failed to open platform file|failed to parse the XPFM`), false,
		"the board's platform is not installed",
		"install the development package of the platform that the message names, or point PLATFORM_REPO_PATHS to the " +
			"directory that it is in",
		"github.com/Xilinx/ACCL/issues/186, github.com/Xilinx/Vitis-Tutorials/issues/3"},
	{Board, []string{"oard_part", "oard part", "Board 49-"},
		regexp.MustCompile(
			`\[Board 49-71\]|board_part definition was not found|[Bb]oard part .* (?:not found|could not be found|is not valid)`), false,
		"the board's files are not installed",
		"install the board's files (Vivado: Tools, Vivado Store, Boards; or a directory in BOARD_REPO_PATHS)",
		"UG895, \"Using Board Files\""},
	{Part, []string{"Part '", "part could not be found", "art could not be loaded", "Device Part"},
		regexp.MustCompile(
			`Part '[^']+' is not installed|Specified part could not be found|[Cc]ould not load [Dd]evice [Pp]art`), false,
		"the tools do not know the board's device",
		"install the device family with the installer of the tools (Add Design Tools or Devices); devices of Alveo cards " +
			"are not in the free edition",
		"github.com/Xilinx/Vitis-Tutorials/issues/512; HLS 200-1023"},
	{Timing, []string{"meet timing", "target frequency", "AUTO-FREQ-SCALING", "auto frequency scaling failed"},
		regexp.MustCompile(
			`(?:did not|failed to) meet timing|did not meet their required target frequency|auto frequency scaling failed`),
		false,
		"timing was not met",
		"ask for a lower frequency (clock in the platform), give the tools more effort (strategies: vivado in the " +
			"platform's build block), or spread kernels over the SLRs; report.html and the timing summary name the clocks",
		"github.com/Xilinx/xup_vitis_network_example/issues/42, github.com/firesim/firesim/issues/1293"},
	{Region, []string{"Pblock", "pblock", "SLR"},
		regexp.MustCompile(
			`(?:more .* cells than are available|over-utilized) in Pblock|(?i)pblock.*(?:cannot|could not|unable|overfull|exceed)|SLR\d?\b.*(?:over-?utili[sz]ed|exceed|cannot|could not|not enough)`), false,
		"something does not fit into its region of the card",
		"spread the kernels: slr in the board or place of kernels in the platform; fewer engines, plugins or smaller " +
			"buffers also help",
		"github.com/Xilinx/Vitis_Accel_Examples/issues/17, github.com/f4pga/prjxray/issues/1900"},
	{Utilisation, []string{"ver-utilized", "than are available", "could not be obeyed", "UTLZ-1"},
		regexp.MustCompile(`over-utilized|cells than are available|packing of .* could not be obeyed|UTLZ-1\]`), false,
		"the design does not fit onto the card",
		"take fewer engines, plugins or lanes, or smaller buffers; the utilisation after synthesis names what takes most",
		"github.com/antmicro/rowhammer-tester/issues/34, github.com/chili-chips-ba/openeye-CamSI/issues/33"},
	{Congestion, []string{"congestion", "onflicted nets", "failed to route", "not routable", "nroutable"},
		regexp.MustCompile(`(?i)not routable|failed to route|partially-conflicted nets|congestion is preventing|unroutable`),
		false,
		"the wires do not fit: routing is congested",
		"spread kernels over the SLRs and shorten what crosses between them, use a strategy against congestion (vivado in " +
			"the platform's build block), or take fewer kernels",
		"github.com/UCLA-VAST/FlexCNN/issues/18, github.com/Xilinx/xup_vitis_network_example/issues/124"},
	{Stream, []string{"CFGEN 83-", "SYSTEM_LINK 82-", "stream", "AXIS"},
		regexp.MustCompile(`\[CFGEN 83-2284\]|\[(?:CFGEN 83|SYSTEM_LINK 82)-\d+\].*(?i)stream`), false,
		"a stream has no other end",
		"each stream port of a kernel needs a stream_connect: joins in the kernel's HCL must name the same meeting point " +
			"on both sides, or the port a closer",
		"CFGEN 83-2284 \"No stream resources found that can accomodate compute unit\""},
	{Port, []string{"CFGEN 83-", "SYSTEM_LINK 82-"},
		regexp.MustCompile(
			`\[CFGEN 83-2292\]|\[(?:CFGEN 83|SYSTEM_LINK 82)-\d+\].*(?i)\b(?:port|argument name|interface pin)\b`), false,
		"the link configuration names a port that a kernel does not have",
		"compare the names in the kernel's HCL with those of the kernel (kernelinfo <file>.xo): for sp they are those of " +
			"arguments or of AXI masters",
		"github.com/pc2/HPCC_FPGA/issues/14"},
	{Memories, []string{"CFGEN 83-22"},
		regexp.MustCompile(`\[CFGEN 83-2229\]|\[CFGEN 83-2287\]|\[CFGEN 83-\d+\].*(?:HBM|DDR|PLRAM|sptag|segments)`), false,
		"the link configuration names memory that the board does not have, or that one port cannot reach together",
		"see memory in the board's HCL: names, number of banks, and that the banks of one port are of one kind",
		"CFGEN 83-2229 \"Failed to find single interface to reach all segments\""},
	{Instance, []string{"CFGEN 83-", "SYSTEM_LINK 82-"},
		regexp.MustCompile(`\[(?:CFGEN 83|SYSTEM_LINK 82)-\d+\].*(?i)(?:instance|compute unit|kernel|\bcu\b|\bnk\b)`), false,
		"the link configuration names a kernel or an instance that is not there",
		"compare nk in vitis/link.cfg with the kernels in the .xo files",
		"UG1393, \"--connectivity Options\""},
	{Connection, []string{"CFGEN 83-", "SYSTEM_LINK 82-"}, regexp.MustCompile(`\[(?:CFGEN 83|SYSTEM_LINK 82)-\d+\]`),
		false,
		"the link configuration does not fit the kernels or the board",
		"compare vitis/link.cfg with the kernels (kernelinfo <file>.xo) and the board (platforminfo <platform>)",
		"UG1393, \"--connectivity Options\""},
	{Revision, []string{"remote ref", "not a tree", "known to git", "unadvertised object", "not our ref", "bad object",
		"single revision"},
		regexp.MustCompile(
			`couldn't find remote ref|reference is not a tree|did not match any file\(s\) known to git|unadvertised object|not our ref|fatal: bad object|fatal: Needed a single revision`), false,
		"the revision of a source is not in its repository",
		"see revision in the kernel's xo block: it must be a commit that the server still has, and its abbreviation that of no other",
		"git-fetch(1), git-checkout(1)"},
	{Access, []string{"Permission denied (publickey", "Authentication failed", "could not read Username",
		"Repository not found", "epository '"},
		regexp.MustCompile(
			`Permission denied \(publickey|Authentication failed|could not read Username|Repository not found|repository '[^']*' not found`), true,
		"the repository of a source cannot be read",
		"see git in the kernel's xo block, and that git may read it from this host without asking",
		"git-clone(1)"},
	{Network, []string{"resolve host", "onnection timed out", "ailed to connect", "unreachable", "onnection refused",
		"unable to access", "Connection reset"},
		regexp.MustCompile(
			`Could not resolve host|Connection timed out|Failed to connect to|Network is unreachable|Connection refused|unable to access '|Connection reset by peer`), false,
		"the network, or a server, cannot be reached",
		"build where there is a network, or set https_proxy; a repository that is there as a path needs none",
		"git-clone(1), curl"},
	{Path, []string{"name too long", "Path length", "path is too long"},
		regexp.MustCompile(`File name too long|Path length exceeds|path is too long`), true,
		"a path has become too long",
		"build in a directory with a shorter path (-out, or the cache's directory)",
		"errno(3): ENAMETOOLONG; Common 17-143"},
	{TimeLimit, []string{"DUE TO TIME LIMIT"}, regexp.MustCompile(`CANCELLED .*DUE TO TIME LIMIT`), true,
		"the step took longer than it may",
		"give it more time (time in build { step \"link\" {} } of the platform)",
		"slurmstepd"},
	{Host, []string{"DUE TO NODE FAILURE", "DUE TO PREEMPTION", "DUE TO JOB REQUEUE"},
		regexp.MustCompile(`CANCELLED .*DUE TO (?:NODE FAILURE|PREEMPTION|JOB REQUEUE)`), true,
		"the host has failed, or was needed for another job",
		"build again: what is done is kept",
		"slurmstepd"},
	{Source, []string{"HLS 207-", "HLS 214-", "Synth 8-", "error:"},
		regexp.MustCompile(`\[HLS 207-\d+\]|\[Synth 8-\d+\]|:\d+: (?:fatal )?error: `), false,
		"a source file does not compile",
		"",
		"github.com/Xilinx/ACCL/issues/186; UG1448, UG901"},
	{Tool, []string{"command not found", "No such file or directory", "Permission denied"},
		regexp.MustCompile(
			`: command not found$|bash: .*(?:No such file or directory|Permission denied)$|\.sh: line \d+: .*(?:No such file or directory|Permission denied)$`), true,
		"a program that the step runs is not there",
		"source settings64.sh of the tools on the host where the step runs, or name the program's directory in PATH",
		"bash(1), exit status 126 and 127"},
	{Cancelled, nil, nil, false, "the step was cancelled", "", ""},
}

// match is the first known cause that a line tells, -1 if there is none, and
// whether any line may tell it.
func match(line string) (index int, certain bool) {
	if strings.HasPrefix(line, "INFO: [") {
		return -1, false
	}
	for i, c := range causes {
		for _, mark := range c.marks {
			if strings.Contains(line, mark) {
				if c.pattern.MatchString(line) {
					return i, c.certain
				}
				break
			}
		}
	}
	return -1, false
}

func indexOf(cause Cause) int {
	for i, c := range causes {
		if c.cause == cause {
			return i
		}
	}
	return -1
}

func known(cause Cause) knowledge {
	if i := indexOf(cause); i >= 0 {
		return causes[i]
	}
	return knowledge{}
}
