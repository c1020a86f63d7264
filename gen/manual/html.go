package manual

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// Heading is an entry of the table of contents.
type Heading struct {
	Level    int
	ID, Text string
}

// Part is a piece of the manual in both forms.
type Part struct {
	Markdown string
	HTML     string
	Headings []Heading
}

var converter = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignStyle))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

// NewPart renders Markdown. IDs of its headings differ from those of the parts
// that stand on the same page.
func NewPart(markdown []byte, others ...*Part) (*Part, error) {
	taken := anchors{}
	for _, other := range others {
		for _, h := range other.Headings {
			taken[h.ID] = true
		}
	}
	doc := converter.Parser().Parse(text.NewReader(markdown), parser.WithContext(parser.NewContext(parser.WithIDs(taken))))
	part := &Part{Markdown: string(markdown)}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			raw, _ := id.([]byte)
			part.Headings = append(part.Headings, Heading{h.Level, string(raw), plainText(h, markdown)})
		}
	}
	var out bytes.Buffer
	if err := converter.Renderer().Render(&out, markdown, doc); err != nil {
		return nil, fmt.Errorf("render the manual as HTML: %w", err)
	}
	part.HTML = out.String()
	return part, nil
}

// plainText is what a reader sees of a node.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing in here fails
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchors gives headings the IDs that GitHub gives them, so that links work in
// both forms of the manual.
type anchors map[string]bool

// Generate implements parser.IDs.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	base := anchor(string(value))
	id := base
	for n := 1; a[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	a[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (a anchors) Put(value []byte) { a[string(value)] = true }

func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		case r == '_' || r == '-':
			return r
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
}
