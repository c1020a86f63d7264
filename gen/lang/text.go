package lang

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// OneLine makes a text safe for one line of any language: white space becomes
// single blanks, and what has no shape (control and direction marks, a byte
// order mark) is replaced, because compilers object to it.
func OneLine(s string) string {
	if plainLine(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// plainLine reports whether OneLine leaves a text as it is, at a glance.
func plainLine(s string) bool {
	for i, c := range []byte(s) {
		if c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(s)-1 || s[i+1] == ' ') {
			return false
		}
	}
	return true
}

// checkText refuses what is not text with one error: HCL would report each
// byte of a binary file.
func checkText(name string, src []byte) hcl.Diagnostics {
	pos := hcl.InitialPos
	for pos.Byte < len(src) {
		r, size := utf8.DecodeRune(src[pos.Byte:])
		bad := control(r) && !bytes.HasPrefix(src[pos.Byte:], []byte("\r\n"))
		if bad || r == utf8.RuneError && size == 1 {
			what := fmt.Sprintf("the byte 0x%02X, which is not UTF-8", src[pos.Byte])
			if bad {
				what = fmt.Sprintf("the control character %U", r)
			}
			end := pos
			end.Byte, end.Column = pos.Byte+size, pos.Column+1
			return hcl.Diagnostics{Errorf(hcl.Range{Filename: name, Start: pos, End: end}, "Not a text",
				"%s is not a text in UTF-8: it has %s.", name, what)}
		}
		pos.Byte += size
		pos.Column++
		if r == '\n' {
			pos.Line, pos.Column = pos.Line+1, 1
		}
	}
	return nil
}

// nameOpenBlock adds to the error about a missing brace where that is likely
// missing. HCL names the outermost block, because each closing brace closes the
// block before it; the indentation shows the block that was meant.
func nameOpenBlock(name string, src []byte, diags hcl.Diagnostics) {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	open := innermostOpen(tokens)
	if open == nil {
		return
	}
	i := slices.IndexFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Summary == "Unclosed configuration block" || strings.HasPrefix(d.Summary, "Unterminated object")
	})
	if i < 0 || subject(diags[i]).Start.Line == open.line {
		return
	}
	diags[i].Detail += fmt.Sprintf(" The innermost block that is still open is %s, on line %d.", open.name, open.line)
}

// openBrace is a block, or an object, whose closing brace has not come yet.
type openBrace struct {
	name         string
	line, indent int
}

// innermostOpen finds the block that lacks its closing brace: the first one
// before a line that is not indented more than it, or else the last one that is
// open at the end. It is nil if all braces are closed.
func innermostOpen(tokens hclsyntax.Tokens) *openBrace {
	var stack []openBrace
	var suspect *openBrace
	var line hclsyntax.Tokens // what stands before the token on its line
	heredoc := false
	for _, tok := range tokens {
		switch tok.Type {
		case hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc:
			heredoc = tok.Type == hclsyntax.TokenOHeredoc
			line = nil
			continue
		case hclsyntax.TokenComment, hclsyntax.TokenNewline, hclsyntax.TokenEOF:
			line = nil
			continue
		}
		if heredoc {
			continue
		}
		if n := len(stack); n > 0 && len(line) == 0 && suspect == nil {
			top, indent := stack[n-1], tok.Range.Start.Column
			if indent < top.indent || indent == top.indent && tok.Type != hclsyntax.TokenCBrace {
				suspect = &top
			}
		}
		line = append(line, tok)
		switch {
		case tok.Type == hclsyntax.TokenOBrace:
			stack = append(stack, openBrace{header(line), tok.Range.Start.Line, line[0].Range.Start.Column})
		case tok.Type == hclsyntax.TokenCBrace && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
	}
	if suspect == nil && len(stack) > 0 {
		suspect = &stack[len(stack)-1]
	}
	if len(stack) == 0 {
		return nil
	}
	return suspect
}

// header is what a line has before its last brace: the type and the labels of a
// block, or the name of what is set to an object.
func header(line hclsyntax.Tokens) string {
	line = line[:len(line)-1]
	for i, tok := range slices.Backward(line) {
		if tok.Type == hclsyntax.TokenOBrace {
			line = line[i+1:]
			break
		}
	}
	var text strings.Builder
	for i, tok := range line {
		if i > 0 && tok.Range.Start.Byte > line[i-1].Range.End.Byte {
			text.WriteByte(' ')
		}
		text.Write(tok.Bytes)
	}
	if text.Len() == 0 {
		return "an object"
	}
	return strings.TrimRight(text.String(), " =:")
}

// Remains returns what is left of a file that has errors: the blocks of a type,
// at whatever depth a missing brace has put them. Blocks that it does not have
// are those of the other texts, in their order, the first of each label. None of
// the errors is reported again.
func Remains(name, block string, texts ...[]byte) *File {
	body := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}}
	known := map[string]bool{}
	for _, src := range texts {
		for _, b := range remains(name, block, src) {
			if len(b.Labels) == 1 && !known[b.Labels[0]] {
				known[b.Labels[0]] = true
				body.Blocks = append(body.Blocks, b)
			}
		}
	}
	return &File{Name: name, Body: body}
}

func remains(name, block string, src []byte) hclsyntax.Blocks {
	src = bytes.TrimPrefix(src, byteOrderMark)
	if len(src) > MaxFileBytes || checkText(name, src).HasErrors() || checkTokens(name, src).HasErrors() {
		return nil
	}
	file, _ := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if file == nil {
		return nil
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok || checkShape(body).HasErrors() {
		return nil
	}
	guardBody(body)
	var out hclsyntax.Blocks
	var visit func(*hclsyntax.Body)
	visit = func(body *hclsyntax.Body) {
		for _, b := range body.Blocks {
			if b.Type == block {
				out = append(out, b)
			}
			visit(b.Body)
		}
	}
	visit(body)
	return out
}
