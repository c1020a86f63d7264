// Package plan turns designs into the steps of their builds: which tool runs with
// what, and what has to be there before. It runs nothing.
package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// Options are further inputs of a plan, beside the design and the tools.
type Options struct {
	// Descriptions is the absolute path of the directory that holds the users'
	// platforms/: .xo files that stand beside descriptions are below it.
	Descriptions string
	// Firmware is the image of the control firmware, as emit.FirmwareImage makes it.
	Firmware []byte
}

// Plan plans the build of a design from its rendered files, whose paths are those in
// out/<platform>. The error matches tools.ErrMissing if a tool, a board platform or an
// .xo file is missing.
func Plan(d *design.Design, files []emit.File, set *tools.Set, o Options) (*step.Plan, error) {
	p := newPlanner(d, files, set, o)
	if err := p.checkVersion(); err != nil {
		return nil, err
	}
	var err error
	if d.Platform.POEs[0].Kind == "rdma" {
		err = p.shell()
	} else {
		err = p.vitis()
	}
	if err != nil {
		return nil, err
	}
	return p.plan, nil
}

// Merge puts plans together. Steps of different platforms have different IDs; those
// with the same key are one result, which is made once.
func Merge(plans ...*step.Plan) *step.Plan {
	all := &step.Plan{}
	for _, p := range plans {
		all.Steps = append(all.Steps, p.Steps...)
		all.Results = append(all.Results, p.Results...)
	}
	return all
}

// Warnings are known problems of a design with the version of the tools.
func Warnings(d *design.Design, set *tools.Set) []string {
	if d.Platform.POEs[0].Kind == "rdma" {
		return nil // no board platform is linked to
	}
	var list []string
	board := d.Platform.Board
	if w := set.BoardWarning(board); w != "" {
		list = append(list, w)
	}
	for _, s := range d.Sources() {
		what := fmt.Sprintf("%s from %s", strings.Join(kernelIDs(s.Kernels), " and "), short(s.Git))
		if len(s.Boards) > 0 && !slices.Contains(s.Boards, board.Name) {
			list = append(list, fmt.Sprintf("%s is known to build for %s, not for %s; its build may fail", what,
				strings.Join(s.Boards, ", "), board.Name))
		}
		if len(s.Versions) > 0 && set.Version != "" && !slices.Contains(s.Versions, set.Facts.Version) {
			list = append(list, fmt.Sprintf("%s is known to build with Vitis %s, and this is %s; its build may fail", what,
				strings.Join(s.Versions, ", "), set.Version))
		}
	}
	return list
}

type planner struct {
	d     *design.Design
	set   *tools.Set
	o     Options
	files map[string][]byte // rendered, by path
	plan  *step.Plan
	xos   []xo // in the order of the design's kernels
	// firmware is where a step says with which one it has made the engine; zero if
	// none does.
	firmware step.Need
}

// xo is a kernel that can be linked: the result of a step, or a file.
type xo struct {
	path string // in the link's work directory
	step string // ID; "" for a file
	out  string // output of the step
	disk string // of a file
}

func newPlanner(d *design.Design, files []emit.File, set *tools.Set, o Options) *planner {
	p := &planner{d: d, set: set, o: o, files: make(map[string][]byte, len(files)), plan: &step.Plan{}}
	for _, f := range files {
		p.files[f.Path] = f.Content
	}
	return p
}

func (p *planner) vitis() error {
	if err := p.sources(); err != nil {
		return err
	}
	packages, err := emit.PackageSteps(p.d)
	if err != nil {
		return err
	}
	for _, k := range p.d.Kernels() {
		switch {
		case k.InCpp():
			err = p.hls(k)
		case k.Source == platform.SourceRTL:
			err = p.packaged(k, packages)
		case k.XO != nil && k.XO.Git != "":
			err = p.fromSource(k)
		default:
			err = p.fromFile(k)
		}
		if err != nil {
			return fmt.Errorf("kernel %s: %w", k.ID, err)
		}
	}
	if err := p.link(); err != nil {
		return err
	}
	return p.image()
}

// step begins a step of a kind. Names tell steps of a kind apart.
func (p *planner) step(kind step.Kind, name, title string, toolNames ...string) (*step.Step, error) {
	s := &step.Step{
		ID: path.Join(p.d.Platform.Name, string(kind), name), Kind: kind, Title: title,
		Resources: p.d.Platform.Build.Steps[kind],
	}
	for _, n := range toolNames {
		t, err := p.set.Tool(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", title, err)
		}
		s.Tools = append(s.Tools, t)
	}
	s.Env = p.set.Environment(toolNames...)
	return s, nil
}

func (p *planner) add(s *step.Step) { p.plan.Steps = append(p.plan.Steps, s) }

func (p *planner) take(s *step.Step, names ...string) error {
	for _, name := range names {
		text, ok := p.files[name]
		if !ok {
			return fmt.Errorf("%s: there is no rendered file %s", s.Title, name)
		}
		s.Files = append(s.Files, step.File{Path: name, Content: text})
	}
	return nil
}

// rendered lists rendered files, sorted.
func (p *planner) rendered(which func(name string) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if which(name) {
			names = append(names, name)
		}
	}
	return names
}

// checkVersion reports what the version of the tools lacks.
func (p *planner) checkVersion() error {
	for _, feature := range features(p.d) {
		since := p.set.Since(feature.name)
		if since != "" && p.set.Version != "" && platform.CompareVersions(p.set.Version, since) < 0 {
			return fmt.Errorf("%s needs Vitis %s or later, and this is %s: %w; %s", feature.title, since, p.set.Version,
				tools.ErrTooOld, feature.instead)
		}
	}
	return nil
}

type feature struct{ name, title, instead string }

// features are what a design has that not all versions of the tools can do.
func features(d *design.Design) []feature {
	if d.Platform.CCLO.Processor == "microblaze_v" {
		return []feature{{"microblaze_v", "A MicroBlaze V", `say processor = "own" in cclo`}}
	}
	return nil
}

// Needs are the tools that builds of designs need, each once for each reason.
func Needs(designs ...*design.Design) []tools.Need {
	var needs []tools.Need
	add := func(reason string, names ...string) {
		for _, name := range names {
			if n := (tools.Need{Tool: name, For: reason}); !slices.Contains(needs, n) {
				needs = append(needs, n)
			}
		}
	}
	for _, d := range designs {
		name := d.Platform.Name
		if d.Platform.POEs[0].Kind == "rdma" {
			add("to build "+name, shellTools(d)...)
			continue
		}
		add("to link "+name, "v++", "vivado")
		add("to finish "+name, imageTools(d)...)
		if d.Platform.HWEmu {
			add("to emulate "+name, "emconfigutil")
		}
		for _, k := range d.Kernels() {
			if k.InCpp() {
				add("to compile C++ of "+name, tools.HLS)
			}
		}
		for _, s := range d.Sources() {
			add("to build "+short(s.Git), append([]string{"git"}, s.Tools...)...)
		}
	}
	return needs
}

// short is the name of a repository without what stands around it.
func short(url string) string {
	return cmp.Or(strings.TrimSuffix(path.Base(strings.TrimRight(url, "/")), ".git"), url)
}
