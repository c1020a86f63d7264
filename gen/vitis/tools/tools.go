// Package tools finds the vendor's tools on a machine, and their versions. Facts about
// tools and versions stand in platforms/tools/vitis.hcl.
package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

var (
	// ErrMissing matches errors of tools and board platforms that are not there.
	ErrMissing = errors.New("missing")
	// ErrTooOld matches errors of tools that are older than what works.
	ErrTooOld = errors.New("too old")
	// ErrBroken matches errors of tools that are there but cannot be run.
	ErrBroken = errors.New("cannot be run")
)

// HLS stands for the tool that compiles C++, which depends on the version.
const HLS = "the HLS compiler"

// linker is the tool whose version is that of the whole set.
const linker = "v++"

// Need is a tool, by its name in the toolchain or HLS, and its purpose: "to link
// u55c_tcp".
type Need struct{ Tool, For string }

// Env is the environment of a search.
type Env struct {
	// Lookup finds environment variables; nil: those of the process.
	Lookup func(name string) (string, bool)
	// Cache is a file that remembers versions; "": none.
	Cache string
	// Limit is how long a tool may take to say its version; 0: a minute.
	Limit time.Duration
}

func (e Env) lookup(name string) string {
	look := e.Lookup
	if look == nil {
		look = os.LookupEnv
	}
	value, _ := look(name)
	return value
}

// Set is the tools that were found.
type Set struct {
	// Tools are what was found, by name. Tools that decide nothing about results
	// have no version.
	Tools map[string]step.Tool
	// Version is that of Vitis: "2023.2"; "" if no tool has one. Facts are what is
	// known of it, or of the nearest version; never nil.
	Version string
	Facts   *platform.VersionFacts
	// Warnings are for people.
	Warnings []string

	env     Env
	chain   *platform.Toolchain
	assumed bool
}

// Assume is a set of all tools of one version, the newest if version is empty, for
// plans on machines that have none: nothing in it has a path.
func Assume(chain *platform.Toolchain, version string) *Set {
	if version == "" {
		version = chain.Versions[len(chain.Versions)-1].Version
	}
	s := &Set{
		Tools: map[string]step.Tool{}, Version: version, Facts: chain.Nearest(version), chain: chain, assumed: true,
		env: Env{Lookup: func(string) (string, bool) { return "", false }},
	}
	for _, f := range chain.Tools {
		s.Tools[f.Name] = step.Tool{Name: f.Name, Version: s.versionOf(f)}
	}
	return s
}

func (s *Set) versionOf(f *platform.ToolFacts) string {
	if f.Versioned {
		return s.Version
	}
	return ""
}

// Tool finds a tool of the set. The error matches ErrMissing.
func (s *Set) Tool(name string) (step.Tool, error) {
	if name == HLS {
		name = s.Facts.HLS
	}
	if t, ok := s.Tools[name]; ok {
		return t, nil
	}
	return step.Tool{}, fmt.Errorf("%s is %w", name, ErrMissing)
}

// Root is the installation directory of a tool, the value of the variable in its facts;
// "" if unknown.
func (s *Set) Root(name string) string {
	f := s.chain.Tool(name)
	if f == nil || f.Variable == "" {
		return ""
	}
	if dir := s.env.lookup(f.Variable); dir != "" {
		return dir
	}
	if t, ok := s.Tools[name]; ok && strings.HasSuffix(filepath.ToSlash(t.Path), "/"+f.Path) {
		return strings.TrimSuffix(filepath.ToSlash(t.Path), "/"+f.Path)
	}
	return ""
}

// Environment is the variables of installations that the user has not set, for commands
// that run the tools.
func (s *Set) Environment(names ...string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		f := s.chain.Tool(name)
		if f == nil || f.Variable == "" || s.env.lookup(f.Variable) != "" {
			continue
		}
		if root := s.Root(name); root != "" {
			out[f.Variable] = root
		}
	}
	return out
}

// Variable is the value of an environment variable, or else the one that follows from
// the tools that were found; "" if unknown.
func (s *Set) Variable(name string) string {
	if value := s.env.lookup(name); value != "" {
		return value
	}
	for _, f := range s.chain.Tools {
		if f.Variable == name {
			if root := s.Root(f.Name); root != "" {
				return root
			}
		}
	}
	return ""
}

// Assumed reports whether the set is of Assume.
func (s *Set) Assumed() bool { return s.assumed }

// problems are what is wrong with tools, in the order in which they were asked for.
type problems []error

func (p problems) Error() string {
	lines := make([]string, len(p))
	for i, e := range p {
		lines[i] = e.Error()
	}
	return strings.Join(slices.Compact(lines), "\n")
}

func (p problems) Unwrap() []error { return p }
