// Package driver holds what host programs use: the Go API in accl. By itself it
// only lets the generator know what its output is written against.
package driver

import "embed"

// Sources are the Go files whose types shape the generated driver packages.
//
//go:embed accl/platform.go
var Sources embed.FS
