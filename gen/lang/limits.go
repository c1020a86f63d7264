package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

const (
	maxExponent = 300
	maxDigits   = 100
)

// maxNesting is how deep the recursive parser can safely go. A text with no
// more bytes that can nest needs no look at its tokens before it is parsed.
const maxNesting = 5000

// mayNest marks the bytes of brackets, quotes and operators.
var mayNest = func() (marks [256]bool) {
	for _, c := range []byte(`([{"<!-+*/%?&|=>`) {
		marks[c] = true
	}
	return marks
}()

// checkTokens refuses what would overflow the recursive parser.
func checkTokens(name string, src []byte) hcl.Diagnostics {
	count := 0
	for _, c := range src {
		if mayNest[c] {
			count++
		}
	}
	if count <= maxNesting {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	n := nesting{frames: []frame{{}}}
	for i, tok := range tokens {
		n.follow(tok)
		if tok.Type == hclsyntax.TokenTemplateControl && i+1 < len(tokens) {
			n.directive(tokens[i+1])
		}
		if n.depth() > MaxDepth {
			return tooDeep(tok.Range)
		}
		if n.frames[len(n.frames)-1].operators > MaxOperators {
			return tooManyOperators(tok.Range)
		}
	}
	return nil
}

func tooDeep(rng hcl.Range) hcl.Diagnostics {
	return hcl.Diagnostics{Errorf(rng, "Nested too deeply",
		"Blocks, brackets, operators and templates may be nested at most %d deep.", MaxDepth)}
}

func tooManyOperators(rng hcl.Range) hcl.Diagnostics {
	return hcl.Diagnostics{Errorf(rng, "Too many operators", "An expression may have at most %d operators.", MaxOperators)}
}

// nesting follows tokens through what is open.
type nesting struct {
	frames         []frame
	interpolations int // frames that are parts of a template and nest no deeper
	directives     int // template directives that are open
}

// frame is one bracket, quote or template part that is open.
type frame struct {
	open hclsyntax.TokenType
	// operators counts those of the expression at hand; each nests it deeper.
	operators int
}

var closes = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenCBrace:         hclsyntax.TokenOBrace,
	hclsyntax.TokenCBrack:         hclsyntax.TokenOBrack,
	hclsyntax.TokenCParen:         hclsyntax.TokenOParen,
	hclsyntax.TokenTemplateSeqEnd: hclsyntax.TokenTemplateInterp,
	hclsyntax.TokenCQuote:         hclsyntax.TokenOQuote,
	hclsyntax.TokenCHeredoc:       hclsyntax.TokenOHeredoc,
}

// depth counts as the parsed text will: a directive is a choice or a loop, and
// a template in it.
func (n *nesting) depth() int { return len(n.frames) - 1 - n.interpolations + 2*n.directives }

func (n *nesting) follow(tok hclsyntax.Token) {
	top := &n.frames[len(n.frames)-1]
	switch tok.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
		hclsyntax.TokenOHeredoc:
		top.operators++ // an index, if nothing ends the expression
		n.frames = append(n.frames, frame{open: tok.Type})
	case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		n.frames = append(n.frames, frame{open: hclsyntax.TokenTemplateInterp})
		n.interpolations++
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen,
		hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
		// What closes nothing is left to the parser to report.
		if len(n.frames) > 1 && top.open == closes[tok.Type] {
			n.frames = n.frames[:len(n.frames)-1]
			if tok.Type == hclsyntax.TokenTemplateSeqEnd {
				n.interpolations--
			}
		}
	case hclsyntax.TokenComma:
		top.operators = 0
	case hclsyntax.TokenNewline:
		if top.open != hclsyntax.TokenOParen {
			top.operators = 0
		}
	case hclsyntax.TokenIdent, hclsyntax.TokenDot, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit,
		hclsyntax.TokenNumberLit, hclsyntax.TokenComment:
	default:
		top.operators++
	}
}

// directive follows the parts of a template between if and endif, for and
// endfor.
func (n *nesting) directive(keyword hclsyntax.Token) {
	switch string(keyword.Bytes) {
	case "if", "for":
		n.directives++
	case "endif", "endfor":
		n.directives = max(n.directives-1, 0)
	}
}

// checkShape walks what was parsed and refuses what is nested too deeply, and
// numbers that no memory holds once they are written out.
func checkShape(node hclsyntax.Node) hcl.Diagnostics {
	w := &shapeWalker{}
	if diags := hclsyntax.Walk(node, w); diags.HasErrors() {
		return diags
	}
	return w.diags
}

type shapeWalker struct {
	depth, operators int
	diags            hcl.Diagnostics
}

// nests is by how much a node nests what is in it: in brackets, blocks and
// templates, and in operators.
func nests(n hclsyntax.Node) (depth, operators int) {
	switch n.(type) {
	case *hclsyntax.Block, *hclsyntax.ParenthesesExpr, *hclsyntax.TemplateExpr, *hclsyntax.TemplateWrapExpr,
		*hclsyntax.FunctionCallExpr, *hclsyntax.ForExpr, *hclsyntax.TupleConsExpr, *hclsyntax.ObjectConsExpr,
		*hclsyntax.ConditionalExpr, *hclsyntax.IndexExpr, *hclsyntax.SplatExpr, *hclsyntax.UnaryOpExpr:
		return 1, 0
	case *hclsyntax.BinaryOpExpr:
		return 0, 1
	}
	return 0, 0
}

func (w *shapeWalker) Enter(n hclsyntax.Node) hcl.Diagnostics {
	depth, operators := nests(n)
	w.depth += depth
	w.operators += operators
	if !w.diags.HasErrors() && w.depth > MaxDepth {
		w.diags = append(w.diags, tooDeep(n.Range())...)
	}
	if !w.diags.HasErrors() && w.operators > MaxOperators {
		w.diags = append(w.diags, tooManyOperators(n.Range())...)
	}
	if lit, ok := n.(*hclsyntax.LiteralValueExpr); ok && numberOutOfBounds(lit) {
		w.diags = append(w.diags, Errorf(lit.SrcRange, "Number too large",
			"Numbers may have at most %d digits and exponents up to %d.", maxDigits, maxExponent))
	}
	return nil
}

func (w *shapeWalker) Exit(n hclsyntax.Node) hcl.Diagnostics {
	depth, operators := nests(n)
	w.depth -= depth
	w.operators -= operators
	return nil
}

func numberOutOfBounds(lit *hclsyntax.LiteralValueExpr) bool {
	if lit.Val.Type() != cty.Number || lit.Val.IsNull() || !lit.Val.IsKnown() {
		return false
	}
	return exponentTooLarge(lit.Val) || lit.SrcRange.End.Byte-lit.SrcRange.Start.Byte > maxDigits
}

// exponentTooLarge reports whether a number would be very long if it were
// written out.
func exponentTooLarge(n cty.Value) bool {
	f := n.AsBigFloat()
	bits := f.MantExp(nil)
	return f.IsInf() || bits > 4*maxExponent || bits < -4*maxExponent
}
