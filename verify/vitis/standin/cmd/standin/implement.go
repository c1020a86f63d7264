package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// steps are those of the platform linker, as it says them.
var steps = []string{"create_project", "create_bd", "update_bd", "generate_target", "config_hw_runs", "synth", "impl"}

// tasks are those of the last two steps.
var tasks = []struct {
	name, begin string
	phases      []string
}{
	{"FPGA linking synthesized kernels to platform", "", nil},
	{"FPGA logic optimization", "Starting logic optimization..",
		[]string{"Phase 1 Retarget", "Phase 2 Constant propagation", "Phase 3 Sweep"}},
	{"FPGA logic placement", "Starting logic placement..", []string{"Phase 1 Placer Initialization",
		"Phase 2 Global Placement", "Phase 3 Detail Placement"}},
	{"FPGA routing", "Starting logic routing..", []string{"Phase 1 Build RT Design", "Phase 2 Router Initialization",
		"Phase 3 Initial Routing", "Phase 4 Rip-up And Reroute"}},
	{"FPGA bitstream generation", "Starting bitstream generation..", nil},
}

// implement says what the platform linker says, runs the hooks, and returns the files
// that they leave.
func (c *call) implement(conf *Config, sys *System, sh *standin.Shell, temp string,
	hw bool) (map[string][]byte, error) {
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
				c.say("[%s] Block-level synthesis in progress, %d of %d jobs complete, 1 job running.", clock(),
					n, len(sys.Instances))
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
				c.say("[%s] Finished %s of 6 tasks (%s). Elapsed time: 00h 00m 01s", clock(),
					[]string{"2nd", "3rd", "4th", "5th", "6th"}[k], t.name)
			}
		}
		c.say("[%s] Run vpl: Step %s: Completed", clock(), name)
	}
	c.say("[%s] Run vpl: FINISHED. Run Status: impl Complete!", clock())
	c.say("INFO: [v++ 60-1441] [%s] Run run_link: Step vpl: Completed", clock())
	return c.hooks(conf, sys, sh, hw)
}

// hooks runs the Tcl files that a configuration names, on a model of the design, and
// returns the files that they have made.
func (c *call) hooks(conf *Config, sys *System, sh *standin.Shell, hw bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	before, err := listing(".")
	if err != nil {
		return nil, err
	}
	made := ""
	for _, h := range HookList(conf) {
		if !hw && h.Implementation {
			continue
		}
		c.say("INFO: [VPL 60-0] %s: sourcing %s", h.Point, h.File)
		done, err := c.script(h.File, designPrelude, model(sys, sh)+made, nil)
		if err != nil {
			c.say("ERROR: [VPL 60-773] In '%s', caught Tcl error:  sourcing script %s failed",
				absolute("_x/link/vivado/vpl/runme.log"), h.File)
			c.say("ERROR: [VPL 60-1328] Vpl run 'vpl' failed")
			c.say("ERROR: [v++ 60-661] v++ link run 'run_link' failed")
			return nil, &Error{Code: "v++ 60-626", Text: "Kernel link failed to complete"}
		}
		for _, r := range done {
			switch {
			case r[0] == "open":
				return nil, &Error{Code: "BD 41-758",
					Text: fmt.Sprintf("The following interface pin is not connected after %s: %s", h.File, r[1])}
			case strings.HasPrefix(r[0], "report_"):
				files[c.relative(r[1])] = nil
				c.rec.Notes = append(c.rec.Notes, "report: "+strings.Join(append([]string{r[0]}, r[2:]...), " ")+
					" "+c.relative(r[1]))
			case r[0] == "create_bd_cell":
				made += "standin::cell level0_i/ulp/" + r[1] + "\n"
				c.rec.Notes = append(c.rec.Notes, "cell: "+strings.Join(r[1:], " "))
			case r[0] == "net" && slices.ContainsFunc(r[2:], func(p string) bool { return !instance(sys, p) }):
				c.rec.Notes = append(c.rec.Notes, "net: "+strings.Join(r[1:], " "))
			}
		}
	}
	after, err := listing(".")
	if err != nil {
		return nil, err
	}
	for name := range after {
		if before[name] == "" {
			c.rec.Outputs[name] = after[name]
		}
	}
	return files, nil
}

// instance reports whether a pin is one of a kernel's instance.
func instance(sys *System, pin string) bool {
	name, _, _ := strings.Cut(pin, "/")
	return slices.ContainsFunc(sys.Instances, func(in Instance) bool { return in.Name == name })
}

// listing are the files of a folder with their sums.
func listing(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			list[e.Name()] = sum(text)
		}
	}
	return list, nil
}

// model is what hooks see of a design, as Tcl.
func model(sys *System, sh *standin.Shell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "set standin::property(standin_design,PART) %s\n", sh.Part)
	for n, in := range sys.Instances {
		var streams []string
		for _, p := range in.Kernel.Ports {
			if p.Stream() && !p.Open {
				streams = append(streams, p.Name)
			}
		}
		fmt.Fprintf(&b, "standin::instance %s {%s}\n", in.Name, strings.Join(streams, " "))
		if !slices.ContainsFunc(in.Kernel.Files,
			func(f string) bool { return strings.HasSuffix(f, "/control_processor.sv") }) {
			continue
		}
		blockRAMs(&b, "level0_i/ulp/"+in.Name+"/inst/kernel", n)
		fmt.Fprintf(&b, "standin::ram level0_i/ulp/%s/inst/kernel/core/other_reg_bram_0 {LOC RAMB18_X9Y%d}\n", in.Name, n)
	}
	for _, s := range sys.Streams {
		fmt.Fprintf(&b, "standin::stream %s %s\n", strings.Replace(s.From, ".", "/", 1), strings.Replace(s.To, ".", "/", 1))
	}
	return b.String()
}

// reportView is what the reports of a link are about.
func reportView(version, design string, mhz float64, sys *System, sh *standin.Shell) View {
	v := View{Version: version, Build: releaseOf(version).vivado, Part: sh.Part, Platform: sh.Name, Design: design,
		Frequency: mhz, Slack: 0.013, SLRs: sh.SLRs, Banks: sys.Banks}
	for _, in := range sys.Instances {
		slr, ok := sys.SLRs[in.Name]
		if !ok {
			slr = -1
		}
		v.Instances = append(v.Instances, Unit{Name: in.Name, Kernel: in.Kernel.Name, SLR: slr})
	}
	return v
}
