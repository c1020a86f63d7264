package platform

import "github.com/hashicorp/hcl/v2"

// Toolchain is what is known of the vendor's tools and their versions. It is data,
// in platforms/tools/vitis.hcl.
type Toolchain struct {
	Minimum  string // oldest version that works: "2022.1"
	Tools    []*ToolFacts
	Versions []*VersionFacts // oldest first
	Range    hcl.Range
}

// ToolFacts is how a tool is found.
type ToolFacts struct {
	Name      string   // "v++"
	Doc       string   // what it is for
	Variables []string // environment variables that name its installation: "XILINX_VITIS"
	Path      string   // below that: "bin/v++"
	Script    string   // what users source, for people: "<Vitis>/settings64.sh"
	Arguments []string // that make it say its version
	Pattern   string   // of the version in what it says; the first group is the version
	Versioned bool     // it has the versions of the toolchain
	Range     hcl.Range
}

// VersionFacts is what is true of a version of the toolchain.
type VersionFacts struct {
	Version string // "2023.2"
	HLS     string // the tool that compiles C++: "v++" or "vitis_hls"
	Notes   []string
	Range   hcl.Range
}

// Tool finds the facts of a tool; nil if there are none.
func (t *Toolchain) Tool(name string) *ToolFacts {
	for _, f := range t.Tools {
		if f.Name == name {
			return f
		}
	}
	return nil
}
