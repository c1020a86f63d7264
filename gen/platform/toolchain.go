package platform

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// toolsFolder is where the descriptions of the vendor's tools stand.
const toolsFolder = "tools/"

// Toolchain is what is known of the vendor's tools and their versions. It is data,
// in platforms/tools/.
type Toolchain struct {
	toolchainBlock
	Tools    []*ToolFacts
	Versions []*VersionFacts // oldest first; the first is the oldest that works
}

type toolchainFile struct {
	Toolchains []toolchainBlock `hcl:"toolchain,block"`
}

type toolchainBlock struct {
	Name string `hcl:"name,label"`
	Doc  string `hcl:"doc,optional"`
	// Platforms are the directories that board platforms are looked for in, after
	// those that the variable PlatformVariable lists. A directory may begin with a
	// variable: "$XILINX_VITIS/platforms".
	Platforms        []string          `hcl:"platforms,optional"`
	PlatformVariable string            `hcl:"platform_variable,optional"`
	Since            map[string]string `hcl:"since,optional"` // the versions that things came with, by name
	SinceRange       hcl.Range         `hcl:"since,attr_value_range"`
	Tools            []toolBlock       `hcl:"tool,block"`
	Versions         []VersionFacts    `hcl:"version,block"`
	Range            hcl.Range         `hcl:",def_range"`
}

// ToolFacts is how a tool is found.
type ToolFacts struct {
	toolBlock
	Pattern *regexp.Regexp
}

type toolBlock struct {
	Name      string    `hcl:"name,label"` // "v++"
	NameRange hcl.Range `hcl:"name,label_range"`
	Doc       string    `hcl:"doc"`               // what it is for
	Variable  string    `hcl:"variable,optional"` // environment variable that names its installation: "XILINX_VITIS"
	Path      string    `hcl:"path,optional"`     // below that: "bin/v++"
	Source    string    `hcl:"source"`            // for people: the script that they source, or the package that has it
	// Arguments make it say its version, which Pattern's first group is. Without
	// them nobody asks.
	Arguments    []string  `hcl:"arguments,optional"`
	Pattern      string    `hcl:"pattern,optional"`
	PatternRange hcl.Range `hcl:"pattern,attr_value_range"`
	SameAs       string    `hcl:"same_as,optional"` // the tool that it comes with, and whose version it has
	SameAsRange  hcl.Range `hcl:"same_as,attr_value_range"`
	Versioned    bool      `hcl:"versioned,optional"` // it has the versions of the toolchain
	Range        hcl.Range `hcl:",def_range"`
}

// VersionFacts is what is true of a version of the toolchain.
type VersionFacts struct {
	Version      string    `hcl:"version,label"` // "2023.2"
	VersionRange hcl.Range `hcl:"version,label_range"`
	HLS          string    `hcl:"hls"` // the tool that compiles C++: "v++" or "vitis_hls"
	HLSRange     hcl.Range `hcl:"hls,attr_value_range"`
	Range        hcl.Range `hcl:",def_range"`
}

var versionForm = regexp.MustCompile(`^20[0-9]{2}\.[1-9]$`)

// loadToolchain reads what is known of the tools. Without a file of it nothing is.
func loadToolchain(files []*lang.File, parser *lang.Parser) (*Toolchain, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	var out *Toolchain
	for _, file := range files {
		scope, d := constant(file, parser)
		diags = append(diags, d...)
		var content toolchainFile
		diags = append(diags, lang.Decode(scope.Body, scope.Context, &content)...)
		for _, block := range content.Toolchains {
			if out != nil {
				diags = append(diags, lang.Errorf(block.Range, "One toolchain expected",
					"The tools are described already, in %s, line %d.", out.Range.Filename, out.Range.Start.Line))
				continue
			}
			out, d = block.toolchain()
			diags = append(diags, d...)
		}
	}
	return out, diags
}

func (b toolchainBlock) toolchain() (*Toolchain, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	out := &Toolchain{toolchainBlock: b}
	for _, what := range sortedKeys(b.Since) {
		if !versionForm.MatchString(b.Since[what]) {
			diags = append(diags, invalidVersion(b.SinceRange, b.Since[what]))
		}
	}
	for _, t := range b.Tools {
		if prev := out.Tool(t.Name); prev != nil {
			diags = append(diags, duplicate(t.NameRange, "tool", t.Name, prev.Range))
			continue
		}
		pattern, err := regexp.Compile(t.Pattern)
		if err != nil || (t.Arguments == nil) != (t.Pattern == "") || t.Arguments != nil && pattern.NumSubexp() < 1 {
			diags = append(diags, lang.Errorf(orElse(t.PatternRange, t.Range), "Pattern expected",
				"The arguments that make a tool say its version need a pattern: a regular expression with a group, in "+
					"parentheses, for the version. %q is none.", t.Pattern))
			continue
		}
		if (t.Variable == "") != (t.Path == "") {
			diags = append(diags, lang.Errorf(t.Range, "Two arguments expected",
				"variable names the directory of an installation, path the tool below it: say both or none."))
		}
		if t.SameAs != "" && (out.Tool(t.SameAs) == nil || t.Arguments != nil) {
			diags = append(diags, lang.Errorf(t.SameAsRange, "Tool expected",
				"%q is no tool that stands before this one, or this one says its version itself.", t.SameAs))
		}
		out.Tools = append(out.Tools, &ToolFacts{t, pattern})
	}
	for _, v := range b.Versions {
		if !versionForm.MatchString(v.Version) {
			diags = append(diags, invalidVersion(v.VersionRange, v.Version))
			continue
		}
		if prev := out.Version(v.Version); prev != nil {
			diags = append(diags, duplicate(v.VersionRange, "version", v.Version, prev.Range))
			continue
		}
		if out.Tool(v.HLS) == nil {
			diags = append(diags, lang.Errorf(v.HLSRange, "Unknown tool", "There is no tool %q.", v.HLS))
		}
		out.Versions = append(out.Versions, &v)
	}
	slices.SortFunc(out.Versions, func(a, b *VersionFacts) int { return CompareVersions(a.Version, b.Version) })
	if len(out.Versions) == 0 && !diags.HasErrors() {
		diags = append(diags, lang.Errorf(b.Range, "Version expected",
			"A toolchain has at least one version: version \"2023.2\" { hls = \"v++\" }."))
	}
	return out, diags
}

func invalidVersion(rng hcl.Range, version string) *hcl.Diagnostic {
	return lang.Errorf(rng, "Invalid version", "%q is no version; versions are written 2023.2.", version)
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

// Version finds the facts of exactly one version; nil if there are none.
func (t *Toolchain) Version(version string) *VersionFacts {
	for _, v := range t.Versions {
		if v.Version == version {
			return v
		}
	}
	return nil
}

// Nearest finds the facts of a version, or of the last one before it; those of the
// oldest for one that is older still.
func (t *Toolchain) Nearest(version string) *VersionFacts {
	best := t.Versions[0]
	for _, v := range t.Versions {
		if CompareVersions(v.Version, version) <= 0 {
			best = v
		}
	}
	return best
}

// CompareVersions orders versions such as 2023.2 and 2023.2.1 by their numbers.
func CompareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(part(x, i), part(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i]) // what is no number counts as none
	return n
}
