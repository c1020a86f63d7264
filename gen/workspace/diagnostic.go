package workspace

import "github.com/hashicorp/hcl/v2"

// Diagnostic is a problem for scripts. Lines and columns count from 1; without a place
// they are 0.
type Diagnostic struct {
	Severity  string `json:"severity"` // "error" or "warning"
	Summary   string `json:"summary"`
	Detail    string `json:"detail,omitempty"`
	File      string `json:"file,omitempty"` // "platforms/mine.hcl", or what was given, like "-vars"
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// List has the problems for scripts.
func (p *Problems) List() []Diagnostic {
	list := make([]Diagnostic, len(p.Diags))
	for i, d := range p.Diags {
		list[i] = Diagnostic{Severity: "error", Summary: d.Summary, Detail: d.Detail}
		if d.Severity == hcl.DiagWarning {
			list[i].Severity = "warning"
		}
		if r := d.Subject; r != nil {
			list[i].File, list[i].Line, list[i].Column = r.Filename, r.Start.Line, r.Start.Column
			list[i].EndLine, list[i].EndColumn = r.End.Line, r.End.Column
		}
	}
	return list
}
