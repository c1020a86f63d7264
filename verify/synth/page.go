package synth

import (
	"html/template"
	"io"
)

// page needs nothing else.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Synthesis of {{.Platform}}</title><style>
body { font: 14px sans-serif; margin: 2em; max-width: 90em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .25em .7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
th:first-child, td:first-child, td.path { text-align: left }
td.path { white-space: normal; font-size: 12px; color: #444 }
.part td:first-child { padding-left: 2em }
.more { color: #b00 } .less { color: #070 } .long { font-weight: bold; color: #b00 }
</style></head><body>
<h1>Kernels of {{.Platform}}</h1>
<p>Mapped by yosys for UltraScale+: estimates. {{.Compared}}.</p>
<table><tr><th>module</th>{{range .Columns}}<th>{{.}}</th>{{end}}<th></th><th>longest path between registers</th></tr>
{{range .Rows}}<tr{{if .Part}} class="part"{{end}}><td>{{.Label}}</td>
{{- range .Figures}}<td>{{.Value}}{{if .Change}} <span class="{{.Class}}">{{.Change}}</span>{{end}}</td>{{end}}
<td><svg width="{{.Bar}}" height="10" role="img"><rect width="{{.Bar}}" height="10" fill="{{if .Long}}#b00{{else}}#69c{{end}}"/></svg></td>
<td class="path">{{.Path.Begin}} → {{.Path.End}} ({{.Path.Cells}}){{if .Path.Through}}<br>through {{range $i, $n := .Path.Through}}{{if $i}}, {{end}}{{$n}}{{end}}{{end}}</td></tr>
{{end}}</table>
<p>A kernel with parts is the sum of them and of what is around; its levels are those of the longest path within a part. levels: between registers; in, out,
across: from ports to registers, from there to ports, from ports to ports. Counted: {{.Rules}}. A long path ({{.Limit}} levels or more) is red.</p>
</body></html>
`))

// Page writes the table as a page of HTML.
func (r Report) Page(w io.Writer) error {
	type figure struct{ Value, Change, Class string }
	type row struct {
		Label   string
		Part    bool
		Figures []figure
		Bar     int
		Long    bool
		Path    Path
	}
	data := struct {
		Platform, Compared, Rules string
		Columns                   []string
		Rows                      []row
		Limit                     int
	}{r.Platform, compared(r.Commit, r.Reason), r.Rules, nil, nil, Long}
	for _, c := range columns {
		data.Columns = append(data.Columns, c.name)
	}
	for _, line := range r.Rows {
		out := row{Label: line.label(), Part: line.Part > 0, Bar: 8 * line.Inside.Levels, Long: line.Inside.Levels >= Long,
			Path: line.Inside}
		for _, c := range columns {
			value, change := r.shown(line, c)
			class := "more"
			if change != "" && change[0] == '-' {
				class = "less"
			}
			out.Figures = append(out.Figures, figure{value, change, class})
		}
		data.Rows = append(data.Rows, out)
	}
	return page.Execute(w, data)
}
