package plan

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

const (
	// checkout is where a repository stands in the work directory of its step.
	checkout = "source"
	// revisionFile, behind the name of a checkout, holds the full name of its commit.
	revisionFile = ".revision"
	// othersFolder is where .xo files of others stand in that of the link.
	othersFolder = "xo"
	hlsFolder    = "hls"
	xoExtension  = ".xo"
	fromTcl      = "run_hls.tcl"
	fromConfig   = "hls_config.cfg"
)

// sources plans the builds of somebody else's repositories, each with all kernels
// that it leaves.
func (p *planner) sources() error {
	for _, src := range p.d.Sources() {
		title := fmt.Sprintf("build %s from %s", strings.Join(kernelIDs(src.Kernels), " and "), short(src.Git))
		s, err := p.step(step.Source, src.Name(), title, append([]string{"git"}, src.Tools...)...)
		if err != nil {
			return err
		}
		fetch(s, checkout, src.Git, src.Revision, src.Submodules)
		s.Commands = append(s.Commands, step.Command{Shell: strings.TrimSpace(src.Command),
			Dir: path.Join(checkout, src.Directory)})
		for _, k := range src.Kernels {
			s.Outputs = appendNew(s.Outputs, path.Join(checkout, k.XO.Produces))
			for _, r := range k.XO.Repositories {
				s.Outputs = appendNew(s.Outputs, path.Join(checkout, r))
			}
			if k.XO.PostLink != "" {
				s.Outputs = appendNew(s.Outputs, path.Join(checkout, k.XO.PostLink))
			}
		}
		p.add(s)
	}
	return nil
}

// fetch puts a repository at exactly one revision, without its history, into a
// directory. Servers know whole names of commits only: an abbreviated one takes the
// history, without its files, and which commit it was is left beside the checkout.
func fetch(s *step.Step, dir, url, revision string, submodules bool) {
	git := func(args ...string) { s.Commands = append(s.Commands, step.Command{Tool: "git", Args: args}) }
	shell := func(format string, args ...any) {
		s.Commands = append(s.Commands, step.Command{Shell: fmt.Sprintf(format, args...)})
	}
	head := "$head"
	abbreviated := !platform.FullRevision(revision)
	if abbreviated {
		head = fmt.Sprintf("${head:0:%d}", len(revision))
		s.Commands = append(s.Commands, step.Command{Tool: "git", Unless: "test -e " + dir + "/.git",
			Args: []string{"clone", "--quiet", "--filter=blob:none", "--no-checkout", url, dir}})
		shell(`commit=$(git -C %[1]s rev-parse --verify '%[2]s^{commit}')
git -C %[1]s checkout --quiet --detach "$commit"`, dir, revision)
	} else {
		git("init", "--quiet", dir)
		git("-C", dir, "fetch", "--quiet", "--depth", "1", url, revision)
		git("-C", dir, "checkout", "--quiet", "--detach", revision)
	}
	shell(`head=$(git -C %[1]s rev-parse HEAD)
if [ "%[3]s" != %[2]s ]; then
	echo "ERROR: git has checked out $head, not %[2]s" >&2
	exit 1
fi`, dir, revision, head)
	if abbreviated {
		shell(`echo "$head" >%s`, dir+revisionFile)
		s.Outputs = append(s.Outputs, dir+revisionFile)
	}
	if submodules {
		git("-C", dir, "submodule", "--quiet", "update", "--init", "--recursive")
	}
	s.Env["GIT_TERMINAL_PROMPT"] = "0" // nobody is there to answer questions
}

func appendNew(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

func kernelIDs(kernels []*design.Kernel) []string {
	return lang.Names(kernels, func(k *design.Kernel) string { return k.ID })
}

func (p *planner) fromSource(k *design.Kernel) error {
	for _, src := range p.d.Sources() {
		if slices.Contains(src.Kernels, k) {
			p.xos = append(p.xos, xo{
				path: path.Join(othersFolder, k.ID+xoExtension),
				step: path.Join(p.d.Platform.Name, string(step.Source), src.Name()), out: path.Join(checkout, k.XO.Produces),
			})
			return nil
		}
	}
	return fmt.Errorf("no source has it")
}

func (p *planner) fromFile(k *design.Kernel) error {
	x := k.XO
	if x == nil || x.File == "" {
		return fmt.Errorf(
			"its .xo is %w: nobody says where it comes from; describe it with xo { path = … } or xo { git = … } (it is from "+
				"%s)",
			tools.ErrMissing, k.Origin)
	}
	file := filepath.FromSlash(x.File)
	switch {
	case x.Variable != "":
		root := p.set.Variable(x.Variable)
		if root == "" && !p.set.Assumed() {
			return fmt.Errorf("its .xo is %w: it is %s below $%s, which is not set", tools.ErrMissing, x.File, x.Variable)
		}
		file = filepath.Join(root, file)
	case !filepath.IsAbs(file):
		file = filepath.Join(p.o.Descriptions, filepath.FromSlash(x.Folder), file)
	}
	if info, err := os.Stat(file); (err != nil || !info.Mode().IsRegular()) && !p.set.Assumed() {
		return fmt.Errorf("its .xo is %w: there is no file %s (%s, line %d)", tools.ErrMissing, file, x.Range.Filename,
			x.Range.Start.Line)
	}
	p.xos = append(p.xos, xo{path: path.Join(othersFolder, k.ID+xoExtension), disk: file})
	return nil
}

// hls compiles C++, with the tool that does it in this version.
func (p *planner) hls(k *design.Kernel) error {
	s, err := p.step(step.HLS, k.ID, "compile "+k.ID, tools.HLS)
	if err != nil {
		return err
	}
	own := path.Join(hlsFolder, k.ID)
	script, other := fromConfig, fromTcl
	command := step.Command{Tool: s.Tools[0].Name, Args: []string{"--compile", "--mode", "hls", "--config", fromConfig,
		"--work_dir", k.Name}, Dir: own}
	if s.Tools[0].Name == "vitis_hls" {
		script, other = fromTcl, fromConfig
		command.Args = []string{"-f", fromTcl}
	}
	// The kernel's own files, and the headers that all share.
	names := p.rendered(func(name string) bool {
		switch path.Dir(name) {
		case own:
			return path.Base(name) != other && !strings.HasSuffix(name, "_component.cpp")
		case hlsFolder:
			return true
		}
		return false
	})
	if !slices.Contains(names, path.Join(own, script)) {
		return fmt.Errorf("there is no rendered file %s", path.Join(own, script))
	}
	if err := p.take(s, names...); err != nil {
		return err
	}
	s.Commands = []step.Command{command}
	out := path.Join(own, k.Name+xoExtension)
	if script == fromConfig {
		// Where package.output.file leads to is the directory above the work
		// directory, or that one itself.
		s.Commands = append(s.Commands,
			step.Command{Dir: own, Shell: fmt.Sprintf("test -e %[1]s.xo || cp %[1]s/%[1]s.xo .", k.Name)})
	}
	s.Outputs = []string{out}
	s.Reports = []string{own + "/**/*csynth*.{rpt,xml}", own + "/**/*.log"}
	p.add(s)
	p.xos = append(p.xos, xo{path: out, step: s.ID, out: out})
	return nil
}

func at(files []step.File, path string) *step.File {
	i := slices.IndexFunc(files, func(f step.File) bool { return f.Path == path })
	if i < 0 {
		return nil
	}
	return &files[i]
}

// inside has a step make its result with the firmware of the day in one of its files,
// without being made anew for another one: which one it was is left beside it.
func (p *planner) inside(s *step.Step, f *step.File, firmware []byte) {
	f.Content, f.Unkeyed = firmware, true
	s.Outputs = append(s.Outputs, f.Path)
	p.firmware = step.Need{Step: s.ID, Output: f.Path, Path: firmwareInside}
}

func (p *planner) packaged(k *design.Kernel, all []emit.PackageStep) error {
	i := slices.IndexFunc(all, func(s emit.PackageStep) bool { return s.Kernel == k })
	if i < 0 {
		return fmt.Errorf("nobody says how its RTL is packaged")
	}
	s, err := p.step(step.Package, k.ID, "package "+k.ID, "vivado")
	if err != nil {
		return err
	}
	if err := p.take(s, all[i].Files...); err != nil {
		return err
	}
	s.Commands = []step.Command{{Tool: "vivado", Args: []string{
		"-mode", "batch", "-notrace", "-nojournal", "-log", "vivado.log", "-source", all[i].Script,
	}}}
	s.Outputs = []string{all[i].XO}
	if f := at(s.Files, emit.FirmwareWords); f != nil && !emit.FirmwareInKernel(p.d) {
		p.inside(s, f, emit.WordsOf(p.o.Firmware))
	}
	s.Reports = []string{"*.log"}
	p.add(s)
	p.xos = append(p.xos, xo{path: all[i].XO, step: s.ID, out: all[i].XO})
	return nil
}
