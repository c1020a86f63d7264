package platform

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Output is a file that a template of the user makes of the design.
type Output struct {
	Name      string
	Template  SourceFile
	Path      string // below the platform's directory of output, with slashes
	Range     hcl.Range
	PathRange hcl.Range
}

const templateExtension = ".tmpl"

func (b *loader) outputs() {
	known := blockNames{}
	for _, in := range b.block.Outputs {
		b.diags = append(b.diags, known.take(in.NameRange, "output", in.Name)...)
		out := Output{Name: in.Name, Path: in.Path, Range: in.Range, PathRange: orElse(in.PathRange, in.Range)}
		if fault := lang.PathFault(in.Path); fault != "" {
			b.errorf(out.PathRange, "Path outside the output",
				"%q %s; paths are relative to the platform's own directory of output, for example \"docs/checklist.md\".",
				in.Path, fault)
		}
		if in.TemplateRange.Filename == "" {
			continue // it is required, and that was said
		}
		file, d := namedFile(in.Template, in.TemplateRange, []string{templateExtension},
			"the language of templates", b.lib.text)
		if d != nil {
			b.errorf(*d.Subject, d.Summary, "%s", d.Detail)
			continue
		}
		b.lib.parser.Remember(file.Path, file.Text)
		out.Template = file
		b.p.Outputs = append(b.p.Outputs, out)
	}
}
