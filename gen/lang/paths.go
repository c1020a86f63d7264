package lang

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// PathFault says why a path with slashes cannot name a file below a directory on every
// file system; "" if it can.
func PathFault(p string) string {
	switch {
	case !fs.ValidPath(p) || p == "." || !filepath.IsLocal(filepath.FromSlash(p)):
		return "does not stay inside its directory"
	case strings.ContainsAny(p, `\:*?"<>|`) || strings.ContainsFunc(p, unicode.IsControl):
		return "has characters that not every file system knows"
	case len(path.Base(p)) > 200:
		return "is too long"
	}
	return ""
}
