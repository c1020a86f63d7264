// Package templates holds the text templates of everything that is generated.
package templates

import "embed"

// FS holds the templates, one folder for each kind of output. README.md and ENGINE.svg
// of rtl are left out: only what is rendered decides whether files are up to date.
//
//go:embed coyote all:docs all:driver all:firmware all:hls all:rtl/[a-z]* vitis
var FS embed.FS
