package emit

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"

	"github.com/cclforge/cclforge/templates"
)

// escapes write text so that it is safe in the language around it. Values come ready
// in the view.
var escapes = template.FuncMap{
	"c":   blockComment,
	"cpp": lineComment,
	"sv":  hardwareComment,
	"go":  goComment,
	"lua": luaText,
	"xml": xmlText,
	"tcl": tclWord,
}

// parsed are all templates, by their path below templates/.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	set := template.New("").Funcs(templateFunctions()).Funcs(escapes).Option("missingkey=error")
	err := fs.WalkDir(templates.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".tmpl") {
			return err
		}
		text, err := fs.ReadFile(templates.FS, name)
		if err != nil {
			return err
		}
		_, err = set.New(name).Parse(string(text))
		return err
	})
	return set, err
})

// buffers are kept because files are large and grow in small pieces.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// execute renders the template at a path below templates/.
func execute(name string, view any) ([]byte, error) {
	set, err := parsed()
	if err != nil {
		return nil, fmt.Errorf("parse the templates: %w", err)
	}
	t := set.Lookup(name)
	if t == nil {
		return nil, fmt.Errorf("there is no template %s", name)
	}
	out := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(out)
	out.Reset()
	if err := t.Execute(out, view); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return bytes.Clone(out.Bytes()), nil
}
