package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// platformNames lists the platforms of layers, sorted.
func platformNames(layers []fs.FS) []string {
	all := map[string]bool{}
	for _, layer := range layers {
		files, _ := fs.Glob(layer, "*.hcl") // the pattern is well formed
		for _, f := range files {
			all[strings.TrimSuffix(f, ".hcl")] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// snapshot reads the files of a library without parsing them, by the names
// that diagnostics call them.
func snapshot(layers []fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, layer := range layers {
		for _, pattern := range platform.Files() {
			names, err := fs.Glob(layer, pattern)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				display := path.Join(platform.Root, name)
				if _, hidden := files[display]; hidden {
					continue
				}
				info, err := fs.Stat(layer, name)
				if err != nil {
					return nil, err
				}
				if !info.Mode().IsRegular() || info.Size() > lang.MaxFileBytes {
					return nil, fmt.Errorf("%s: %w", display, errors.ErrUnsupported)
				}
				if files[display], err = fs.ReadFile(layer, name); err != nil {
					return nil, err
				}
			}
		}
	}
	return files, nil
}

// upToDate reports whether the output of everything selected is what it would
// be if it were generated again. It reads no more of the descriptions than the
// platforms' variables: the rest decides by its hash. Whenever something is
// unusual it leaves the answer, and the message, to the long way.
func (w *Workspace) upToDate(ctx context.Context, o Options) (*Report, bool) {
	files, err := snapshot(w.layers)
	if err != nil {
		return nil, false
	}
	names, err := Match(o.Only, platformNames(w.layers))
	if err != nil || len(names) == 0 || o.GoDir != "" && len(names) != 1 {
		return nil, false
	}
	in, diags := w.parser.ParseInputs(varsName, o.Vars)
	if len(diags) > 0 {
		return nil, false
	}
	f := &fast{
		w: w, o: o, in: in, files: files,
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
	w     *Workspace
	o     Options
	in    lang.Inputs
	files map[string][]byte
	sums  sums

	manifests []*output.Manifest // by platform
	declared  [][]lang.Variable  // by platform
}

// errOutdated ends the check.
var errOutdated = errors.New("not up to date")

// platform checks the places of one platform.
func (f *fast) platform(i int, name string) error {
	display := path.Join(platform.Root, name+".hcl")
	file, diags := f.w.parser.Parse(display, f.files[display])
	if file == nil || len(diags) > 0 {
		return errOutdated
	}
	scope, diags := file.Open(f.in, f.w.parser)
	if len(diags) > 0 {
		return errOutdated
	}
	f.declared[i] = scope.Declared
	variables, err := encodeVariables(scope.Variables)
	if err != nil {
		return err
	}
	want := output.Manifest{
		Comment: comment(display), Platform: name, Variables: variables,
		Generator: generator(), Library: f.sums.digest(f.needed(name)),
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

// needed are the descriptions that a platform may come from.
func (f *fast) needed(name string) map[string][]byte {
	needed := maps.Clone(f.files)
	maps.DeleteFunc(needed, func(file string, _ []byte) bool { return !platform.Concerns(file, name) })
	return needed
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
		m.Library == f.sums.digest(onlyGenerations(maps.Clone(f.files))) && dir.Intact(m)
}
