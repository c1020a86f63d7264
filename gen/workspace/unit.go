package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

const (
	// DefaultOut is where output goes if nothing else is said.
	DefaultOut = "out"
	// generations is the directory in it that holds the interface generations.
	generations = "abi"
	// driver is the directory of a platform that -godir copies.
	driver = "driver"
	// goManifest is the manifest beside a driver package in a user's module.
	goManifest = "cclforge.manifest.json"
)

// unit is what is rendered in one go: a platform or an interface generation.
type unit struct {
	platform   *platform.Platform // nil for a generation
	generation *abi.Generation
	manifest   output.Manifest
	places     []place

	design *design.Design
	files  []emit.File
}

// place is a directory that receives the files below a path of a unit.
type place struct {
	dir   output.Dir
	below string // "" for all
}

// units lists what belongs to platforms: their generations first, because the
// files of platforms include theirs.
func (w *Workspace) units(list []*platform.Platform, o Options) ([]*unit, error) {
	shared := map[string]*abi.Generation{}
	var units []*unit
	for _, p := range list {
		shared[p.ABI.Name] = p.ABI
		variables := map[string]json.RawMessage{}
		for name, v := range p.Variables {
			text, err := ctyjson.Marshal(v, v.Type())
			if err != nil {
				return nil, fmt.Errorf("write down the variable %s of %s: %w", name, p.Name, err)
			}
			variables[name] = text
		}
		u := &unit{platform: p, generation: p.ABI, places: []place{{dir: w.place(o, p.Name)}}}
		u.manifest = output.Manifest{Platform: p.Name, Variables: variables}
		u.describe(p.File, w.Library.Inputs(p.Name))
		if o.GoDir != "" {
			u.places = append(u.places, place{output.Dir{Base: o.GoDir, Path: ".", Manifest: goManifest}, driver + "/"})
		}
		units = append(units, u)
	}
	var first []*unit
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		g := shared[name]
		u := &unit{generation: g, places: []place{{dir: w.place(o, path.Join(generations, name))}}}
		u.describe(g.Range.Filename, w.generationInputs(list))
		first = append(first, u)
	}
	return append(first, units...), nil
}

// describe completes the manifest by what is known before rendering.
func (u *unit) describe(source string, descriptions map[string][]byte) {
	u.manifest.Comment = fmt.Sprintf("%s from %s; DO NOT EDIT.", output.Marker, source)
	u.manifest.Generation = u.generation.Name
	u.manifest.Generator = generator()
	u.manifest.Library = digest(descriptions)
}

// generationInputs are the descriptions that generations come from.
func (w *Workspace) generationInputs(list []*platform.Platform) map[string][]byte {
	all := w.Library.Inputs(list[0].Name)
	maps.DeleteFunc(all, func(name string, _ []byte) bool {
		return !strings.HasPrefix(name, path.Join(platform.Root, generations)+"/")
	})
	return all
}

func (w *Workspace) place(o Options, name string) output.Dir {
	return output.Dir{Base: w.out(o), Path: name, Manifest: output.ManifestName}
}

func (w *Workspace) out(o Options) string {
	if o.Out == "" {
		o.Out = DefaultOut
	}
	if filepath.IsAbs(o.Out) {
		return o.Out
	}
	return filepath.Join(w.dir, o.Out)
}

// current reports whether every place of the unit already holds what would be
// rendered, which is known without rendering it.
func (u *unit) current() bool {
	return !slices.ContainsFunc(u.places, func(p place) bool {
		m, err := p.dir.Read()
		return err != nil || !sameOrigin(*m, u.manifest) || !p.dir.Intact(m)
	})
}

func sameOrigin(a, b output.Manifest) bool {
	return a.Platform == b.Platform && a.Generation == b.Generation && a.Comment == b.Comment &&
		a.Generator == b.Generator && a.Library == b.Library &&
		maps.EqualFunc(a.Variables, b.Variables, equalJSON)
}

// render renders the unit.
func (u *unit) render() error {
	var err error
	what := u.generation.Name
	if u.platform == nil {
		u.files, err = emit.Generation(u.generation)
	} else {
		what = u.platform.Name
		u.files, err = emit.Platform(u.design)
	}
	if err != nil {
		return fmt.Errorf("render %s: %w", what, err)
	}
	return nil
}

// plans compares the rendered unit with each of its places.
func (u *unit) plans(w *Workspace) ([]*output.Plan, error) {
	var plans []*output.Plan
	var errs []error
	for _, p := range u.places {
		plan, err := u.plan(w, p)
		plans, errs = append(plans, plan), append(errs, err)
	}
	return plans, errors.Join(errs...)
}

func (u *unit) plan(w *Workspace, p place) (*output.Plan, error) {
	var files []output.File
	var sources []string
	if u.design != nil {
		sources = slices.Clone(u.design.Files)
	}
	for _, f := range u.files {
		if rest, ok := strings.CutPrefix(f.Path, p.below); ok {
			files = append(files, output.File{Path: rest, Content: f.Content, Inputs: f.Inputs})
			sources = append(sources, f.Inputs...)
		}
	}
	m := u.manifest
	var err error
	if m.Inputs, err = inputs(sources, w.Library.Inputs(m.Platform)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.dir.Name(), err)
	}
	return p.dir.Plan(m, files)
}
