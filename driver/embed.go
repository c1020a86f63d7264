// Package driver has the packages of host programs, first of all the API in accl. Itself
// it only embeds the source that the generator's output depends on.
package driver

import "embed"

// Sources are the Go files whose types shape the generated driver packages.
//
//go:embed accl/platform.go
var Sources embed.FS
