package output

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cclforge/cclforge/gen/lang"
)

// checkPaths refuses sets of files that cannot stand side by side on every
// file system.
func checkPaths(files []File, manifest string) error {
	seen := map[string]string{strings.ToLower(manifest): manifest}
	whole := map[string]bool{strings.ToLower(manifest): true}
	var errs []error
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			errs = append(errs, err)
			continue
		}
		for p := f.Path; p != "."; p = path.Dir(p) {
			folded := strings.ToLower(p)
			first, known := seen[folded]
			switch {
			case known && first != p:
				errs = append(errs, fmt.Errorf("%w: %q and %q differ only in case", ErrPath, first, p))
			case known && (p == f.Path || whole[folded]):
				errs = append(errs, fmt.Errorf("%w: %q is needed twice", ErrPath, p))
			}
			if !known {
				seen[folded] = p
			}
		}
		whole[strings.ToLower(f.Path)] = true
	}
	return errors.Join(errs...)
}

func checkPath(p string) error {
	if fault := lang.PathFault(p); fault != "" {
		return fmt.Errorf("%w: %q %s", ErrPath, p, fault)
	}
	return nil
}
