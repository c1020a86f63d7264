package workspace

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// unit is what is rendered in one go: a platform or an interface generation.
type unit struct {
	design     *design.Design // nil for a generation
	generation *abi.Generation
	// descriptions are all that it may come from.
	descriptions map[string][]byte
	manifest     output.Manifest // without inputs and files
	places       []place
	files        []emit.File
}

// units lists what belongs to platforms: their generations first, because the
// files of platforms include theirs. Generations have no files yet.
func (w *Workspace) units(list []Rendered, o Options) ([]*unit, error) {
	shared := map[string]*abi.Generation{}
	var units []*unit
	for _, r := range list {
		p := r.Design.Platform
		shared[p.ABI.Name] = p.ABI
		variables, err := designjson.Variables(p.Variables)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		u := &unit{design: r.Design, generation: p.ABI, descriptions: w.library().Inputs(p.Name),
			places: w.places(o, p.Name), files: r.Files}
		u.manifest = output.Manifest{
			Comment: comment(p.File), Platform: p.Name, Generation: p.ABI.Name, Variables: variables,
			Generator: generator(), Library: w.sums.digest(u.descriptions),
		}
		units = append(units, u)
	}
	var first []*unit
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		g := shared[name]
		u := &unit{generation: g, descriptions: onlyGenerations(w.library().Inputs(list[0].Design.Platform.Name)),
			places: []place{{dir: w.generationDir(o, name)}}}
		u.manifest = output.Manifest{
			Comment: comment(g.Range.Filename), Generation: name,
			Generator: generator(), Library: w.sums.digest(u.descriptions),
		}
		first = append(first, u)
	}
	return append(first, units...), nil
}

func comment(source string) string {
	return fmt.Sprintf("%s from %s; DO NOT EDIT.", output.Marker, source)
}

// onlyGenerations keeps the descriptions that generations come from.
func onlyGenerations(descriptions map[string][]byte) map[string][]byte {
	maps.DeleteFunc(descriptions, func(name string, _ []byte) bool {
		return !strings.HasPrefix(name, path.Join(platform.Root, generations)+"/")
	})
	return descriptions
}

// current reports whether every place of the unit already holds what would be
// rendered, which is known without rendering it.
func (u *unit) current() bool {
	return !slices.ContainsFunc(u.places, func(p place) bool {
		_, ok := current(p.dir, u.manifest)
		return !ok
	})
}

// current reads the manifest of a directory, and reports whether the directory
// is intact and comes from what want says.
func current(dir output.Dir, want output.Manifest) (*output.Manifest, bool) {
	m, err := dir.Read()
	if err != nil || m.Platform != want.Platform || m.Comment != want.Comment ||
		m.Generator != want.Generator || m.Library != want.Library ||
		!maps.EqualFunc(m.Variables, want.Variables, equalJSON) {
		return m, false
	}
	return m, dir.Intact(m)
}

// plans compares the rendered unit with each of its places.
func (u *unit) plans(s *sums) ([]*output.Plan, error) {
	var plans []*output.Plan
	var errs []error
	for _, p := range u.places {
		plan, err := u.plan(s, p)
		plans, errs = append(plans, plan), append(errs, err)
	}
	return plans, errors.Join(errs...)
}

func (u *unit) plan(s *sums, p place) (*output.Plan, error) {
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
	if m.Inputs, err = s.inputs(sources, u.descriptions); err != nil {
		return nil, fmt.Errorf("%s: %w", p.dir.Name(), err)
	}
	return p.dir.Plan(m, files)
}
