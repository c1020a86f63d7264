package workspace

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// upToDate reports whether the output of everything selected is what it would
// be if it were generated again. It reads no more of the descriptions than the
// platforms' variables: the rest decides by its hash. Whenever something is
// unusual it leaves the answer, and the message, to the long way.
func (w *Workspace) upToDate(ctx context.Context, o Options) (*Report, bool) {
	lib := w.files()
	names, err := Match(o.Only, lib.PlatformNames())
	if !lib.Complete() || err != nil || len(names) == 0 || o.GoDir != "" && len(names) != 1 {
		return nil, false
	}
	in, diags := w.parser.ParseInputs(varsName, o.Vars)
	if len(diags) > 0 {
		return nil, false
	}
	f := &fast{
		w: w, o: o, in: in, lib: lib,
		manifests: make([]*output.Manifest, len(names)), declared: make([][]lang.Variable, len(names)),
	}
	if parallel(ctx, len(names), func(i int) error { return f.platform(i, names[i]) }) != nil {
		return nil, false
	}
	declared := union(f.declared)
	generations := f.generations()
	if len(undeclared(in, declared)) > 0 || len(w.orphans(o, generations)) > 0 {
		return nil, false
	}
	r := &Report{Platforms: names}
	for _, name := range generations {
		dir := w.generationDir(o, name)
		if !f.generation(dir) {
			return nil, false
		}
		r.Dirs = append(r.Dirs, dir)
	}
	for _, name := range names {
		for _, p := range w.places(o, name) {
			r.Dirs = append(r.Dirs, p.dir)
		}
	}
	w.warnEnvironment(declared)
	return r, true
}

// fast is one check of whether everything is up to date.
type fast struct {
	w   *Workspace
	o   Options
	in  lang.Inputs
	lib *platform.Library

	manifests []*output.Manifest // by platform
	declared  [][]lang.Variable  // by platform
}

// errOutdated ends the check.
var errOutdated = errors.New("not up to date")

func (f *fast) platform(i int, name string) error {
	display := path.Join(platform.Root, name+".hcl")
	inputs := f.lib.Inputs(name)
	file, diags := f.w.parser.Parse(display, inputs[display])
	if file == nil || len(diags) > 0 {
		return errOutdated
	}
	scope, diags := file.Open(f.in, f.w.parser)
	if len(diags) > 0 {
		return errOutdated
	}
	f.declared[i] = scope.Declared
	variables, err := designjson.Variables(scope.Variables)
	if err != nil {
		return err
	}
	want := output.Manifest{
		Comment: comment(display), Platform: name, Variables: variables,
		Generator: generator(), Library: f.w.sums.digest(inputs),
	}
	for _, p := range f.w.places(f.o, name) {
		m, ok := current(p.dir, want)
		if !ok {
			return errOutdated
		}
		f.manifests[i] = m
	}
	return nil
}

// generations lists the interface generations of the platforms.
func (f *fast) generations() []string {
	all := map[string]bool{}
	for _, m := range f.manifests {
		all[m.Generation] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func (f *fast) generation(dir output.Dir) bool {
	m, err := dir.Read()
	return err == nil && m.Platform == "" && m.Generator == generator() &&
		m.Library == f.w.sums.digest(onlyGenerations(f.lib.Inputs(""))) && dir.Intact(m)
}
