package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// Options say what to generate, and where to.
type Options struct {
	Selection
	// Out is the directory for output; empty means DefaultOut. A relative one
	// stands in the workspace's directory.
	Out string
	// GoDir, if not empty, is a directory that also receives the driver package
	// of the one selected platform.
	GoDir string
}

// Generate brings the output of the selected platforms up to date.
func (w *Workspace) Generate(ctx context.Context, o Options) (*Report, error) {
	r, pending, err := w.prepare(ctx, o)
	if err != nil || len(pending) == 0 && len(w.orphans(o)) == 0 {
		return r, err
	}
	unlock, err := w.lock(ctx, o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := w.plan(ctx, r, pending, o); err != nil {
		return nil, err
	}
	return r, parallel(ctx, len(r.Plans), func(i int) error { return r.Plans[i].Apply(ctx) })
}

// Diff finds out what Generate would change, and writes nothing.
func (w *Workspace) Diff(ctx context.Context, o Options) (*Report, error) {
	r, pending, err := w.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := w.plan(ctx, r, pending, o); err != nil {
		return nil, err
	}
	r.Plans = slices.DeleteFunc(r.Plans, func(p *output.Plan) bool { return len(p.Changes) == 0 })
	return r, nil
}

// prepare checks everything that was selected, and renders what is not up to
// date.
func (w *Workspace) prepare(ctx context.Context, o Options) (*Report, []*unit, error) {
	list, err := w.Load(ctx, o.Selection)
	if errors.Is(err, lang.ErrInvalid) {
		// Designs have rules of their own: report what breaks those, too.
		if _, more := w.Validate(ctx, o.Selection); more != nil {
			err = more
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, errors.New("there are no platforms")
	}
	r := &Report{}
	for _, p := range list {
		r.Platforms = append(r.Platforms, p.Name)
	}
	if o.GoDir != "" && len(list) != 1 {
		return nil, nil, fmt.Errorf("a driver package belongs to one platform, and %d are selected: choose with -only=%s", len(list), list[0].Name)
	}
	units, err := w.units(list, o)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range units {
		for _, p := range u.places {
			r.Dirs = append(r.Dirs, p.dir)
		}
	}
	pending, err := outdated(ctx, units)
	if err != nil {
		return nil, nil, err
	}
	if err := w.elaborate(ctx, pending); err != nil {
		return nil, nil, err
	}
	return r, pending, parallel(ctx, len(pending), func(i int) error { return pending[i].render() })
}

func outdated(ctx context.Context, units []*unit) ([]*unit, error) {
	current := make([]bool, len(units))
	err := parallel(ctx, len(units), func(i int) error {
		current[i] = units[i].current()
		return nil
	})
	var pending []*unit
	for i, u := range units {
		if !current[i] {
			pending = append(pending, u)
		}
	}
	return pending, err
}

func (w *Workspace) elaborate(ctx context.Context, units []*unit) error {
	var list []*platform.Platform
	var owners []*unit
	for _, u := range units {
		if u.platform != nil {
			list, owners = append(list, u.platform), append(owners, u)
		}
	}
	designs, err := w.Elaborate(ctx, list)
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
func (w *Workspace) plan(ctx context.Context, r *Report, pending []*unit, o Options) error {
	found := make([][]*output.Plan, len(pending))
	errs := make([]error, len(pending))
	err := parallel(ctx, len(pending), func(i int) error {
		found[i], errs[i] = pending[i].plans(w)
		return nil
	})
	for _, dir := range w.orphans(o) {
		p, err := dir.PlanRemoval()
		found, errs = append(found, []*output.Plan{p}), append(errs, err)
	}
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	r.Plans = slices.Concat(found...)
	return nil
}

// lock takes the directories that will be written, in an order that is the
// same for all runs.
func (w *Workspace) lock(ctx context.Context, o Options) (unlock func(), err error) {
	dirs := []string{w.out(o)}
	if o.GoDir != "" {
		dirs = append(dirs, o.GoDir)
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
