package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// Deliver copies the results of a platform to the user's directory, and returns their
// paths. All are copied beside their places first: if one is missing, or the disk is
// full, the directory stays as it was. Files with the right content stay. Reports that
// a step did not leave are omitted.
func Deliver(plan *step.Plan, st *store.Store, platform, dir string) ([]string, error) {
	keys, err := keysOf(plan, st)
	if err != nil {
		return nil, err
	}
	return hand(plan, keys, st, platform, dir)
}

// Deliver is Deliver for the results of this build.
func (o *Outcome) Deliver(platform, dir string) ([]string, error) {
	return hand(o.plan, o.Keys, o.store, platform, dir)
}

func hand(plan *step.Plan, keys step.Keys, st *store.Store, platform, dir string) ([]string, error) {
	paths, err := deliver(plan, keys, st, platform, dir)
	if err != nil {
		return nil, fmt.Errorf("hand the results of %s to %s: %w", platform, dir, err)
	}
	return paths, nil
}

// parcel is a file on its way.
type parcel struct {
	path string // with slashes, below the user's directory
	from string
	file store.File
	temp string // where it waits; empty if it is there already
}

func deliver(plan *step.Plan, keys step.Keys, st *store.Store, platform, dir string) ([]string, error) {
	var parcels []parcel
	for _, r := range plan.Results {
		if r.Platform != platform {
			continue
		}
		result, err := st.Get(keys[r.Step].Hash)
		if err != nil {
			return nil, fmt.Errorf("the result of %s: %w", r.Step, err)
		}
		some, err := pack(r, result)
		if err != nil {
			return nil, err
		}
		parcels = append(parcels, some...)
	}
	return send(parcels, st, dir)
}

func pack(r step.Result, result *store.Result) ([]parcel, error) {
	if !fs.ValidPath(r.Path) || r.Path == "." || !filepath.IsLocal(filepath.FromSlash(r.Path)) {
		return nil, fmt.Errorf("%q is no path of a result", r.Path)
	}
	var parcels []parcel
	for _, f := range result.Files {
		below, inside := strings.CutPrefix(f.Path, r.Output+"/")
		if f.Path != r.Output && !inside || f.Dir {
			continue
		}
		parcels = append(parcels, parcel{path: path.Join(r.Path, below), from: result.Path(f.Path), file: f})
		if !inside {
			parcels[len(parcels)-1].path = r.Path
		}
	}
	if len(parcels) == 0 && slices.Contains(result.Outputs, r.Output) {
		return nil, fmt.Errorf("%s has left no %s", r.Step, r.Output)
	}
	return parcels, nil
}

// send copies files to temporary names and renames them when all are there.
func send(parcels []parcel, st *store.Store, dir string) (paths []string, err error) {
	defer func() {
		if err != nil {
			for _, p := range parcels {
				if p.temp != "" {
					os.Remove(p.temp)
				}
			}
		}
	}()
	for i := range parcels {
		p := &parcels[i]
		to := filepath.Join(dir, filepath.FromSlash(p.path))
		if same(st, to, p.file) {
			continue
		}
		if info, err := os.Lstat(to); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a directory, and a file is to be there", to)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, err
		}
		if err := p.copy(to); err != nil {
			return nil, err
		}
	}
	for _, p := range parcels {
		to := filepath.Join(dir, filepath.FromSlash(p.path))
		if p.temp != "" {
			if err := os.Rename(p.temp, to); err != nil {
				return nil, err
			}
		}
		paths = append(paths, to)
	}
	return paths, nil
}

// same reports whether a file is there already.
func same(st *store.Store, name string, f store.File) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size || f.Link != "" {
		return false
	}
	sum, err := st.Hash(name)
	return err == nil && sum == f.SHA256
}

// copy writes the file beside its place.
func (p *parcel) copy(to string) error {
	p.temp = filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".cclforge-tmp")
	if err := os.Remove(p.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if p.file.Link != "" {
		return os.Symlink(p.file.Link, p.temp)
	}
	sum, err := copyFile(p.from, p.temp)
	if err != nil {
		return err
	}
	if sum != p.file.SHA256 {
		return fmt.Errorf("%w: the content of %s has changed", store.ErrDamaged, p.from)
	}
	return nil
}
