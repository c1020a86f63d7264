package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// Options say what to generate, and where to.
type Options struct {
	Selection
	// Out is the directory for output; empty means DefaultOut. Relative
	// directories stand in the workspace's.
	Out string
	// GoDir, if not empty, is a directory that also receives the driver package
	// of the one selected platform.
	GoDir string
}

// Generate brings the output of the selected platforms up to date.
func (w *Workspace) Generate(ctx context.Context, o Options) (*Report, error) {
	if r, ok := w.upToDate(ctx, o); ok {
		return r, nil
	}
	run, err := w.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	unlock, err := w.lock(ctx, o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Another run may have written since.
	if err := w.refresh(ctx, run); err != nil {
		return nil, err
	}
	if err := w.plan(ctx, run); err != nil {
		return nil, err
	}
	plans := run.report.Plans
	return run.report, parallel(ctx, len(plans), func(i int) error { return plans[i].Apply(ctx) })
}

// Diff finds out what Generate would change, and writes nothing.
func (w *Workspace) Diff(ctx context.Context, o Options) (*Report, error) {
	run, err := w.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	return run.report, w.plan(ctx, run)
}

// run is one run of the generator.
type run struct {
	options Options
	library *platform.Library
	report  *Report
	current []*unit // up to date, when that was looked at
	pending []*unit // rendered, because they were not up to date
}

// prepare checks everything that was selected, and renders what is not up to
// date.
func (w *Workspace) prepare(ctx context.Context, o Options) (*run, error) {
	list, err := w.load(ctx, o.Selection)
	if errors.Is(err, lang.ErrInvalid) {
		// Designs have rules of their own: report what breaks those, too.
		if _, more := w.Validate(ctx, o.Selection); more != nil {
			err = more
		}
	}
	if err != nil {
		return nil, err
	}
	lib := w.library()
	r := &run{options: o, library: lib, report: &Report{}}
	for _, p := range list {
		r.report.Platforms = append(r.report.Platforms, p.Name)
	}
	switch {
	case len(list) == 0:
		return nil, errors.New("there are no platforms")
	case o.GoDir != "" && len(list) > 1:
		return nil, fmt.Errorf(
			"a driver package belongs to one platform, and %d are selected: choose one, for example -only=%s",
			len(list), list[0].Name)
	}
	if r.current, err = w.units(lib, list, o); err != nil {
		return nil, err
	}
	for _, u := range r.current {
		for _, p := range u.places {
			r.report.Dirs = append(r.report.Dirs, p.dir)
		}
	}
	if err := w.refresh(ctx, r); err != nil {
		return nil, err
	}
	return r, w.Check(lib.LeftOut(r.report.Platforms, nil))
}

// refresh renders what is not up to date any more.
func (w *Workspace) refresh(ctx context.Context, r *run) error {
	current, late, err := sorted(ctx, r.current)
	if err != nil {
		return err
	}
	if err := w.elaborate(ctx, r.library, late); err != nil {
		return err
	}
	turns := inTurn(late)
	if err := w.rendering(ctx, len(turns), func(i int) error { return turns[i].render() }); err != nil {
		return err
	}
	r.current, r.pending = current, append(r.pending, late...)
	return nil
}

// inTurn orders units for rendering so that one platform of each generation
// comes first: what a generation shares is then made side by side, and no
// processor waits for another to make it.
func inTurn(units []*unit) []*unit {
	var first, rest []*unit
	seen := map[string]bool{}
	for _, u := range units {
		if u.platform != nil && !seen[u.generation.Name] {
			seen[u.generation.Name] = true
			first = append(first, u)
		} else {
			rest = append(rest, u)
		}
	}
	return append(first, rest...)
}

// sorted divides units into those that are up to date and the others.
func sorted(ctx context.Context, units []*unit) (current, outdated []*unit, err error) {
	is := make([]bool, len(units))
	err = parallel(ctx, len(units), func(i int) error {
		is[i] = units[i].current()
		return nil
	})
	for i, u := range units {
		if is[i] {
			current = append(current, u)
		} else {
			outdated = append(outdated, u)
		}
	}
	return current, outdated, err
}

// elaborate gives the platforms among units their designs.
func (w *Workspace) elaborate(ctx context.Context, lib *platform.Library, units []*unit) error {
	var owners []*unit
	for _, u := range units {
		if u.platform != nil {
			owners = append(owners, u)
		}
	}
	designs, diags, err := gather(ctx, owners, func(u *unit) (*design.Design, hcl.Diagnostics) {
		return design.Elaborate(lib, u.platform)
	})
	if err == nil {
		err = w.Check(diags)
	}
	if err != nil {
		return err
	}
	for i, u := range owners {
		u.design = designs[i]
	}
	return nil
}

// plan compares what was rendered with what is on disk, all of it before
// anything is written.
func (w *Workspace) plan(ctx context.Context, r *run) error {
	found := make([][]*output.Plan, len(r.pending))
	errs := make([]error, len(r.pending))
	err := parallel(ctx, len(r.pending), func(i int) error {
		found[i], errs[i] = r.pending[i].plans(&w.sums)
		return nil
	})
	for _, dir := range w.orphans(r.options, slices.Collect(maps.Keys(r.library.ABIs))) {
		p, err := dir.PlanRemoval()
		found, errs = append(found, []*output.Plan{p}), append(errs, err)
	}
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	r.report.Plans = slices.Concat(found...)
	return nil
}

// lock takes the directories that will be written, in an order that is the
// same for all runs.
func (w *Workspace) lock(ctx context.Context, o Options) (unlock func(), err error) {
	dirs := []string{w.out(o)}
	if o.GoDir != "" {
		dirs = append(dirs, w.within(o.GoDir))
	}
	for i, dir := range dirs {
		if dirs[i], err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	slices.Sort(dirs)
	var locks []func()
	unlock = func() {
		for _, l := range slices.Backward(locks) {
			l()
		}
	}
	for _, dir := range slices.Compact(dirs) {
		l, err := output.Lock(ctx, dir, func() { w.Log("waiting for another run that writes to %s", dir) })
		if err != nil {
			unlock()
			return nil, err
		}
		locks = append(locks, l)
	}
	return unlock, nil
}

// equalJSON compares values apart from white space.
func equalJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
