package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// checkpoint is what stands for a routed design of the Coyote shell.
type checkpoint struct {
	Part    string
	Engines []string
	Design  string
}

var (
	setting = regexp.MustCompile(`(?m)^\s*set\((\w+) ([^)\s]+)\)`)
	engine  = regexp.MustCompile(`\b(ccl_offload_\d+)\b`)
)

// shellBuild is cmake for an application of the Coyote shell: its configuration, and
// the targets project and bitgen.
func shellBuild(c *call) error {
	words := map[string]string{}
	var flags []string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		switch {
		case slices.Contains([]string{"-S", "-B", "--build", "--target", "-j", "--parallel"}, a) && i+1 < len(c.Args):
			i++
			words[a] = c.Args[i]
		case strings.HasPrefix(a, "-D"):
			name, value, ok := strings.Cut(a[2:], "=")
			if !ok || value == "" {
				return fmt.Errorf("CMake Error: Parse error in command line argument: %s", a)
			}
			if name != "COMP_CORES" {
				flags = append(flags, a[2:])
			}
		default:
			return fmt.Errorf("CMake Error: Unknown argument %s", a)
		}
	}
	if build := words["--build"]; build != "" {
		return c.shellTarget(build, words["--target"])
	}
	lists, err := c.input(filepath.Join(words["-S"], "CMakeLists.txt"))
	if err != nil {
		return c.refuse("CMake Error: The source directory \"%s\" does not appear to contain CMakeLists.txt.",
			absolute(words["-S"]))
	}
	for _, file := range []string{"cmake/FindCoyoteHW.cmake", "hw"} {
		if _, err := os.Stat(filepath.Join(words["-S"], "shell", file)); err != nil {
			return fmt.Errorf(
				"CMake Error at CMakeLists.txt: By not providing \"FindCoyoteHW.cmake\" in CMAKE_MODULE_PATH this project has "+
					"asked CMake to find a package configuration file: %w", err)
		}
	}
	device := ""
	for _, m := range setting.FindAllStringSubmatch(string(lists), -1) {
		if m[1] == "FDEV_NAME" {
			device = m[2]
		}
	}
	if c.Parts[device] == "" {
		return fmt.Errorf("CMake Error: Target device %q is not supported", device)
	}
	if _, err := os.Stat(filepath.Join(words["-S"], "src", "vfpga_top.svh")); err != nil {
		return fmt.Errorf("CMake Error: the application has no vfpga_top.svh: %w", err)
	}
	c.stage()
	c.writeText(filepath.Join(words["-B"], "CMakeCache.txt"), "FDEV_NAME=%s\nHOME=%s\n%s\n", device, words["-S"],
		strings.Join(flags, "\n"))
	return nil
}

// shellTarget makes a target in a folder that was configured.
func (c *call) shellTarget(build, target string) error {
	text, err := os.ReadFile(filepath.Join(build, "CMakeCache.txt"))
	if err != nil {
		return fmt.Errorf("Error: could not load cache: %w", err)
	}
	cache := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		cache[name] = value
	}
	c.stage()
	project := filepath.Join(build, "project.xpr")
	switch target {
	case "project":
		c.writeText(project, "of %s\n", cache["FDEV_NAME"])
		return nil
	case "bitgen":
	default:
		c.say("make: *** No rule to make target '%s'.  Stop.", target)
		return exit{2}
	}
	if _, err := os.Stat(project); err != nil {
		return fmt.Errorf("there is no project: %w", err)
	}
	cp := checkpoint{Part: c.Parts[cache["FDEV_NAME"]]}
	var memory []byte
	err = filepath.WalkDir(cache["HOME"], func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == build || e.Name() == ".git"):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		content, err := c.input(path)
		if filepath.Ext(path) == ".mem" {
			memory = content
		}
		if e.Name() == "vfpga_top.svh" || strings.HasPrefix(e.Name(), "coyote_") {
			for _, m := range engine.FindAllString(string(content), -1) {
				if !slices.Contains(cp.Engines, m) {
					cp.Engines = append(cp.Engines, m)
				}
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(cp.Engines)
	cp.Design = c.inputs(string(text))
	bits := standin.Bitstream{Design: cp.Design, RAMs: map[string]string{}}
	if memory != nil {
		image, err := words(memory, 0)
		if err != nil {
			return err
		}
		for _, e := range cp.Engines {
			bits.RAMs[e] = sum(image)
		}
	}
	data, err := bits.Bytes()
	if err != nil {
		return err
	}
	dcp, err := json.Marshal(cp)
	if err != nil {
		return err
	}
	c.stage()
	c.write(filepath.Join(build, "bitstreams", "cyt_top.bit"), data)
	c.write(filepath.Join(build, "bitstreams", "shell_top.bin"), data)
	c.write(filepath.Join(build, "checkpoints", "shell_routed.dcp"), dcp)
	v := View{Version: c.Version, Build: releaseOf(c.Version).vivado, Part: cp.Part, Design: cp.Design,
		Frequency: 250, Slack: 0.021, SLRs: 3}
	for _, name := range []string{"shell_timing_summary.rpt", "shell_utilization.rpt"} {
		c.write(filepath.Join(build, "reports", name), []byte(Any(name, v)))
	}
	return nil
}

// checkpointScript runs a script that looks at a routed design.
func (c *call) checkpointScript(file string) error {
	found, err := filepath.Glob("coyote/build/checkpoints/*.dcp")
	if err != nil || len(found) != 1 {
		return fmt.Errorf("[Common 17-55] there are %d checkpoints", len(found))
	}
	text, err := c.input(found[0])
	if err != nil {
		return err
	}
	var cp checkpoint
	if err := json.Unmarshal(text, &cp); err != nil {
		return fmt.Errorf("[Common 17-69] %s: %w", found[0], err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "set standin::property(standin_design,PART) %s\n", cp.Part)
	for n, e := range cp.Engines {
		blockRAMs(&b, "inst_shell/inst_dynamic/inst_user_wrapper_0/inst_user_c0_0/"+e, n)
	}
	if _, err := c.script(file, designPrelude, b.String(), nil); err != nil {
		c.say("INFO: [Common 17-206] Exiting Vivado at %s...", stamp)
		return err
	}
	return nil
}

// blockRAMs are the 128 KiB of a control processor, in words of 32 bits: 32 block RAMs
// with a bit of each word.
func blockRAMs(b *strings.Builder, engine string, n int) {
	for lane := range 32 {
		fmt.Fprintf(b,
			"standin::ram %s/core/processor/ram/memory_reg_bram_%d {LOC RAMB36_X%dY%d ram_addr_begin 0 ram_addr_end 32767 "+
				"ram_slice_begin %d ram_slice_end %d ram_offset 0}\n",
			engine, lane, lane%8, 40*n+lane, lane, lane)
	}
}
