package platform

import (
	"io/fs"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// Library is what platforms are made of: boards, kernels and interface
// generations, and the platform files themselves.
type Library struct {
	Boards  map[string]*Board
	Kernels map[string]*Kernel
	ABIs    map[string]*abi.Generation

	parser    *lang.Parser
	platforms map[string]source
}

type source struct {
	display string
	text    []byte
}

// Board is a card.
type Board struct {
	Name string
}

// Kernel is a kernel description.
type Kernel struct {
	ID string
}

// NewLibrary reads a library from layers of directories, each rooted where
// boards/, kernels/, abi/ and the platform files stand. A file of an earlier
// layer hides one of the same path in a later layer.
func NewLibrary(parser *lang.Parser, layers ...fs.FS) (*Library, hcl.Diagnostics) {
	return nil, nil
}

// PlatformNames lists the platforms of the library, sorted.
func (l *Library) PlatformNames() []string { return nil }

// Inputs lists all files that platform name depends on, with their text, by
// the name that diagnostics call them.
func (l *Library) Inputs(name string) map[string][]byte { return nil }

// Load reads and validates one platform.
func (l *Library) Load(name string, in lang.Inputs) (*Platform, hcl.Diagnostics) { return nil, nil }
