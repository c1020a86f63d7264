package emit

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

// An application of the Coyote shell is a directory with a CMakeLists.txt and a
// source directory: vfpga_top.svh, which the shell's module of the application
// includes, hdl/ with all RTL in one place, and init_ip.tcl (Coyote's documentation,
// "Quick start: Building the hardware").
const (
	coyoteShell   = "coyote"
	coyoteFolder  = "coyote/"
	coyoteSources = coyoteFolder + "src/"
	coyoteHDL     = coyoteSources + "hdl/"
	ownPrefix     = "cclo_"
)

// Where the shell is built, and what tells Vivado to write down where the
// processors' memories are.
const (
	CoyoteFolder = "coyote"
	CoyoteBuild  = "coyote/build"
	CoyoteMap    = "coyote/firmware_mmi.tcl"
	// CoyoteFirmware is what the application is built with, as FirmwareImage has it.
	CoyoteFirmware = coyoteSources + firmwareFile

	coyoteMapTemplate = "coyote/firmware_mmi.tcl.tmpl"
)

var coyoteTemplates = []struct{ file, template string }{
	{coyoteFolder + "CMakeLists.txt", "coyote/CMakeLists.txt.tmpl"},
	{coyoteSources + "vfpga_top.svh", "coyote/vfpga_top.svh.tmpl"},
	{coyoteSources + "init_ip.tcl", "coyote/init_ip.tcl.tmpl"},
	{coyoteHDL + "coyote_top.sv", "coyote/coyote_top.sv.tmpl"},
}

// coyote renders the application of a platform that is built into Coyote. One that
// cannot be is still of use in simulations.
func coyote(d *design.Design) ([]File, error) {
	if d.Shell == nil || d.Shell.Name != coyoteShell || d.CheckShell() != nil {
		return nil, nil
	}
	sources, err := hardwareSources.of(d)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, k := range d.Kernels() {
		if k.Source != platform.SourceRTL || d.InShell(k) {
			continue
		}
		of, err := kernelSources(sources, k)
		if err != nil {
			return nil, err
		}
		for _, name := range of {
			names[name] = true
		}
	}
	// What the adapters are made of.
	for _, name := range []string{"rtl/cclo_pkg.sv", "rtl/common/fifo.sv", "rtl/common/skid_buffer.sv",
		"rtl/common/round_robin.sv"} {
		names[name] = true
	}
	out := bundle{d: d}
	taken := map[string]string{}
	add := func(f File, err error) {
		unit := strings.TrimSuffix(path.Base(f.Path), ".sv")
		if slices.Contains(d.Shell.Modules, unit) {
			unit = ownPrefix + unit
		}
		if other, is := taken[unit]; is && err == nil {
			err = fmt.Errorf("%s and %s have the same name, and an application has one directory", f.Path, other)
		}
		taken[unit] = f.Path
		out.take([]File{{coyoteHDL + unit + ".sv", renamed(f.Content, d.Shell.Modules), f.Inputs}}, err)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f, rendered := sources.files[name]
		if !rendered {
			f, err = copied(name)
		}
		f.Inputs = platformInputs(d)
		add(f, err)
	}
	adapters, err := fs.Glob(templates.FS, "coyote/*.sv")
	if err != nil {
		return nil, err
	}
	for _, name := range adapters {
		add(copied(name))
	}
	v, err := newCoyoteView(d, newHardwareView(d, sources.symbols))
	if err != nil {
		return nil, err
	}
	for _, t := range coyoteTemplates {
		out.render(t.file, t.template, v)
	}
	if v.Map() {
		out.render(mmiFile, mmiTemplate, newMMIView(d, nil))
		out.render(CoyoteMap, coyoteMapTemplate, v)
	}
	image, err := FirmwareImage(d)
	out.add(CoyoteFirmware, image, err)
	for _, k := range v.InCpp {
		out.render(CoyoteHLS(k), "coyote/hls.tcl.tmpl", hlsIP{v.Source, d.Platform.Board.Part, d.Platform.Clock, k})
	}
	return out.files, out.err
}

// hlsIP is what the script that makes an IP of a kernel in C++ knows.
type hlsIP struct {
	Source, Part string
	Clock        int
	Kernel       *design.Kernel
}

// Top is the file with the kernel's top function.
func (h hlsIP) Top() string { return h.Kernel.ID + ".cpp" }

// IP is the name of the IP, in the form of the names in the shell's scripts.
func (h hlsIP) IP() string { return h.Kernel.Name + hlsIPSuffix }

const hlsIPSuffix = "_hls_ip"

// renamed gives modules, and instances of them, names that the shell's modules do
// not have.
func renamed(text []byte, modules []string) []byte {
	if len(modules) == 0 {
		return text
	}
	quoted := make([]string, len(modules))
	for i, m := range modules {
		quoted[i] = regexp.QuoteMeta(m)
	}
	any := strings.Join(quoted, "|")
	header := regexp.MustCompile(`(?m)^(module\s+)(` + any + `)\b`)
	instance := regexp.MustCompile(`(?m)^(\s*)(` + any + `)(\s+(?:#\s*\(|\w+\s*\())`)
	text = header.ReplaceAll(text, []byte("${1}"+ownPrefix+"${2}"))
	return instance.ReplaceAll(bytes.Clone(text), []byte("${1}"+ownPrefix+"${2}${3}"))
}

// CoyoteReads tells whether the shell's build of a design reads a rendered file.
func CoyoteReads(d *design.Design, name string) bool {
	if strings.HasPrefix(name, coyoteFolder) || name == mmiFile {
		return true
	}
	kernels := d.KernelsInCpp()
	if len(kernels) == 0 {
		return false
	}
	return path.Dir(name) == hlsFolder || slices.ContainsFunc(kernels, func(k *design.Kernel) bool {
		return path.Dir(name) == path.Join(hlsFolder, k.ID) && !strings.HasSuffix(name, componentSuffix) &&
			path.Base(name) != configurationFor && path.Base(name) != scriptFor
	})
}

// CoyoteProcessors are the names by which the map of the firmware's memories knows
// the control processors; none where the firmware is in the kernel.
func CoyoteProcessors(d *design.Design) []string {
	if FirmwareInKernel(d) {
		return nil
	}
	return processors(d)
}

// CoyoteHLS is the path of the script that makes an IP of a kernel in C++.
func CoyoteHLS(k *design.Kernel) string { return coyoteFolder + "hls_" + k.ID + ".tcl" }
