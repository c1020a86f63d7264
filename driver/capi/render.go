package capi

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"text/template"
	"unicode"
)

// entry is an operation or a reduction of a table, whose number is its place, from 1.
type entry struct{ name, doc string }

// bit is one of a return code.
type bit struct {
	at   int
	name string
}

//go:embed c/*.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"upper": strings.ToUpper,
	"comment": func(indent, text string) string {
		return "/* " + strings.ReplaceAll(text, "\n", "\n"+indent+" * ") + " */"
	},
	"add": func(a, b int) int { return a + b },
}).ParseFS(files, "c/*.tmpl"))

var build uint64

func init() {
	h := fnv.New64a()
	h.Write(Header())
	build = h.Sum64()
}

// Build identifies the interface: that of the header which Header renders.
func Build() uint64 { return build }

// Header is cclforge.h.
func Header() []byte { return render("cclforge.h.tmpl") }

// Loader is the C source of libcclforge.so, which loads the engines.
func Loader() []byte { return render("loader.c.tmpl") }

// Package is the file of pkg-config, beside library and header.
func Package() []byte { return render("cclforge.pc.tmpl") }

type field struct{ Declaration, Doc string }

type named struct {
	Name, Doc string
	Value     any
}

func render(name string) []byte {
	view := map[string]any{
		"Build": build, "Options": fields[options](), "Call": fields[call](), "AllBits": bitMasks(),
		"Operations": numbered(operations), "Reductions": numbered(reductions),
	}
	var errs, all []named
	for i, c := range codes {
		errs = append(errs, named{c.name, c.doc, i + 1})
	}
	for i, t := range types.names[:firstTypes] {
		all = append(all, named{Name: string(t), Value: i + 1})
	}
	view["Errors"], view["Types"] = errs, all
	view["Text"] = len(Failure{}.Text)
	var functions []map[string]any
	for i, f := range Functions {
		var params, slots []string
		for _, p := range f.Params {
			p = strings.TrimSuffix(p, "?")
			params = append(params, p)
			value := p[strings.LastIndexAny(p, " *")+1:]
			if strings.Contains(p, "*") {
				slots = append(slots, "{.pointer = (void *)"+value+"}")
			} else {
				slots = append(slots, "{.number = (int64_t)"+value+"}")
			}
		}
		functions = append(functions, map[string]any{"Number": i, "Name": f.Name, "Doc": f.Doc,
			"Params": strings.Join(params, ", "), "Slots": strings.Join(slots, ", ")})
	}
	view["Functions"] = functions
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, view); err != nil {
		panic(err) // a defect: the templates are part of the package
	}
	return out.Bytes()
}

func numbered(table []entry) []named {
	var out []named
	for i, e := range table {
		out = append(out, named{e.name, e.doc, i + 1})
	}
	return out
}

func bitMasks() []named {
	var out []named
	for _, b := range bits {
		out = append(out, named{Name: b.name, Value: fmt.Sprintf("0x%08X", 1<<b.at)})
	}
	return out
}

// fields are those of a C structure, with the layout of one of Go.
func fields[T any]() []field {
	var out []field
	for f := range reflect.TypeFor[T]().Fields() {
		kind := map[reflect.Kind]string{reflect.Int32: "int ", reflect.Uint32: "uint32_t ", reflect.Uint64: "uint64_t ",
			reflect.Pointer: "const char *", reflect.UnsafePointer: "void *"}[f.Type.Kind()]
		if f.Name == "Src" || f.Name == "Other" {
			kind = "const " + kind
		}
		var name strings.Builder
		for i, r := range f.Name {
			if unicode.IsUpper(r) && i > 0 {
				name.WriteByte('_')
			}
			name.WriteRune(unicode.ToLower(r))
		}
		out = append(out, field{kind + name.String(), f.Tag.Get("doc")})
	}
	return out
}
