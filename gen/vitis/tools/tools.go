// Package tools finds the vendor's tools on a machine and their versions.
package tools

import (
	"context"
	"errors"

	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

var (
	// ErrMissing matches errors of tools and board platforms that are not there.
	ErrMissing = errors.New("missing")
	// ErrTooOld matches errors of tools that are older than what works.
	ErrTooOld = errors.New("too old")
)

// Set is the tools that were found.
type Set struct {
	// Tools are what was found, by name.
	Tools map[string]step.Tool
	// Facts are those of the version of Vitis: nil if no tool has said one.
	Facts *platform.VersionFacts
	// Version is that of Vitis: "2023.2"; "" if no tool has said one.
	Version string
	// Warnings are for people.
	Warnings []string

	env Env
}

// Env is what a search depends on.
type Env struct {
	Lookup func(name string) (string, bool) // environment; nil: the process's
	Cache  string                           // file that remembers versions; "": none
	Home   string                           // "/opt/xilinx" if empty
}

// Need is a tool, and what it is needed for: "to link u55c_tcp".
type Need struct{ Tool, For string }

// Find finds tools and asks them for their versions. The error matches ErrMissing or
// ErrTooOld, and names all tools that are.
func Find(ctx context.Context, facts *platform.Toolchain, env Env, needs ...Need) (*Set, error) {
	return nil, errors.New("not there yet")
}

// Platform finds the file of a board platform as v++ does: a path, or a name below
// PLATFORM_REPO_PATHS, /opt/xilinx/platforms and $XILINX_VITIS/platforms. The error
// matches ErrMissing.
func (s *Set) Platform(name string) (string, error) { return "", errors.New("not there yet") }
