// Package lang is the HCL dialect of cclforge: parsing within limits,
// variables, locals, functions and evaluation that always ends, and which names
// can stand in every language that is generated.
//
// Everything a user writes passes through here, so nothing in this package
// trusts its input: a file may be too large, too deep or may describe a
// computation without end, and each becomes a diagnostic with a place.
package lang

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// Limits of one file. They are far above any real description and far below
// what would exhaust the parser's stack.
const (
	MaxFileBytes = 256 << 10
	MaxDepth     = 100 // of blocks, brackets, operators and templates
	MaxOperators = 500 // of one expression
)

// File is one parsed HCL file.
type File struct {
	Name string
	Body *hclsyntax.Body
}

// Parser parses files and keeps their text, so that diagnostics can show it.
// It is safe for concurrent use.
type Parser struct {
	mu    sync.Mutex
	files map[string]*hcl.File
}

// NewParser returns a parser that knows no file yet.
func NewParser() *Parser { return &Parser{files: map[string]*hcl.File{}} }

func (p *Parser) remember(name string, src []byte, body hcl.Body) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[name] = &hcl.File{Bytes: src, Body: body}
}

// Remember keeps a text in another language, so that diagnostics can show it.
func (p *Parser) Remember(name string, text []byte) { p.remember(name, text, nil) }

// Parse reads one file. The name is what diagnostics call it. The file is nil
// if it cannot be used at all.
func (p *Parser) Parse(name string, src []byte) (*File, hcl.Diagnostics) {
	p.remember(name, nil, nil)
	if len(src) > MaxFileBytes {
		return nil, hcl.Diagnostics{Errorf(start(name), "File too large",
			"%s has more than %d bytes, the most that a file may have.", name, MaxFileBytes)}
	}
	src = bytes.TrimPrefix(src, byteOrderMark)
	if diags := checkText(name, src); diags.HasErrors() {
		return nil, diags
	}
	p.remember(name, src, nil)
	if diags := checkTokens(name, src); diags.HasErrors() {
		return nil, diags
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		nameOpenBlock(name, src, diags)
		return nil, diags
	}
	body := file.Body.(*hclsyntax.Body)
	if d := checkShape(body); d.HasErrors() {
		return nil, append(diags, d...)
	}
	diags = append(diags, checkObjectKeys(body)...)
	guardBody(body)
	p.remember(name, src, body)
	return &File{Name: name, Body: body}, diags
}

// ParseExpression reads one expression, for values given outside a file: on
// the command line or in the environment.
func (p *Parser) ParseExpression(name string, src []byte) (hcl.Expression, hcl.Diagnostics) {
	if len(src) > MaxFileBytes {
		return nil, hcl.Diagnostics{Errorf(start(name), "Value too large",
			"%s has more than %d bytes, the most that a value may have.", name, MaxFileBytes)}
	}
	p.remember(name, nil, nil)
	if diags := checkText(name, src); diags.HasErrors() {
		return nil, diags
	}
	p.remember(name, src, nil)
	if diags := checkTokens(name, src); diags.HasErrors() {
		return nil, diags
	}
	expr, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	if d := checkShape(expr); d.HasErrors() {
		return nil, append(diags, d...)
	}
	diags = append(diags, checkObjectKeys(expr)...)
	return guard(expr), diags
}

func start(name string) hcl.Range {
	return hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// WriteDiagnostics prints diagnostics with the source they point to, at most
// MaxShown of them and without control characters. Width is the line length to
// wrap at, 0 for none.
func (p *Parser) WriteDiagnostics(w io.Writer, diags hcl.Diagnostics, width uint, color bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown, left := shown(diags)
	files := make(map[string]*hcl.File, len(p.files))
	for name, file := range p.files {
		files[Printable(name)] = file
	}
	if err := hcl.NewDiagnosticTextWriter(w, files, width, color).WriteDiagnostics(shown); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", more(left))
	return err
}

// checkObjectKeys reports literal keys that an object names twice. HCL itself
// silently keeps the last one.
func checkObjectKeys(node hclsyntax.Node) hcl.Diagnostics {
	return hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		object, ok := n.(*hclsyntax.ObjectConsExpr)
		if !ok {
			return nil
		}
		var diags hcl.Diagnostics
		first := map[string]hcl.Range{}
		for _, item := range object.Items {
			key, ok := literalKey(item.KeyExpr)
			if !ok {
				continue
			}
			if prev, dup := first[key]; dup {
				diags = append(diags, Errorf(item.KeyExpr.Range(), "Duplicate key",
					"The key %q is already set on line %d; an object has each key once.", key, prev.Start.Line))
				continue
			}
			first[key] = item.KeyExpr.Range()
		}
		return diags
	})
}

func literalKey(expr hclsyntax.Expression) (string, bool) {
	if k := hcl.ExprAsKeyword(expr); k != "" {
		return k, true
	}
	key, ok := expr.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return "", false
	}
	switch e := key.Wrapped.(type) {
	case *hclsyntax.LiteralValueExpr:
		text, err := convert.Convert(e.Val, cty.String)
		if err != nil || text.IsNull() {
			return "", false
		}
		return text.AsString(), true
	case *hclsyntax.TemplateExpr:
		if e.IsStringLiteral() {
			v, _ := e.Value(nil)
			return v.AsString(), true
		}
	}
	return "", false
}
