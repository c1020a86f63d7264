package design

import (
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// XO is where the .xo of a kernel comes from that is linked as it is, for one
// platform. Either File is set, or Git is.
type XO struct {
	// File is a file that is there: absolute, or relative to Folder, or to the
	// directory that the environment variable Variable names.
	File, Folder, Variable string

	Git        string // URL
	Revision   string // name of a commit: 7 to 40 hexadecimal digits
	Submodules bool
	Tools      []string // that Command runs
	// Boards and Versions of Vitis are those that its authors have tried; empty if
	// nothing is known.
	Boards, Versions []string
	// Command is a command line for bash, which runs in Directory.
	Command string
	// Directory and what the command leaves are relative to the repository's top.
	Directory    string
	Produces     string   // the .xo
	Repositories []string // IP that the link reads
	PostLink     string   // a Tcl file that runs in the link; empty for none
	Range        hcl.Range
}

// SameBuild reports whether two kernels come from one run of one command.
func (x *XO) SameBuild(other *XO) bool {
	return x.Git != "" && x.Git == other.Git && x.Revision == other.Revision && x.Submodules == other.Submodules &&
		x.Directory == other.Directory && x.Command == other.Command && slices.Equal(x.Tools, other.Tools)
}

// xo evaluates where an .xo comes from, with the variables of the kernel's first
// instance.
func (e *elaboration) xo(k *platform.Kernel, vars variables) *XO {
	x, ctx := k.XO, k.Context(vars)
	out := &XO{
		File: evaluate(e, x.Path, ctx, ""), Folder: path.Dir(x.Range.Filename), Variable: x.Variable,
		Git: x.Git, Revision: x.Revision, Submodules: x.Submodules, Tools: x.Tools,
		Boards: e.lib.BoardsKnownTo(x.Builder), Versions: x.Versions,
		Command: evaluate(e, x.Command, ctx, ""), Directory: evaluate(e, x.Directory, ctx, "."),
		Produces: evaluate(e, x.Produces, ctx, ""), Repositories: evaluate(e, x.Repositories, ctx, []string(nil)),
		PostLink: evaluate(e, x.PostLink, ctx, ""), Range: x.Range,
	}
	if x.Git == "" {
		e.checkFileName(x.Path, out.File, ".xo")
		return out
	}
	if strings.TrimSpace(out.Command) == "" {
		e.errorf(exprRange(x.Command, x.Range), "Command expected", "Kernel %s says no command that builds its .xo.", k.ID)
	}
	e.checkInside(x.Directory, out.Directory, x.Range)
	e.checkInside(x.Produces, out.Produces, x.Range)
	e.checkFileName(x.Produces, out.Produces, ".xo")
	for _, r := range out.Repositories {
		e.checkInside(x.Repositories, r, x.Range)
	}
	if out.PostLink != "" {
		e.checkInside(x.PostLink, out.PostLink, x.Range)
		e.checkFileName(x.PostLink, out.PostLink, ".tcl")
	}
	return out
}

// checkInside reports a path that leaves the repository.
func (e *elaboration) checkInside(expr hcl.Expression, name string, otherwise hcl.Range) {
	clean := path.Clean(name)
	if name == "" || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") ||
		strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\\\n\r\x00") {
		e.errorf(exprRange(expr, otherwise), "Path in the repository expected",
			"%q is no path below the top of the repository; write for example \"build/kernel.xo\".", name)
	}
}

func (e *elaboration) checkFileName(expr hcl.Expression, name, extension string) {
	if path.Ext(name) != extension || strings.ContainsAny(name, "\n\r\x00") {
		e.errorf(expr.Range(), "File expected", "%q is no file that ends in %s.", name, extension)
	}
}

func exprRange(expr hcl.Expression, otherwise hcl.Range) hcl.Range {
	if lang.Present(expr) {
		return expr.Range()
	}
	return otherwise
}

// Source is a build of somebody else's repository, and the kernels that it leaves.
type Source struct {
	*XO     // of the first kernel
	Kernels []*Kernel
}

// Name tells the source apart from the others of a design.
func (s *Source) Name() string { return s.Kernels[0].ID }

// Sources are the builds that the design's .xo files come from, in the order of
// their first kernels.
func (d *Design) Sources() []*Source {
	var out []*Source
	for _, k := range d.Kernels() {
		if k.XO == nil || k.XO.Git == "" {
			continue
		}
		if i := slices.IndexFunc(out, func(s *Source) bool { return s.SameBuild(k.XO) }); i >= 0 {
			out[i].Kernels = append(out[i].Kernels, k)
		} else {
			out = append(out, &Source{k.XO, []*Kernel{k}})
		}
	}
	return out
}

// PostLink is a Tcl file of a source that runs in the link.
type PostLink struct {
	Source *Source
	File   string // in the repository
	Path   string // in out/<platform>, where it stands when the link runs
}

// PostLinks are the Tcl files of the design's sources, each once.
func (d *Design) PostLinks() []PostLink {
	var out []PostLink
	for _, s := range d.Sources() {
		seen := map[string]bool{"": true}
		for _, k := range s.Kernels {
			if f := k.XO.PostLink; !seen[f] {
				seen[f] = true
				out = append(out, PostLink{s, f, PostLinkFolder + k.ID + ".tcl"})
			}
		}
	}
	return out
}

// PostLinkFolder, in out/<platform>, holds Tcl of other projects while the link runs,
// UserPostLinkFolder the Tcl that the platform names.
const (
	PostLinkFolder     = "vitis/post_link/"
	UserPostLinkFolder = PostLinkFolder + "user/"
)
