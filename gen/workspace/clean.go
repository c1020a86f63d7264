package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/gen/output"
)

// generated lists the directories below the output directory that have a
// manifest, in order of name, without those to be skipped.
func (w *Workspace) generated(o Options, skip func(path string) bool) []output.Dir {
	var found []output.Dir
	for _, parent := range []string{".", generations} {
		entries, err := os.ReadDir(filepath.Join(w.out(o), parent))
		if err != nil {
			continue // nothing there
		}
		for _, e := range entries {
			dir := w.place(o, path.Join(parent, e.Name()))
			if skip(dir.Path) {
				continue
			}
			if _, err := dir.Read(); err == nil {
				found = append(found, dir)
			}
		}
	}
	return found
}

// orphans lists directories of platforms and generations that no longer exist.
// Only a run for everything in the usual place knows that nobody else wants
// them.
func (w *Workspace) orphans(o Options, generations []string) []output.Dir {
	if o.Only != "" || !w.usualOut(o) {
		return nil
	}
	alive := map[string]bool{}
	for _, name := range w.files().PlatformNames() {
		alive[w.place(o, name).Path] = true
	}
	for _, name := range generations {
		alive[w.generationDir(o, name).Path] = true
	}
	return w.generated(o, func(path string) bool { return alive[path] })
}

// besides are directories of the default output directory that other targets
// write to.
var besides = []string{"bench", "bin"}

// Clean removes everything that was generated, and nothing else. It lists what
// is left in the output directory.
func (w *Workspace) Clean(ctx context.Context, o Options) (left []string, err error) {
	dirs := w.generated(o, func(string) bool { return false })
	if o.GoDir != "" {
		if !exists(w.within(o.GoDir)) {
			return nil, fmt.Errorf("clean: there is no directory %s", o.GoDir)
		}
		dirs = append(dirs, w.goDir(o))
	}
	base := w.out(o)
	if !exists(base) && o.GoDir == "" {
		return nil, nil
	}
	unlock, err := w.lock(ctx, o)
	if err != nil {
		return nil, err
	}
	if w.usualOut(o) || len(dirs) > 0 {
		// This only succeeds if the directory is empty, and then it should go.
		defer func() { _ = os.Remove(base) }()
	}
	defer unlock()
	for _, dir := range dirs {
		p, err := dir.PlanRemoval()
		if err != nil {
			return nil, err
		}
		if err := p.Apply(ctx); err != nil {
			return nil, err
		}
	}
	if w.usualOut(o) {
		for _, name := range besides {
			if err := os.RemoveAll(filepath.Join(base, name)); err != nil {
				return nil, fmt.Errorf("clean: %w", err)
			}
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".cclforge") {
			left = append(left, filepath.Join(base, e.Name()))
		}
	}
	return left, nil
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return !errors.Is(err, fs.ErrNotExist)
}
