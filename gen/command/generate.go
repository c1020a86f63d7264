package command

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/workspace"
)

// bringUpToDate brings output up to date.
func bringUpToDate(ctx context.Context, o workspace.Options) error {
	return with(func(w *workspace.Workspace) error {
		_, err := generate(ctx, w, o)
		return err
	})
}

func generate(ctx context.Context, w *workspace.Workspace, o workspace.Options) (*workspace.Report, error) {
	start := time.Now()
	debug.SetGCPercent(400) // a fifth less CPU time, for 50 MB: the process is short-lived
	r, err := w.Generate(ctx, o)
	if err != nil {
		return nil, err
	}
	took := time.Since(start).Round(time.Millisecond)
	written, removed := r.Changes()
	if written+removed == 0 {
		fmt.Printf("%s up to date (%v)\n", count(len(r.Platforms), "platform", "is", "are"), took)
		return r, nil
	}
	text := fmt.Sprintf("%s: %s written", count(len(r.Platforms), "platform"), count(written, "file"))
	if removed > 0 {
		text += fmt.Sprintf(", %d removed", removed)
	}
	fmt.Printf("%s in %s (%v)\n", text, strings.Join(r.Roots(), " and "), took)
	return r, nil
}

// diff shows what generate would change.
func diff(ctx context.Context, o workspace.Options, asJSON bool) error {
	return with(func(w *workspace.Workspace) error {
		r, err := w.Diff(ctx, o)
		if err != nil {
			return err
		}
		if asJSON {
			err = printJSON(struct {
				Platforms []string           `json:"platforms"`
				Current   bool               `json:"current"`
				Changes   []workspace.Change `json:"changes"`
			}{r.Platforms, len(r.List()) == 0, r.List()})
		} else if text, failed := r.DiffText(ctx); failed != nil {
			err = failed
		} else {
			fmt.Print(text)
		}
		if err != nil {
			return err
		}
		written, removed := r.Changes()
		switch {
		case written+removed > 0:
			return mg.Fatalf(1, "generate would write %s and remove %d", count(written, "file"), removed)
		case asJSON:
			return nil
		}
		fmt.Printf("%s up to date\n", count(len(r.Platforms), "platform", "is", "are"))
		return nil
	})
}

// docs generates and lists the manuals.
func docs(ctx context.Context, o workspace.Options) error {
	return with(func(w *workspace.Workspace) error {
		r, err := generate(ctx, w, o)
		if err != nil {
			return err
		}
		for _, dir := range r.Dirs {
			m, err := dir.Read()
			if err != nil {
				return fmt.Errorf("list the manuals: %w", err)
			}
			for _, f := range m.Files {
				if strings.HasSuffix(f.Path, ".html") {
					fmt.Println(filepath.Join(dir.Name(), filepath.FromSlash(f.Path)))
				}
			}
		}
		return nil
	})
}

// clean removes what was generated.
func clean(ctx context.Context, o workspace.Options) error {
	return with(func(w *workspace.Workspace) error {
		left, err := w.Clean(ctx, o)
		for _, name := range left {
			say("%s was not generated and stays", name)
		}
		return err
	})
}
