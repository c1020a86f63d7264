package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Kind is what happens to a file.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Removed Kind = "removed"
)

// Change is one file that a plan changes.
type Change struct {
	Path string
	Kind Kind
}

// Plan lists the changes of a directory.
type Plan struct {
	// Changes are sorted by path and include the manifest.
	Changes []Change

	dir   Dir
	old   *Manifest // empty if there was none
	next  *Manifest // nil if the directory is to go
	files map[string][]byte
	// vanished are paths that the old manifest names and the new one does not.
	vanished []string
}

// Plan compares what the directory holds with what it is to hold, and writes
// nothing. The manifest comes without its files.
func (d Dir) Plan(m Manifest, files []File) (*Plan, error) {
	next, err := complete(m, files, d.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	return d.plan(next, files)
}

// PlanRemoval plans to remove everything that was generated there.
func (d Dir) PlanRemoval() (*Plan, error) { return d.plan(nil, nil) }

func complete(m Manifest, files []File, name string) (*Manifest, error) {
	if err := checkPaths(files, name); err != nil {
		return nil, err
	}
	m.Schema, m.Unfinished = Schema, false
	known := map[string]bool{}
	for _, in := range m.Inputs {
		known[in.Name] = true
	}
	m.Files = make([]Entry, 0, len(files))
	for _, f := range files {
		for _, in := range f.Inputs {
			if !known[in] {
				return nil, fmt.Errorf("%s comes from %s, which is no known input", f.Path, in)
			}
		}
		inputs := slices.Compact(slices.Sorted(slices.Values(f.Inputs)))
		m.Files = append(m.Files, Entry{Path: f.Path, SHA256: Hash(f.Content), Inputs: inputs})
	}
	slices.SortFunc(m.Files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return &m, nil
}

func (d Dir) plan(next *Manifest, files []File) (*Plan, error) {
	t, err := d.open()
	if err != nil {
		return nil, err
	}
	defer t.close()
	p := &Plan{dir: d, next: next, files: map[string][]byte{}}
	old, text, err := t.readManifest()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = &Manifest{}
	case errors.Is(err, ErrNotOurs) && ours(text):
		old = &Manifest{} // damaged, but once ours: the files' marks must do
	case err != nil:
		return nil, err
	}
	p.old = old
	var errs []error
	for _, f := range files {
		p.files[f.Path] = f.Content
		errs = append(errs, p.compare(t, f))
	}
	for _, name := range old.paths() {
		if _, kept := p.files[name]; !kept {
			p.vanished = append(p.vanished, name)
			errs = append(errs, p.retire(t, name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := p.compareManifest(text); err != nil {
		return nil, err
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

func (p *Plan) add(name string, kind Kind) { p.Changes = append(p.Changes, Change{name, kind}) }

// compare plans one file that the directory is to hold.
func (p *Plan) compare(t *tree, f File) error {
	if blocked, err := p.blockedParent(t, f.Path); err != nil || blocked {
		if err == nil {
			p.add(f.Path, Added)
		}
		return err
	}
	info, err := t.lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.add(f.Path, Added)
		return nil
	case err != nil:
		return err
	case info.IsDir():
		p.add(f.Path, Added)
		return p.emptied(t, f.Path)
	case !info.Mode().IsRegular():
		if !p.old.names(f.Path) {
			return p.inTheWay(t, f.Path)
		}
		p.add(f.Path, Changed)
		return nil
	}
	content, err := t.read(f.Path)
	if err != nil {
		return err
	}
	if bytes.Equal(content, f.Content) {
		return nil
	}
	if !p.old.names(f.Path) && !ours(content) {
		return p.inTheWay(t, f.Path)
	}
	p.add(f.Path, Changed)
	return nil
}

func (p *Plan) inTheWay(t *tree, name string) error {
	return fmt.Errorf("%s: %w, and a generated one of that name is to be written; move it away or remove it",
		t.name(name), ErrNotOurs)
}

// blockedParent reports whether a directory of the path is at present a
// generated file that will go.
func (p *Plan) blockedParent(t *tree, name string) (bool, error) {
	if t.root == nil {
		return false, nil
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		dir := name[:i]
		info, err := t.lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, err
		case info.IsDir():
		case info.Mode().IsRegular() && p.old.names(dir):
			return true, nil
		case info.Mode()&fs.ModeSymlink != 0:
			return false, plainParents(t.root, dir)
		default:
			return false, p.inTheWay(t, dir)
		}
	}
	return false, nil
}

// emptied checks that a directory in the place of a file holds only generated
// files, all of which will go.
func (p *Plan) emptied(t *tree, dir string) error {
	return fs.WalkDir(t.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !p.old.names(name) && !p.old.names(final(name)) {
			err = p.inTheWay(t, name)
		}
		return err
	})
}

// retire plans the removal of a file that is no longer produced. What a user
// has put in its place stays.
func (p *Plan) retire(t *tree, name string) error {
	if t.root == nil || plainParents(t.root, path.Dir(name)) != nil {
		return nil
	}
	info, err := t.lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil // gone already, or replaced by hand
	}
	content, err := t.read(name)
	if err != nil {
		return err
	}
	if p.old.wrote(name, content) {
		p.add(name, Removed)
	}
	return nil
}

func (p *Plan) compareManifest(text []byte) error {
	if p.next == nil {
		if text != nil {
			p.add(p.dir.Manifest, Removed)
		}
		return nil
	}
	want, err := p.next.encode()
	if err != nil {
		return err
	}
	switch {
	case text == nil:
		p.add(p.dir.Manifest, Added)
	case !bytes.Equal(text, want):
		p.add(p.dir.Manifest, Changed)
	}
	p.files[p.dir.Manifest] = want
	return nil
}

// Name is the path of a file of the plan, as users see it.
func (p *Plan) Name(path string) string { return filepath.Join(p.dir.Name(), filepath.FromSlash(path)) }

// Diff describes the changes as unified differences.
func (p *Plan) Diff(ctx context.Context) ([]byte, error) {
	t, err := p.dir.open()
	if err != nil {
		return nil, err
	}
	defer t.close()
	var out bytes.Buffer
	for _, c := range p.Changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before, err := t.read(c.Path)
		if err != nil {
			before = nil // a new file, or a link in its place
		}
		name := t.name(c.Path)
		fmt.Fprintf(&out, "%s %s\n", c.Kind, name)
		if c.Kind == Changed {
			text := diff.Diff(name, before, name, p.files[c.Path])
			_, text, _ = bytes.Cut(text, []byte("\n")) // its first line repeats the names
			out.Write(text)
		}
	}
	return out.Bytes(), nil
}
