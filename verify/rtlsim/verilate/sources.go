package verilate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/templates"
	"github.com/cclforge/cclforge/verify/internal/tools"
)

const (
	rtlRoot      = "rtl"
	commonFolder = "common"
	packageName  = "cclo_pkg.sv" // at the top of the platform's RTL
)

// Sources are files of a shipped platform's RTL in compile order: its package,
// the common blocks, and those of the kernels' folders.
func Sources(ctx context.Context, name string, kernels ...string) ([]string, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, diags
	}
	d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	if diags.HasErrors() {
		return nil, fmt.Errorf("load the platform %s: %w", name, diags)
	}
	return SourcesOf(ctx, d, kernels...)
}

// EditedVariable names the environment's variable with the path of a file, of a planted defect, that is in the place of
// the source of the same name.
const EditedVariable = "CCLFORGE_EDITED_RTL"

// SourcesOf are files of a platform's RTL in compile order.
func SourcesOf(ctx context.Context, d *design.Design, kernels ...string) ([]string, error) {
	rendered, err := emit.Platform(d)
	if err != nil {
		return nil, fmt.Errorf("render the RTL of %s: %w", d.Platform.Name, err)
	}
	files := map[string][]byte{}
	for _, folder := range append([]string{commonFolder}, kernels...) {
		if err := copied(files, folder); err != nil {
			return nil, err
		}
	}
	for _, f := range rendered {
		name, ok := strings.CutPrefix(f.Path, rtlRoot+"/")
		folder, _, _ := strings.Cut(name, "/")
		if ok && path.Ext(name) == ".sv" && (name == packageName || folder == commonFolder ||
			slices.Contains(kernels, folder)) {
			files[name] = f.Content
		}
	}
	found := map[string]bool{}
	for name := range files {
		folder, _, _ := strings.Cut(name, "/")
		found[folder] = true
	}
	for _, folder := range kernels {
		if !found[folder] {
			return nil, fmt.Errorf("%s has no RTL of %s", d.Platform.Name, folder)
		}
	}
	if edited := os.Getenv(EditedVariable); edited != "" {
		for name := range files {
			if path.Base(name) == filepath.Base(edited) {
				if files[name], err = os.ReadFile(edited); err != nil {
					return nil, err
				}
			}
		}
	}
	return Place(files)
}

// copied adds the files of a folder that need no rendering.
func copied(files map[string][]byte, folder string) error {
	err := fs.WalkDir(templates.FS, path.Join(rtlRoot, folder), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".sv" {
			return err
		}
		files[strings.TrimPrefix(name, rtlRoot+"/")], err = fs.ReadFile(templates.FS, name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // what is rendered may have no folder of its own
		return fmt.Errorf("read the RTL of %s: %w", folder, err)
	}
	return nil
}

// Place puts files, by their slash-separated paths, into the cache and returns
// where they are: the platform's package, the other packages, and the rest.
func Place(files map[string][]byte) ([]string, error) {
	dir, err := tools.Place("rtl", files)
	if err != nil {
		return nil, err
	}
	paths := inOrder(files)
	for i, name := range paths {
		paths[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return paths, nil
}

// checked are the sources, and checks of the streams in them.
func (b Build) checked() ([]string, error) {
	texts := make([]string, len(b.Sources))
	for i, name := range b.Sources {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	checks := Checks(texts...)
	if checks == "" {
		return b.Sources, nil
	}
	placed, err := Place(map[string][]byte{"handshakes.sv": []byte(checks)})
	return slices.Concat(b.Sources, placed), err
}

// inOrder sorts files as they are compiled: what others refer to first.
func inOrder(files map[string][]byte) []string {
	rank := func(name string) int {
		switch {
		case name == packageName:
			return 0
		case strings.HasSuffix(name, "_pkg.sv"):
			return 1
		}
		return 2
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return names
}
