package platform

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
)

// XO says where the .xo of a kernel comes from that is linked as it is: a file,
// or a build of somebody's git repository at a revision. What depends on the
// platform stays an expression until the elaboration.
type XO struct {
	xoBlock
	Variable   string
	Git        string // URL; empty if Path says which file it is
	Revision   string // name of a commit: 7 to 40 hexadecimal digits
	Submodules bool
	// Builder is the kernel whose description says how it is built: this one, or
	// another from the same build.
	Builder string
}

// Revision is the name of a commit, whole or abbreviated: branches and tags can move.
var revisionForm = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// FullRevision reports whether a revision is the whole name of a commit.
func FullRevision(revision string) bool { return len(revision) == 40 }

func inexactRevision(rng hcl.Range, revision string) *hcl.Diagnostic {
	return lang.Errorf(rng, "Exact revision expected",
		"%q is not the name of a commit, 40 hexadecimal digits in lower case or the first 7 or more of them; branches and "+
			"tags can come to mean something else.", revision)
}

var variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// xo reads where the .xo comes from, if the block says.
func (b kernelBlock) xo(k *Kernel) hcl.Diagnostics {
	if len(b.XO) == 0 {
		return nil
	}
	in := b.XO[0]
	k.XO = &XO{
		xoBlock: in, Variable: value(in.Variable, ""), Git: value(in.Git, ""), Revision: value(in.Revision, ""),
		Submodules: value(in.Submodules, false), Builder: k.ID,
	}
	k.XO.RevisionRange, k.XO.ToolsRange = orElse(in.RevisionRange, in.Range), orElse(in.ToolsRange, in.Range)
	if len(b.XO) > 1 {
		return hcl.Diagnostics{lang.Errorf(b.XO[1].Range, "One source expected",
			"A kernel has one xo block; the first is on line %d.", in.Range.Start.Line)}
	}
	return nil
}

// resolveXOs gives kernels that come from the build of another one what that says
// about it, and checks all. Kernels in broken files may say more than is known.
func resolveXOs(kernels map[string]*Kernel, broken []string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	checked := map[hcl.Range]bool{}
	for _, id := range sortedKeys(kernels) {
		x := kernels[id].XO
		if x == nil {
			continue
		}
		first := !checked[x.Range] // others are like that one
		checked[x.Range] = true
		if x.With != nil {
			base, ok := kernels[*x.With]
			switch {
			case ok && slices.Contains(broken, base.Range.Filename):
				kernels[id].Files = append(kernels[id].Files, base.Range.Filename)
				continue
			case !ok || base.XO == nil || base.XO.xoBlock.Git == nil || base.XO.With != nil:
				var known []string
				for _, other := range sortedKeys(kernels) {
					if o := kernels[other].XO; o != nil && o.xoBlock.Git != nil && o.With == nil {
						known = append(known, other)
					}
				}
				if first {
					diags = append(diags, lang.Errorf(x.WithRange, "Unknown build",
						"No kernel %q says how it is built from git. %s", *x.With, lang.Choices(*x.With, known)))
				}
				continue
			case x.xoBlock.Git != nil || x.xoBlock.Revision != nil || lang.Present(x.Path):
				if first {
					diags = append(diags, lang.Errorf(x.Range, "One source expected",
						"The repository and its revision are those of kernel %s; say with, or git and revision, or path.", base.ID))
				}
				continue
			}
			x.takeOver(base.XO, base.fileVariables())
		}
		if d := x.check(); first {
			diags = append(diags, d...)
		}
	}
	return diags
}

// takeOver fills in what is the same for all kernels of a repository.
func (x *XO) takeOver(base *XO, variables map[string]cty.Value) {
	base = base.bind(variables)
	x.Git, x.Revision, x.RevisionRange = base.Git, base.Revision, base.RevisionRange
	x.xoBlock.Git, x.GitRange, x.xoBlock.Revision = base.xoBlock.Git, base.GitRange, base.xoBlock.Revision
	if x.xoBlock.Submodules == nil {
		x.Submodules = base.Submodules
	}
	if x.Tools == nil {
		x.Tools, x.ToolsRange = base.Tools, base.ToolsRange
	}
	x.Builder = base.Builder
	if x.Versions == nil {
		x.Versions = base.Versions
	}
	for _, expr := range []struct{ own, other *hcl.Expression }{
		{&x.Directory, &base.Directory}, {&x.Command, &base.Command}, {&x.Repositories, &base.Repositories},
	} {
		if !lang.Present(*expr.own) {
			*expr.own = *expr.other
		}
	}
}

func (x *XO) check() hcl.Diagnostics {
	var diags hcl.Diagnostics
	in := x.xoBlock
	errorf := func(rng hcl.Range, summary, format string, args ...any) {
		diags = append(diags, lang.Errorf(orElse(rng, x.Range), summary, format, args...))
	}
	path, git := lang.Present(x.Path), in.Git != nil
	if path == git {
		errorf(x.Range, "One source expected",
			`An xo block says either path = "file.xo" or git = "https://…", with its revision and the command that builds it.`)
		return diags
	}
	if path {
		for _, a := range []struct {
			name  string
			given bool
		}{
			{"revision", in.Revision != nil}, {"submodules", in.Submodules != nil}, {"directory", lang.Present(x.Directory)},
			{"command", lang.Present(x.Command)}, {"produces", lang.Present(x.Produces)},
			{"repositories", lang.Present(x.Repositories)},
			{"post_link", lang.Present(x.PostLink)}, {"tools", in.Tools != nil},
			{"versions", in.Versions != nil},
		} {
			if a.given {
				errorf(x.Range, "Argument without meaning",
					"The .xo is a file that is there; %s is for those that are built from git.", a.name)
			}
		}
		if in.Variable != nil && !variableForm.MatchString(*in.Variable) {
			errorf(in.VariableRange, "Invalid name", "%q cannot name an environment variable.", *in.Variable)
		}
		return diags
	}
	if in.Variable != nil {
		errorf(in.VariableRange, "Argument without meaning",
			"The .xo is built from git; variable is for files that are there.")
	}
	if x.Git == "" || strings.HasPrefix(x.Git, "-") || strings.ContainsAny(x.Git, " \t\r\n\x00") {
		errorf(in.GitRange, "Repository expected",
			"%q is no address of a git repository; write for example \"https://example.org/kernels.git\".", x.Git)
	}
	for _, v := range in.Versions {
		if in.VersionsRange.Filename != "" && !versionForm.MatchString(v) { // its own
			diags = append(diags, invalidVersion(in.VersionsRange, v))
		}
	}
	switch {
	case in.Revision == nil:
		errorf(in.GitRange, "Revision missing",
			"Say which revision of the repository is built: revision, 40 hexadecimal digits or the first 7 or more.")
	case !revisionForm.MatchString(x.Revision):
		diags = append(diags, inexactRevision(x.RevisionRange, x.Revision))
	}
	for _, required := range []struct {
		name string
		expr hcl.Expression
	}{{"command", x.Command}, {"produces", x.Produces}} {
		if !lang.Present(required.expr) {
			errorf(x.Range, "Missing required argument", "The argument %q is required where an .xo is built from git.",
				required.name)
		}
	}
	return diags
}

// bind makes the expressions see the variables of the file that they stand in.
func (x *XO) bind(variables map[string]cty.Value) *XO {
	if x == nil {
		return nil
	}
	out := *x
	for _, expr := range []*hcl.Expression{&out.Path, &out.Directory, &out.Command, &out.Produces, &out.Repositories,
		&out.PostLink} {
		*expr = lang.Bind(*expr, variables)
	}
	return &out
}

// checkBoards reports names of boards that are for kernels which there are not.
func (l *Library) checkBoards(kernels map[string]*Kernel) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(l.Boards) {
		board := l.Boards[name]
		for _, id := range sortedKeys(board.KnownAs) {
			if kernels[id] == nil {
				diags = append(diags, lang.Errorf(board.KnownRange, "Unknown kernel", "There is no kernel %q. %s", id,
					lang.Choices(id, sortedKeys(kernels))))
			}
		}
	}
	return diags
}

// BoardsKnownTo lists the boards that the authors of a kernel have tried, sorted.
func (l *Library) BoardsKnownTo(kernel string) []string {
	var list []string
	for _, name := range sortedKeys(l.Boards) {
		if _, ok := l.Boards[name].KnownAs[kernel]; ok {
			list = append(list, name)
		}
	}
	return list
}

// checkTools reports tools of xo blocks that the toolchain does not know.
func (l *Library) checkTools(kernels map[string]*Kernel) hcl.Diagnostics {
	var diags hcl.Diagnostics
	if l.Toolchain == nil {
		return nil
	}
	known := lang.Names(l.Toolchain.Tools, func(t *ToolFacts) string { return t.Name })
	for _, id := range sortedKeys(kernels) {
		x := kernels[id].XO
		if x == nil {
			continue
		}
		for _, name := range x.Tools {
			if l.Toolchain.Tool(name) == nil {
				diags = append(diags, lang.Errorf(x.ToolsRange, "Unknown tool", "There is no tool %q. %s", name,
					lang.Choices(name, known)))
			}
		}
	}
	return lang.Distinct(diags)
}
