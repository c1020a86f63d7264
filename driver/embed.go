// Package driver has the packages of host programs, first of all the API in accl. Itself
// it only embeds the source that the generator's output depends on, and sources in C.
package driver

import "embed"

// Sources are the Go files whose types shape the generated driver packages.
//
//go:embed accl/platform.go
var Sources embed.FS

// MPI has the C sources, in mpi/c, by which programs of MPI use engines, unchanged: a component of
// Open MPI, and a library of profiling functions for all others. All of them make either.
//
//go:embed mpi/c
var MPI embed.FS
