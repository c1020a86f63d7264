// Package modules says of every module of the hardware what checks it.
package modules

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/templates"
)

// Check is what checks a module.
type Check struct {
	// Own is the folder below verify/ of the module's own bench, which drives its
	// ports and compares it with a model.
	Own string
	// Within is the folder of the bench that exercises it inside a larger
	// module, if it has none of its own, and Why the reason.
	Within, Why string
}

// All is what checks each module, by name.
func All() map[string]Check {
	all := map[string]Check{}
	for _, part := range []map[string]Check{receiving, sending, elsewhere} {
		maps.Copy(all, part)
	}
	return all
}

// Names are the modules and packages under templates/rtl: of each file one.
func Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(templates.FS, "rtl", func(name string, _ fs.DirEntry, err error) error {
		if base, ok := strings.CutSuffix(strings.TrimSuffix(path.Base(name), ".tmpl"), ".sv"); err == nil && ok {
			names = append(names, base)
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
