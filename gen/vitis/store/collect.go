package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

type item struct {
	path string // where it will be, with slashes
	from string // the real file in the work directory; empty for a directory or link
	link string
}

// collect lists what a step has left, sorted by path, and checks it.
func collect(work string, st *step.Step) ([]item, error) {
	root, err := filepath.EvalSymlinks(work)
	if err != nil {
		return nil, err
	}
	c := collector{root: root, items: map[string]item{}}
	var errs []error
	for _, output := range st.Outputs {
		if err := c.output(output); err != nil {
			errs = append(errs, fmt.Errorf("%w: %s %w", ErrOutput, output, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, pattern := range st.Reports {
		if err := c.reports(pattern); err != nil {
			return nil, fmt.Errorf("reports %s: %w", pattern, err)
		}
	}
	items := make([]item, 0, len(c.items))
	for _, i := range c.items {
		items = append(items, i)
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return items, nil
}

type collector struct {
	root  string // without symbolic links
	items map[string]item
}

// inside follows symbolic links, which may not lead out of the work directory.
func (c *collector) inside(p string) (string, fs.FileInfo, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(c.root, filepath.FromSlash(p)))
	if err != nil {
		return "", nil, err
	}
	if real != c.root && !strings.HasPrefix(real, c.root+string(filepath.Separator)) {
		return "", nil, fmt.Errorf("is a link to %s, outside the work directory", real)
	}
	info, err := os.Lstat(real)
	return real, info, err
}

func (c *collector) output(p string) error {
	if !local(p) {
		return errors.New("leads out of the work directory")
	}
	real, info, err := c.inside(p)
	switch {
	case absent(err):
		if to, linkErr := os.Readlink(filepath.Join(c.root, filepath.FromSlash(p))); linkErr == nil {
			return fmt.Errorf("is a link to %s, which is not there", to)
		}
		return errors.New("is not there")
	case err != nil:
		return err
	case info.IsDir():
		return c.directory(p, real)
	case !info.Mode().IsRegular():
		return errors.New("is neither a file nor a directory")
	case info.Size() == 0:
		return errors.New("is empty")
	}
	c.items[p] = item{path: p, from: real}
	return nil
}

// directory takes all that is in a directory, which must be something.
func (c *collector) directory(p, real string) error {
	files := 0
	err := filepath.WalkDir(real, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(real, name)
		if err != nil {
			return err
		}
		to := path.Join(p, filepath.ToSlash(below))
		switch {
		case d.IsDir():
			c.items[to] = item{path: to}
			return nil
		case d.Type().IsRegular():
			c.items[to] = item{path: to, from: name}
		case d.Type()&fs.ModeSymlink != 0:
			i, err := c.link(real, name, to)
			if err != nil {
				return err
			}
			c.items[to] = i
		default:
			return fmt.Errorf("holds %s, which is neither a file nor a directory", below)
		}
		files++
		return nil
	})
	if err == nil && files == 0 {
		return errors.New("is an empty directory")
	}
	return err
}

// link keeps a symbolic link that stays inside its directory, and takes the file
// to which another one leads.
func (c *collector) link(dir, name, to string) (item, error) {
	below, err := filepath.Rel(c.root, name)
	if err != nil {
		return item{}, err
	}
	target, err := os.Readlink(name)
	if err != nil {
		return item{}, err
	}
	real, info, err := c.inside(filepath.ToSlash(below))
	switch {
	case absent(err):
		return item{}, fmt.Errorf("holds %s, a link to %s, which is not there", filepath.Base(name), target)
	case err != nil:
		return item{}, fmt.Errorf("holds %s, which %w", filepath.Base(name), err)
	case !filepath.IsAbs(target) && strings.HasPrefix(real, dir+string(filepath.Separator)):
		return item{path: to, link: target}, nil
	case info.Mode().IsRegular():
		return item{path: to, from: real}, nil
	}
	return item{}, fmt.Errorf("holds %s, a link to %s, outside of it", filepath.Base(name), target)
}

// reports takes the files that match a pattern.
func (c *collector) reports(pattern string) error {
	names, err := doublestar.Glob(os.DirFS(c.root), pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return err
	}
	for _, p := range names {
		if _, known := c.items[p]; known || !local(p) || ours(p) {
			continue
		}
		real, info, err := c.inside(p)
		if err != nil || !info.Mode().IsRegular() {
			continue // a report that cannot be kept is no reason to lose a result
		}
		c.items[p] = item{path: p, from: real}
	}
	return nil
}

// ours reports whether a file of a work directory is one of the runner's.
func ours(p string) bool {
	return p == step.ScriptFile || p == step.LogFile || p == step.ExitFile
}
