package workspace

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/output"
)

// Report says what a run did, or would do.
type Report struct {
	Platforms []string       // names
	Dirs      []output.Dir   // that hold what was selected
	Plans     []*output.Plan // of Dirs, and of generations that are gone; none if all was up to date
}

// Changes counts the files that are written and removed.
func (r *Report) Changes() (written, removed int) {
	for _, p := range r.Plans {
		for _, c := range p.Changes {
			if c.Kind == output.Removed {
				removed++
			} else {
				written++
			}
		}
	}
	return written, removed
}

// Change is a file that is written or removed.
type Change struct {
	Path   string      `json:"path"`
	Change output.Kind `json:"change"` // "added", "changed" or "removed"
}

// List has the changes, directory by directory.
func (r *Report) List() []Change {
	list := []Change{}
	for _, p := range r.Plans {
		for _, c := range p.Changes {
			list = append(list, Change{p.Name(c.Path), c.Kind})
		}
	}
	return list
}

// Roots lists the directories that users named, once each.
func (r *Report) Roots() []string {
	var roots []string
	for _, d := range r.Dirs {
		if root := filepath.Clean(d.Base); !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// DiffText describes the changes as unified differences.
func (r *Report) DiffText(ctx context.Context) (string, error) {
	var out strings.Builder
	for _, p := range r.Plans {
		text, err := p.Diff(ctx)
		if err != nil {
			return "", err
		}
		out.Write(text)
	}
	return out.String(), nil
}
