package emit

import (
	"bytes"
	"encoding/xml"
	"text/template"

	"github.com/cclforge/cclforge/templates"
)

func execute(name string, view any) ([]byte, error) {
	text, err := templates.FS.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Funcs(template.FuncMap{"xml": func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, view)
	return out.Bytes(), err
}
