package emit

import (
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
)

// outputs renders the templates of the user, over what design.json holds, into paths
// where no other file of the platform is. What is wrong with them is a
// *lang.DiagnosticsError.
func outputs(d *design.Design, files []File) ([]File, error) {
	taken := places{}
	taken.add(output.ManifestName)
	for _, f := range files {
		taken.add(f.Path)
	}
	var made []File
	var diags hcl.Diagnostics
	for _, o := range d.Platform.Outputs {
		if other := taken.against(o.Path); other != "" {
			diags = append(diags, lang.Errorf(o.PathRange, "Path taken",
				"The output %q cannot be written to %q: the platform already has %q there.", o.Name, o.Path, other))
		}
		taken.add(o.Path)
		data, err := designjson.Data(d) // each its own: a template cannot change what another sees
		if err != nil {
			return nil, err
		}
		t := userTemplate{Name: o.Template.Path, Text: o.Template.Text, Use: o.Range}
		text, more := t.Execute(data)
		diags = append(diags, more...)
		made = append(made, File{o.Path, text, append(platformInputs(d), o.Template.Path)})
	}
	if diags.HasErrors() {
		return nil, &lang.DiagnosticsError{Diags: diags}
	}
	return made, nil
}

// places are files and the directories above them, by their names in lower case:
// there are file systems that do not tell these apart.
type places map[string]place

type place struct {
	name string
	file bool
}

func (p places) add(file string) {
	for name := file; name != "."; name = path.Dir(name) {
		if folded := strings.ToLower(name); p[folded].name == "" {
			p[folded] = place{name, name == file}
		}
	}
}

// against is a file or directory that a file cannot stand beside; "" if there is none.
func (p places) against(file string) string {
	for name := file; name != "."; name = path.Dir(name) {
		other := p[strings.ToLower(name)]
		if other.name != "" && (name == file || other.file || other.name != name) {
			return other.name
		}
	}
	return ""
}
