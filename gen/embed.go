// Package gen holds the sources of the generator itself, so that what was
// generated can be told apart by the generator that wrote it.
package gen

import "embed"

// Sources are the Go files, and style sheets, of the generator's packages, and of the steps that it
// describes. What builds platforms from there on decides nothing about them.
//
//go:embed */*.go */*.css vitis/step/*.go
var Sources embed.FS
