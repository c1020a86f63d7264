// Package step holds the parts of a build: steps, which are a few runs of tools that turn
// files into files, the keys of their results, and the jobs and events of their runs.
//
// A step names everything that its result depends on, so that it can run anywhere and its
// result can be shared.
package step

import (
	"time"
)

// Kind is the kind of a step.
type Kind string

const (
	Source  Kind = "source"  // fetches and builds a kernel of somebody else
	HLS     Kind = "hls"     // C++ to .xo
	Package Kind = "package" // RTL to .xo
	Link    Kind = "link"    // .xo to a linked design
	Shell   Kind = "shell"   // a design inside somebody else's shell
	Image   Kind = "image"   // puts the firmware into a linked design
)

// Kinds are all kinds, in the order in which a build gets to them.
var Kinds = []Kind{Source, HLS, Package, Link, Shell, Image}

// Step is one node of a build.
type Step struct {
	ID    string // "u55c_tcp/package/ccl_offload": unique, and the same in the next build
	Kind  Kind
	Title string // for people: "package ccl_offload"

	// Files are put into the work directory, Needs after them, and then Commands
	// run in it, one after another.
	Files    []File
	Needs    []Need
	Commands []Command
	// Tools are the tools that the commands run, with their versions.
	Tools []Tool
	// Outputs are the files and directories that the commands leave: relative
	// paths below the work directory. Each must be there, and no file empty.
	Outputs []string
	// Reports are patterns (doublestar) of further files that are kept if they are
	// there.
	Reports []string
	// Facts are what the result depends on beyond files, commands and tools:
	// by name.
	Facts map[string]string

	// What follows has no influence on the result.

	Resources Resources
	// Env is added to the environment of the commands.
	Env map[string]string
}

// File is a file of the work directory.
type File struct {
	Path    string // relative, with slashes
	Content []byte
	// Disk is where the file is, instead of Content: absolute.
	Disk string
	// Unkeyed says that no key depends on the file: who needs to know which one a
	// result was made of has it among the outputs.
	Unkeyed bool
}

// Need is an output of another step, copied to Path.
type Need struct {
	Step   string // ID
	Output string // of that step
	Path   string // relative, with slashes
}

// Command is one run of a tool.
type Command struct {
	Tool string // name in Step.Tools
	Args []string
	// Dir is where it runs, below the work directory; empty for the directory itself.
	Dir string
	// Shell is a command line for bash instead, as a user has written it.
	Shell string
	// Unless is a condition for bash under which it does not run; empty for none.
	Unless string
}

// Tool is a program with its version.
type Tool struct {
	Name    string // "v++"
	Version string // "2023.2"
	Path    string // of the executable; no influence on the result
}

// Resources are the needs of a step on its host.
type Resources struct {
	CPUs   int           // 0: one
	Memory int           // MiB; 0: not known
	Time   time.Duration // limit; 0: none
}

// Plan is the steps of a build, each after the steps it needs, and its results.
type Plan struct {
	Steps   []*Step
	Results []Result
}

// Result is a file that users get.
type Result struct {
	Platform string
	Step     string // ID
	Output   string // of that step
	Path     string // where users find it, below the directory of the platform's build
}

// Step finds a step; nil if there is none.
func (p *Plan) Step(id string) *Step {
	for _, s := range p.Steps {
		if s.ID == id {
			return s
		}
	}
	return nil
}
