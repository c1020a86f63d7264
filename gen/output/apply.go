package output

import (
	"cmp"
	"context"
	"fmt"
	"os"
)

// Apply brings the directory to what was planned. It stops between two files
// when the context is done; a later run then finishes the work.
func (p *Plan) Apply(ctx context.Context) error {
	if err := p.apply(ctx); err != nil {
		return fmt.Errorf("write %s: %w", p.dir.Name(), err)
	}
	return nil
}

func (p *Plan) apply(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	open := p.dir.create
	if len(p.Changes) == 0 {
		open = p.dir.open
	}
	t, err := open()
	if err != nil || t.root == nil {
		return err
	}
	defer t.close()
	if err := p.clear(t); err != nil {
		return err
	}
	if len(p.Changes) > 0 {
		err = p.change(ctx, t)
	}
	if err == nil && p.next == nil {
		err = p.removeDir()
	}
	return err
}

// change makes the changes, between a manifest that announces them and one
// that confirms them.
func (p *Plan) change(ctx context.Context, t *tree) error {
	onlyManifest := len(p.Changes) == 1 && p.Changes[0].Path == p.dir.Manifest && len(p.vanished) == 0
	if !onlyManifest {
		if err := p.announce(t); err != nil {
			return err
		}
	}
	if err := p.removeVanished(ctx, t); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if c.Kind == Removed || c.Path == p.dir.Manifest {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.write(c.Path, p.files[c.Path]); err != nil {
			return err
		}
	}
	if p.next == nil {
		return t.remove(p.dir.Manifest)
	}
	return t.write(p.dir.Manifest, p.files[p.dir.Manifest])
}

// clear removes half-written files. They can only stand beside files that an
// unfinished manifest names, or beside the manifest.
func (p *Plan) clear(t *tree) error {
	if err := t.remove(temporary(p.dir.Manifest)); err != nil {
		return err
	}
	if !p.old.Unfinished {
		return nil
	}
	for _, name := range p.old.paths() {
		if err := t.remove(temporary(name)); err != nil {
			return err
		}
	}
	return nil
}

// announce writes the manifest that knows the files of before and after.
func (p *Plan) announce(t *tree) error {
	next := p.next
	if next == nil {
		next = &Manifest{Schema: Schema, Comment: p.old.Comment, Platform: p.old.Platform, Generation: p.old.Generation}
		next.Comment = cmp.Or(next.Comment, Marker)
	}
	text, err := union(p.old, next).encode()
	if err != nil {
		return err
	}
	return t.write(p.dir.Manifest, text)
}

func (p *Plan) removeVanished(ctx context.Context, t *tree) error {
	removed := map[string]bool{}
	for _, c := range p.Changes {
		removed[c.Path] = c.Kind == Removed
	}
	for _, name := range p.vanished {
		if err := ctx.Err(); err != nil {
			return err
		}
		if removed[name] {
			if err := t.remove(name); err != nil {
				return err
			}
		}
		if err := t.prune(name); err != nil {
			return err
		}
	}
	return nil
}

// removeDir removes the directory if nothing else is in it.
func (p *Plan) removeDir() error {
	if p.dir.Path == "." {
		return nil
	}
	base, err := os.OpenRoot(p.dir.Base)
	if err != nil {
		return err
	}
	defer base.Close()
	parent := &tree{root: base, dir: Dir{Base: p.dir.Base, Path: ".", step: p.dir.step}}
	return parent.prune(p.dir.Path + "/" + p.dir.Manifest)
}
