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

	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
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
	units, report, err := w.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	unlock, err := w.lock(ctx, o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := w.plan(ctx, o, units, report); err != nil {
		return nil, err
	}
	return report, parallel(ctx, len(report.Plans), func(i int) error { return report.Plans[i].Apply(ctx) })
}

// Diff finds out what Generate would change, and writes nothing.
func (w *Workspace) Diff(ctx context.Context, o Options) (*Report, error) {
	units, report, err := w.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	return report, w.plan(ctx, o, units, report)
}

// prepare checks and renders everything that was selected.
func (w *Workspace) prepare(ctx context.Context, o Options) ([]*unit, *Report, error) {
	rendered, err := w.render(ctx, o.Selection, emit.Platform)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(rendered) == 0:
		return nil, nil, errors.New("there are no platforms")
	case o.GoDir != "" && len(rendered) > 1:
		return nil, nil, fmt.Errorf(
			"a driver package belongs to one platform, and %d are selected: choose one, for example -only=%s",
			len(rendered), rendered[0].Design.Platform.Name)
	}
	units, err := w.units(rendered, o)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{}
	for _, u := range units {
		if u.design != nil {
			report.Platforms = append(report.Platforms, u.design.Platform.Name)
		} else if u.files, err = emit.Generation(u.generation); err != nil {
			return nil, nil, fmt.Errorf("render %s: %w", u.generation.Name, err)
		}
		for _, p := range u.places {
			report.Dirs = append(report.Dirs, p.dir)
		}
	}
	return units, report, nil
}

// plan compares what was rendered with what is on disk, all of it before
// anything is written.
func (w *Workspace) plan(ctx context.Context, o Options, units []*unit, report *Report) error {
	found := make([][]*output.Plan, len(units))
	errs := make([]error, len(units))
	err := parallel(ctx, len(units), func(i int) error {
		found[i], errs[i] = units[i].plans(&w.sums)
		return nil
	})
	for _, dir := range w.orphans(o, slices.Collect(maps.Keys(w.library().ABIs))) {
		p, err := dir.PlanRemoval()
		found, errs = append(found, []*output.Plan{p}), append(errs, err)
	}
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	report.Plans = slices.Concat(found...)
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
