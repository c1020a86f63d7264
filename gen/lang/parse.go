// Package lang is the HCL dialect of cclforge: parsing within limits,
// variables, locals, functions and evaluation that always ends.
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
)

// Limits of one file. They are far above any real description and far below
// what would exhaust the parser's stack.
const (
	MaxFileBytes = 256 << 10
	MaxDepth     = 100
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

// Parse reads one file. The name is what diagnostics call it. The file is nil
// if it cannot be used at all.
func (p *Parser) Parse(name string, src []byte) (*File, hcl.Diagnostics) {
	p.remember(name, nil, nil)
	if len(src) > MaxFileBytes {
		return nil, hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "File too large",
			Detail:   fmt.Sprintf("%s has %d bytes; a file may have at most %d.", name, len(src), MaxFileBytes),
			Subject:  &hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos},
		}}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	p.remember(name, src, nil)
	if diags := checkTokens(name, src); diags.HasErrors() {
		return nil, diags
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	body := file.Body.(*hclsyntax.Body)
	diags = append(diags, checkObjectKeys(body)...)
	guardBody(body)
	p.remember(name, src, body)
	return &File{Name: name, Body: body}, diags
}

// ParseExpression reads one expression, for values given outside a file: on
// the command line or in the environment.
func (p *Parser) ParseExpression(name string, src []byte) (hcl.Expression, hcl.Diagnostics) {
	if len(src) > MaxFileBytes {
		return nil, hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Value too large",
			Detail:   fmt.Sprintf("%s has %d bytes; a value may have at most %d.", name, len(src), MaxFileBytes),
			Subject:  &hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos},
		}}
	}
	p.remember(name, src, nil)
	if diags := checkTokens(name, src); diags.HasErrors() {
		return nil, diags
	}
	expr, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	diags = append(diags, checkObjectKeys(expr)...)
	return guard(expr), diags
}

// WriteDiagnostics prints diagnostics with the source they point to. Width is
// the line length to wrap at, 0 for none.
func (p *Parser) WriteDiagnostics(w io.Writer, diags hcl.Diagnostics, width uint, color bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return hcl.NewDiagnosticTextWriter(w, p.files, width, color).WriteDiagnostics(diags)
}

// checkTokens refuses what would overflow the recursive parser or build
// numbers that no memory holds, before the parser sees it.
func checkTokens(name string, src []byte) hcl.Diagnostics {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	depth, unary, conditionals := 0, 0, 0
	tooDeep := func(rng hcl.Range) hcl.Diagnostics {
		return hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Nested too deeply",
			Detail:   fmt.Sprintf("Blocks, brackets, operators and templates may be nested at most %d deep.", MaxDepth),
			Subject:  &rng,
		}}
	}
	for _, tok := range tokens {
		switch tok.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl,
			hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen,
			hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			depth--
		case hclsyntax.TokenQuestion:
			conditionals++
		case hclsyntax.TokenNewline:
			if depth == 0 {
				conditionals = 0
			}
		case hclsyntax.TokenNumberLit:
			if exponentTooLarge(tok.Bytes) {
				return hcl.Diagnostics{{
					Severity: hcl.DiagError,
					Summary:  "Number too large",
					Detail:   fmt.Sprintf("Numbers may have at most %d digits and exponents up to %d.", maxDigits, maxExponent),
					Subject:  tok.Range.Ptr(),
				}}
			}
		}
		if tok.Type == hclsyntax.TokenBang || tok.Type == hclsyntax.TokenMinus {
			unary++
		} else {
			unary = 0
		}
		if depth > MaxDepth || unary > MaxDepth || conditionals > 10*MaxDepth {
			return tooDeep(tok.Range)
		}
	}
	return nil
}

const (
	maxExponent = 300
	maxDigits   = 100
)

func exponentTooLarge(lit []byte) bool {
	mantissa, exponent := lit, []byte(nil)
	if i := bytes.IndexAny(lit, "eE"); i >= 0 {
		mantissa, exponent = lit[:i], bytes.TrimLeft(lit[i+1:], "+-0")
	}
	if len(mantissa) > maxDigits || len(exponent) > 3 {
		return true
	}
	n := 0
	for _, c := range exponent {
		n = n*10 + int(c-'0')
	}
	return n > maxExponent
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
				diags = append(diags, &hcl.Diagnostic{
					Severity: hcl.DiagError,
					Summary:  "Duplicate key",
					Detail:   fmt.Sprintf("The key %q is already set on line %d; an object has each key once.", key, prev.Start.Line),
					Subject:  item.KeyExpr.Range().Ptr(),
				})
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
	if tpl, ok := key.Wrapped.(*hclsyntax.TemplateExpr); ok && tpl.IsStringLiteral() {
		v, _ := tpl.Value(nil)
		return v.AsString(), true
	}
	return "", false
}
