package plan

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Where things are in the work directory of a step that builds a shell.
const (
	shellCheckout = emit.CoyoteFolder + "/shell"
	shellBit      = emit.CoyoteBuild + "/bitstreams/cyt_top.bit"
	shellPartial  = emit.CoyoteBuild + "/bitstreams/shell_top.bin"
	bitExtension  = ".bit"
	firmwareBit   = "shell.bit"
)

// shell plans a platform inside somebody else's shell: the shell's repository is
// fetched, and its own build makes the bit stream.
func (p *planner) shell() error {
	d := p.d
	if d.Shell == nil {
		return fmt.Errorf("no kernel of %s says which shell it is built into", d.Platform.Name)
	}
	if err := d.CheckShell(); err != nil {
		return err
	}
	s, err := p.step(step.Shell, d.Shell.Name, "build "+d.Platform.Name+" in the shell "+d.Shell.Name,
		shellStepTools...)
	if err != nil {
		return err
	}
	// It is one step: the directories that CMake and Vivado leave on the way know
	// where they are, and are of no use elsewhere.
	if err := p.take(s, p.rendered(func(name string) bool { return emit.CoyoteReads(d, name) })...); err != nil {
		return err
	}
	run := func(tool string, args ...string) {
		s.Commands = append(s.Commands, step.Command{Tool: tool, Args: args})
	}
	fetch(s, shellCheckout, d.Shell.Git, d.Shell.Revision, d.Shell.Submodules)
	for _, k := range d.KernelsInCpp() {
		run("vitis_hls", "-f", emit.CoyoteHLS(k))
	}
	run("cmake", append([]string{"-S", emit.CoyoteFolder, "-B", emit.CoyoteBuild}, emit.CoyoteFlags(d.Shell)...)...)
	run("cmake", "--build", emit.CoyoteBuild, "--target", "project")
	run("cmake", "--build", emit.CoyoteBuild, "--target", "bitgen")
	s.Outputs = append(s.Outputs, shellBit)
	if !emit.FirmwareInKernel(d) {
		p.inside(s, at(s.Files, emit.CoyoteFirmware), p.o.Firmware)
	}
	processors := emit.CoyoteProcessors(d)
	if len(processors) > 0 {
		run("vivado", "-mode", "batch", "-nojournal", "-source", emit.CoyoteMap)
		s.Outputs = append(s.Outputs, memoryMap)
	} else {
		s.Outputs = append(s.Outputs, shellPartial)
	}
	s.Reports = []string{emit.CoyoteBuild + "/reports/**", emit.CoyoteBuild + "/logs/**", emit.CoyoteBuild + "/**/*.rpt",
		"*.log"}
	s.Facts = map[string]string{"shell": d.Shell.Git + " " + d.Shell.Revision}
	// How many processors the build takes has nothing to do with its result: no key
	// depends on this.
	s.Env[jobsVariable] = strconv.Itoa(max(1, s.Resources.CPUs))
	if p.d.Platform.Build.Jobs > 0 {
		s.Env[jobsVariable] = strconv.Itoa(p.d.Platform.Build.Jobs)
	}
	p.add(s)
	if len(processors) > 0 {
		return p.shellImage(s, processors)
	}
	p.hand(s, shellBit, d.Platform.Name+bitExtension)
	p.hand(s, shellPartial, d.Platform.Name+".bin")
	return nil
}

// shellImage puts the firmware into the bit stream, if another one is there.
func (p *planner) shellImage(shell *step.Step, processors []string) error {
	name := p.d.Platform.Name
	s, err := p.step(step.Image, name, "finish "+name, "updatemem")
	if err != nil {
		return err
	}
	s.Files = []step.File{{Path: firmwareFile, Content: p.o.Firmware}}
	s.Needs = []step.Need{
		{Step: shell.ID, Output: shellBit, Path: firmwareBit},
		{Step: shell.ID, Output: memoryMap, Path: memoryMap},
		p.firmware,
	}
	args := []string{"-force", "-meminfo", memoryMap}
	for _, proc := range processors {
		args = append(args, "-data", firmwareFile, "-proc", proc)
	}
	result := name + bitExtension
	s.Commands = []step.Command{
		{Shell: "cp " + firmwareBit + " " + result},
		{
			Unless: "cmp -s " + firmwareFile + " " + firmwareInside,
			Tool:   "updatemem", Args: append(args, "-bit", firmwareBit, "-out", result),
		},
	}
	s.Outputs = []string{result}
	p.add(s)
	p.hand(s, result, result)
	return nil
}

// shellStepTools are what the shell's build runs: its network stack is C++, and its
// scripts call vitis_hls.
var shellStepTools = []string{"vivado", "vitis_hls", "git", "cmake", "make"}

func shellTools(d *design.Design) []string {
	if len(emit.CoyoteProcessors(d)) > 0 {
		return append(slices.Clone(shellStepTools), "updatemem")
	}
	return shellStepTools
}
