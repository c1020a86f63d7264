package emit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// Files of the link.
const (
	linkFile     = "vitis/link.cfg"
	buildFile    = "vitis/build.cfg"
	postLinkFile = "vitis/post_link.tcl"
	mmiFile      = "vitis/firmware_mmi.tcl"
	reportsFile  = "vitis/reports.tcl"

	buildTemplate    = "vitis/build.cfg.tmpl"
	postLinkTemplate = "vitis/post_link.tcl.tmpl"
	mmiTemplate      = "vitis/firmware_mmi.tcl.tmpl"
	reportsTemplate  = "vitis/reports.tcl.tmpl"

	// switchCell is the switch that takes the place of a ring.
	switchCell = "poe_switch"
	// maxSwitchPorts is what the switch of the block design has (PG085).
	maxSwitchPorts = 16
	// workDirectory stands for the absolute path of the link's directory.
	workDirectory = "@WORK@/"
)

// LinkFiles are the rendered files that the link of a platform reads; none where
// v++ does not link it. What design.PostLinks and platform.Build.PostLink name
// comes on top.
func LinkFiles(d *design.Design) []string {
	if !linkedByVitis(d) {
		return nil
	}
	files := []string{linkFile, buildFile}
	if postLinked(d) {
		files = append(files, postLinkFile)
	}
	if hasMMI(d) {
		files = append(files, mmiFile)
	}
	if !d.Platform.HWEmu {
		files = append(files, reportsFile)
	}
	return files
}

// FirmwareProcessors are the names by which firmware.mmi knows the control
// processors of a platform (updatemem -proc); none where the firmware is in the
// kernel or no processor is linked.
func FirmwareProcessors(d *design.Design) []string {
	if !hasMMI(d) {
		return nil
	}
	return processors(d)
}

func hasMMI(d *design.Design) bool {
	return linkedByVitis(d) && !FirmwareInKernel(d) && len(processors(d)) > 0
}

// processors are the instances that have a control processor inside.
func processors(d *design.Design) []string {
	var names []string
	for _, i := range d.Instances {
		if i.Role == "engine" && i.Kernel.Source == platform.SourceRTL {
			names = append(names, i.Name)
		}
	}
	return names
}

func postLinked(d *design.Design) bool {
	return len(ringOf(d)) > 1 || len(postLinkScripts(d)) > 0
}

// postLinkScripts are the scripts that run after ours, relative to its directory.
func postLinkScripts(d *design.Design) []string {
	var scripts []string
	for _, p := range d.PostLinks() {
		scripts = append(scripts, p.Path)
	}
	for _, f := range d.Platform.Build.PostLink {
		scripts = append(scripts, design.UserPostLinkFolder+f.Name)
	}
	for i, s := range scripts {
		scripts[i] = strings.TrimPrefix(s, path.Dir(postLinkFile)+"/")
	}
	return scripts
}

// linking renders what the link reads beside its connectivity.
func linking(d *design.Design) ([]File, error) {
	ring, err := switchOf(d)
	if err != nil {
		return nil, err
	}
	views := map[string]struct {
		template string
		view     any
	}{
		buildFile:    {buildTemplate, newBuildView(d)},
		postLinkFile: {postLinkTemplate, postLinkView{d.Platform.File, d.Platform.Name, ring, postLinkScripts(d)}},
		mmiFile:      {mmiTemplate, newMMIView(d, ring)},
		reportsFile:  {reportsTemplate, newBuildView(d)},
	}
	out := bundle{d: d}
	for _, name := range LinkFiles(d) {
		if r, ok := views[name]; ok {
			out.render(name, r.template, r.view)
		}
	}
	return out.files, out.err
}

type buildView struct {
	Source, Platform, Shell, Target string
	Clock                           int
	Sections                        []section
}

func newBuildView(d *design.Design) buildView {
	p := d.Platform
	v := buildView{Source: p.File, Platform: p.Name, Shell: p.Board.Shell, Clock: p.Clock, Target: "hw"}
	if p.HWEmu {
		v.Target = "hw_emu"
	}
	var advanced, hooks []string
	if postLinked(d) {
		advanced = append(advanced, "param=compiler.userPostSysLinkOverlayTcl="+workDirectory+postLinkFile)
	}
	if hasMMI(d) {
		hooks = append(hooks, "do_last=vpl.impl.route_design,"+workDirectory+mmiFile)
	}
	if !p.HWEmu {
		hooks = append(hooks, "do_first=vpl.impl.write_bitstream,"+workDirectory+reportsFile)
	}
	lines := func(before []string, settings []platform.Setting) []string {
		for _, s := range settings {
			before = append(before, s.Line())
		}
		return before
	}
	for _, s := range []section{
		{"advanced", lines(advanced, p.Build.Advanced)}, {"vivado", lines(nil, p.Build.Vivado)}, {"linkhook", hooks},
		{"debug", lines(nil, p.Build.Debug)}, {"profile", lines(nil, p.Build.Profile)},
	} {
		if len(s.Lines) > 0 {
			v.Sections = append(v.Sections, s)
		}
	}
	return v
}

type postLinkView struct {
	Source, Platform string
	Switch           *switchView // nil for none
	Scripts          []string
}

// switchView is the switch that takes the place of a ring.
type switchView struct {
	Name         string
	Ports        int // at most
	Bytes, TDEST int
	Ring, Shared []pinPair
	Members      []switchMember
}

type pinPair struct{ From, To string }

// switchMember is a network engine at the switch.
type switchMember struct {
	Index                  int
	Instance, Sends, Takes string
	In, Out                string // ports of the switch
	Base, High             string // TDESTs that lead to it
}

// engineShift is where TDEST has the number of the engine that a packet goes to.
const engineShift = 8

// switchOf is the switch of a platform; nil if it has none.
func switchOf(d *design.Design) (*switchView, error) {
	ring := ringOf(d)
	if len(ring) < 2 {
		return nil, nil
	}
	v := &switchView{Name: switchCell, Ports: maxSwitchPorts, Bytes: ring[0].From.Width / byteBits,
		TDEST: ring[0].From.TDEST}
	into := map[*design.Instance]*design.Port{}
	for _, s := range ring {
		into[s.To.Instance] = s.To
	}
	pin := func(p *design.Port) string { return p.Instance.Name + "/" + p.Name }
	for _, s := range ring {
		i := s.From.Instance
		v.Ring = append(v.Ring, pinPair{pin(s.From), pin(s.To)})
		v.Members = append(v.Members, switchMember{
			Index: i.Scope, Instance: i.Name, Sends: pin(s.From), Takes: pin(into[i]),
			In: fmt.Sprintf("S%02d_AXIS", i.Scope), Out: fmt.Sprintf("M%02d_AXIS", i.Scope),
			Base: fmt.Sprintf("0x%08X", i.Scope<<engineShift), High: fmt.Sprintf("0x%08X", (i.Scope+1)<<engineShift-1),
		})
	}
	if !slices.IsSortedFunc(v.Members, func(a, b switchMember) int { return a.Index - b.Index }) ||
		v.Members[len(ring)-1].Index != len(ring)-1 {
		return nil, fmt.Errorf("the network engines in the ring are not those of the engines 0 to %d", len(ring)-1)
	}
	first := v.Members[0].Instance
	v.Shared = []pinPair{{first + "/" + clockPin, switchCell + "/aclk"}, {first + "/" + resetPin, switchCell + "/aresetn"}}
	return v, nil
}

type mmiView struct {
	Source, Platform, Switch string
	Engines                  []string
	Bytes                    uint64
}

func newMMIView(d *design.Design, ring *switchView) mmiView {
	v := mmiView{Source: d.Platform.File, Platform: d.Platform.Name, Engines: processors(d)}
	if ram := d.ABI().Memory("local_ram"); ram != nil {
		v.Bytes = uint64(ram.Size)
	}
	if ring != nil {
		v.Switch = ring.Name
	}
	return v
}
