// Package templates holds the text templates of everything that is generated.
package templates

import "embed"

// FS holds the templates, one folder for each kind of output.
//
//go:embed coyote all:docs all:driver all:firmware all:hls all:rtl vitis
var FS embed.FS
