package tool

import (
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin/internal/link"
	"github.com/cclforge/cclforge/verify/vitis/standin/internal/report"
	"github.com/cclforge/cclforge/verify/vitis/standin/internal/shell"
)

// steps are those of the platform linker, as it says them.
var steps = []string{"create_project", "create_bd", "update_bd", "generate_target", "config_hw_runs", "synth", "impl"}

// tasks are those of the last two steps.
var tasks = []struct {
	name, begin string
	phases      []string
}{
	{"FPGA linking synthesized kernels to platform", "", nil},
	{"FPGA logic optimization", "Starting logic optimization..", []string{"Phase 1 Retarget", "Phase 2 Constant propagation", "Phase 3 Sweep"}},
	{"FPGA logic placement", "Starting logic placement..", []string{"Phase 1 Placer Initialization", "Phase 2 Global Placement", "Phase 3 Detail Placement"}},
	{"FPGA routing", "Starting logic routing..", []string{"Phase 1 Build RT Design", "Phase 2 Router Initialization", "Phase 3 Initial Routing", "Phase 4 Rip-up And Reroute"}},
	{"FPGA bitstream generation", "Starting bitstream generation..", nil},
}

// implement says what the platform linker says, runs the hooks, and returns the files
// that they leave.
func (c *call) implement(conf *link.Config, sys *link.System, sh *shell.Shell, temp string, hw bool) (map[string][]byte, error) {
	c.say("INFO: [v++ 60-1443] [%s] Run run_link: Step vpl: Started", clock())
	c.say("INFO: [VPL 60-839] Read in kernel information from file '%s/link/int/kernel_info.dat'.", absolute(temp))
	for i, name := range steps {
		last := i == len(steps)-1
		if last && !hw {
			break
		}
		c.say("[%s] Run vpl: Step %s: Started", clock(), name)
		c.stage()
		if name == "synth" {
			for n := range sys.Instances {
				c.say("[%s] Block-level synthesis in progress, %d of %d jobs complete, 1 job running.", clock(), n, len(sys.Instances))
			}
		}
		if last {
			c.say("[%s] Finished 1st of 6 tasks (FPGA synthesis). Elapsed time: 00h 00m 01s", clock())
			for k, t := range tasks {
				if t.begin != "" {
					c.say("[%s] %s", clock(), t.begin)
				}
				for _, p := range t.phases {
					c.say("[%s] %s", clock(), p)
				}
				c.stage()
				c.say("[%s] Finished %s of 6 tasks (%s). Elapsed time: 00h 00m 01s", clock(), []string{"2nd", "3rd", "4th", "5th", "6th"}[k], t.name)
			}
		}
		c.say("[%s] Run vpl: Step %s: Completed", clock(), name)
	}
	c.say("[%s] Run vpl: FINISHED. Run Status: impl Complete!", clock())
	c.say("INFO: [v++ 60-1441] [%s] Run run_link: Step vpl: Completed", clock())
	return c.hooks(conf, sys, sh, hw)
}

// hooks does what the Tcl files that a configuration names do. For the one that lists
// block RAMs this is the list of those that the linked engines have.
func (c *call) hooks(conf *link.Config, sys *link.System, sh *shell.Shell, hw bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, file := range link.Hooks(conf) {
		if hw && strings.Contains(file, "mmi") {
			files["firmware.mmi"] = []byte(memoryMap(sys, sh))
		}
	}
	return files, nil
}

// memoryMap is an MMI file (UG1580, "Memory Map Information (MMI) File").
func memoryMap(sys *link.System, sh *shell.Shell) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MemInfo Version=\"1\" Minor=\"5\">\n")
	for _, in := range sys.Instances {
		if !strings.HasPrefix(in.Kernel.Name, "ccl_offload") {
			continue
		}
		fmt.Fprintf(&b, "  <Processor Endianness=\"Little\" InstPath=\"%s\">\n    <AddressSpace Name=\"%s_ram\" Begin=\"0\" End=\"65535\">\n      <BusBlock>\n", in.Name, in.Name)
		for lane := range 16 {
			fmt.Fprintf(&b, "        <BitLane MemType=\"RAMB36\" Placement=\"X%dY%d\">\n          <DataWidth MSB=\"%d\" LSB=\"%d\"/>\n          <AddressRange Begin=\"0\" End=\"16383\"/>\n          <Parity ON=\"false\" NumBits=\"0\"/>\n        </BitLane>\n", lane%8, lane, lane*2+1, lane*2)
		}
		b.WriteString("      </BusBlock>\n    </AddressSpace>\n  </Processor>\n")
	}
	fmt.Fprintf(&b, "  <Config>\n    <Option Name=\"Part\" Val=\"%s\"/>\n  </Config>\n</MemInfo>\n", sh.Part)
	return b.String()
}

// reportView is what the reports of a link are about.
func reportView(version, design string, mhz float64, sys *link.System, sh *shell.Shell) report.View {
	v := report.View{Version: version, Build: releaseOf(version).vivado, Part: sh.Part, Platform: sh.Name, Design: design, Frequency: mhz, Slack: 0.013, SLRs: sh.SLRs}
	for _, in := range sys.Instances {
		slr, ok := sys.SLRs[in.Name]
		if !ok {
			slr = -1
		}
		v.Instances = append(v.Instances, report.Instance{Name: in.Name, Kernel: in.Kernel.Name, SLR: slr})
	}
	return v
}
