// Package mpi has the C sources by which programs of MPI use engines, unchanged: a component of Open MPI, and a
// library of profiling functions for all others.
package mpi

import "embed"

// Sources are in the folder c. All of them make either.
//
//go:embed c
var Sources embed.FS
