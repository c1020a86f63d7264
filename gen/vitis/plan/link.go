package plan

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

const (
	linkConfiguration  = "vitis/link.cfg"
	buildConfiguration = "vitis/build.cfg"
	// madeConfiguration is the build configuration with absolute paths.
	madeConfiguration = "build.cfg"
	jobsVariable      = "CCLFORGE_JOBS"

	memoryMap    = "firmware.mmi"
	firmwareFile = "firmware/cclo_firmware.mem"
	// firmwareInside is the one that a design was linked with.
	firmwareInside = "firmware/inside.mem"
	metadataFile   = "metadata.json"
	patched        = "patched.xclbin" // the linked design with its firmware
	emulatedCard   = "emconfig.json"
)

// makeConfiguration writes the build configuration with the absolute paths that
// Vivado needs, and with the threads that this run has: neither has anything to do
// with the result, so that no key depends on them.
const makeConfiguration = `configuration=$(cat ` + buildConfiguration + `)
{ printf 'jobs=%s\n' "${` + jobsVariable + `:-8}"; printf '%s\n' "${configuration//@WORK@/"$PWD"}"; } > ` +
	madeConfiguration

// sameFirmware is the condition that a design was linked with the firmware that is
// wanted: the first line of one file is an address, which the other one does not have.
const sameFirmware = "tail -n +2 " + firmwareFile + " | cmp -s - " + firmwareInside

func (p *planner) target() string {
	if p.d.Platform.HWEmu {
		return "hw_emu"
	}
	return "hw"
}

// link links all kernels. What it leaves has the firmware that the engine was packaged
// with, and says which one that is.
func (p *planner) link() error {
	name, build := p.d.Platform.Name, p.d.Platform.Build
	names := []string{"v++", "vivado"}
	if p.d.Platform.HWEmu {
		names = append(names, "emconfigutil")
	}
	s, err := p.step(step.Link, name, "link "+name, names...)
	if err != nil {
		return err
	}
	if err := p.board(s); err != nil {
		return err
	}
	if err := p.take(s, emit.LinkFiles(p.d)...); err != nil {
		return err
	}
	for _, f := range build.PostLink {
		s.Files = append(s.Files, step.File{Path: design.UserPostLinkFolder + f.Name, Content: f.Text})
	}
	for _, f := range p.d.PostLinks() {
		s.Needs = append(s.Needs, step.Need{Step: p.sourceID(f.Source), Output: path.Join(checkout, f.File), Path: f.Path})
	}
	args := []string{
		"--link", "--target", p.target(), "--config", linkConfiguration, "--config", madeConfiguration, "--save-temps",
		"--temp_dir", "_x", "--report_dir", "reports", "--log_dir", "logs",
	}
	if p.d.Platform.HWEmu {
		args = append(args, "-g") // what the emulator shows of a design is decided here
	}
	for i, r := range p.repositories() {
		at := "repositories/" + strconv.Itoa(i)
		s.Needs = append(s.Needs, step.Need{Step: r.step, Output: r.out, Path: at})
		args = append(args, "--user_ip_repo_paths", at)
	}
	args = append(args, build.LinkOptions...)
	args = append(args, "--output", name+".xclbin")
	for _, x := range p.xos {
		if x.disk != "" {
			s.Files = append(s.Files, step.File{Path: x.path, Disk: x.disk})
		} else {
			s.Needs = append(s.Needs, step.Need{Step: x.step, Output: x.out, Path: x.path})
		}
		args = append(args, x.path)
	}
	s.Commands = []step.Command{{Shell: makeConfiguration}, {Tool: "v++", Args: args}}
	s.Outputs = []string{name + ".xclbin"}
	if len(emit.FirmwareProcessors(p.d)) > 0 {
		s.Outputs = append(s.Outputs, memoryMap)
	}
	if p.firmware.Step != "" {
		s.Needs = append(s.Needs, p.firmware)
		s.Outputs = append(s.Outputs, firmwareInside)
	}
	if p.d.Platform.HWEmu {
		s.Commands = append(s.Commands,
			step.Command{Tool: "emconfigutil", Args: []string{"--platform", p.d.Platform.Board.Shell, "--nd", "1", "--od", "."}})
		s.Outputs = append(s.Outputs, emulatedCard)
		p.hand(s, emulatedCard, emulatedCard)
	}
	for _, left := range []string{"reports", name + ".xclbin.link_summary", name + ".ltx"} {
		p.hand(s, left, left)
	}
	s.Reports = []string{
		"reports/**", "logs/**", "*.xclbin.info", "*.link_summary", "*.ltx", "_x/link/vivado/vpl/prj/prj.runs/impl_1/*.rpt",
		"_x/link/vivado/vpl/output/*.{rpt,txt,xml}", "_x/**/*_new_clk_freq*",
	}
	s.Env[jobsVariable] = strconv.Itoa(max(1, s.Resources.CPUs))
	if build.Jobs > 0 {
		s.Env[jobsVariable] = strconv.Itoa(build.Jobs)
	}
	p.add(s)
	return nil
}

// hand gives users what a step leaves, if it does, as a file of their own.
func (p *planner) hand(s *step.Step, output, file string) {
	p.plan.Results = append(p.plan.Results, step.Result{Platform: p.d.Platform.Name, Step: s.ID,
		Output: output, Path: file})
}

func (p *planner) sourceID(s *design.Source) string {
	return path.Join(p.d.Platform.Name, string(step.Source), s.Name())
}

// board finds the board platform, which is part of what the result depends on.
func (p *planner) board(s *step.Step) error {
	shell := p.d.Platform.Board.Shell
	file, err := p.set.Platform(shell)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Title, err)
	}
	s.Facts = map[string]string{"board platform": shell}
	if p.set.Assumed() {
		return nil
	}
	if s.Facts["file of the board platform"], err = step.Sum(file); err != nil {
		return fmt.Errorf("%s: %w", s.Title, err)
	}
	if dir := p.set.RepositoryOf(file, shell); dir != "" {
		s.Env[p.set.PlatformVariable()] = dir
	}
	return nil
}

type made struct{ step, out string }

// repositories are the directories of IP that kernels of others refer to, each once.
func (p *planner) repositories() []made {
	var list []made
	for _, s := range p.d.Sources() {
		for _, k := range s.Kernels {
			for _, r := range k.XO.Repositories {
				if o := (made{p.sourceID(s), path.Join(checkout, r)}); !slices.Contains(list, o) {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

func imageTools(d *design.Design) []string {
	if len(emit.FirmwareProcessors(d)) > 0 {
		return []string{"updatemem", "xclbinutil"}
	}
	return []string{"xclbinutil"}
}

// image puts the firmware into the linked design if another one is there, and says in
// it what it is.
func (p *planner) image() error {
	name := p.d.Platform.Name
	result := name + ".xclbin"
	linked := "link/" + result
	s, err := p.step(step.Image, name, "finish "+name, imageTools(p.d)...)
	if err != nil {
		return err
	}
	metadata, err := p.metadata()
	if err != nil {
		return err
	}
	link := path.Join(name, string(step.Link), name)
	s.Files = []step.File{{Path: metadataFile, Content: metadata}}
	s.Needs = []step.Need{{Step: link, Output: result, Path: linked}}
	finish := []string{"--force", "--input", linked}
	run := func(unless, tool string, args ...string) {
		s.Commands = append(s.Commands, step.Command{Unless: unless, Tool: tool, Args: args})
	}
	if processors := emit.FirmwareProcessors(p.d); len(processors) > 0 {
		s.Files = append(s.Files, step.File{Path: firmwareFile, Content: p.o.Firmware})
		s.Needs = append(s.Needs, step.Need{Step: link, Output: memoryMap, Path: memoryMap})
		same := ""
		if p.firmware.Step != "" {
			s.Needs = append(s.Needs, step.Need{Step: link, Output: firmwareInside, Path: firmwareInside})
			same = sameFirmware
		}
		update := []string{"-force", "-meminfo", memoryMap}
		for _, proc := range processors {
			update = append(update, "-data", firmwareFile, "-proc", proc)
		}
		s.Commands = []step.Command{{Shell: "cp " + linked + " " + patched}}
		run(same, "xclbinutil", "--force", "--input", linked, "--dump-section", "BITSTREAM:RAW:linked.bit")
		run(same, "updatemem", append(update, "-bit", "linked.bit", "-out", "firmware.bit")...)
		run(same, "xclbinutil", "--force", "--input", linked, "--replace-section", "BITSTREAM:RAW:firmware.bit",
			"--output", patched)
		finish[2] = patched
	}
	finish = append(finish, "--add-replace-section", "USER_METADATA:RAW:"+metadataFile, "--output", result)
	// What xclbinutil writes has an identity of its own, so that the linker's account
	// of the file no longer holds.
	info := result + ".info"
	run("", "xclbinutil", finish...)
	run("", "xclbinutil", "--quiet", "--force", "--info", info, "--input", result)
	s.Outputs = []string{result}
	s.Reports = []string{info}
	p.add(s)
	p.hand(s, result, result)
	p.hand(s, info, info)
	return nil
}

// Describe is the description of a design in the section USER_METADATA of its .xclbin.
func Describe(d *design.Design, firmware []byte) (xclbin.Description, error) {
	hash, err := designjson.Hash(d)
	if err != nil {
		return xclbin.Description{}, err
	}
	return xclbin.Description{Platform: d.Platform.Name, Design: hash, Generation: d.ABI().Name,
		Firmware:  output.Hash(firmware),
		Generator: xclbin.Generator}, nil
}

func (p *planner) metadata() ([]byte, error) {
	m, err := Describe(p.d, p.o.Firmware)
	if err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(m, "", "  ")
	return append(out, '\n'), err
}
