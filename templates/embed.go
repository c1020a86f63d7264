// Package templates holds the text templates of everything that is generated.
package templates

import "embed"

// FS holds the templates, one folder for each kind of output.
//
//go:embed docs driver firmware hls rtl vitis
var FS embed.FS
