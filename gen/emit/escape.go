package emit

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cclforge/cclforge/gen/lang"
)

// inComment is lang.OneLine without what C and C++ take for a backslash.
func inComment(s string) string { return strings.ReplaceAll(lang.OneLine(s), "??/", "?? /") }

// blockComment writes a text inside /* and */ of C or C++: no star touches a
// slash.
func blockComment(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range inComment(s) {
		if last == '*' && r == '/' || last == '/' && r == '*' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// lineComment writes a text behind // of C++. A backslash at the end would
// continue the comment.
func lineComment(s string) string {
	s = inComment(s)
	if strings.HasSuffix(s, `\`) {
		s += "."
	}
	return s
}

// directives begin comments that tools for SystemVerilog obey.
var directives = []string{
	"ambit", "cadence", "coverage", "lint", "pragma", "synopsys", "synthesis",
	"translate_off", "translate_on", "vcs", "verilator", "xilinx",
}

// isDirective reports whether a tool may take a comment for an instruction.
func isDirective(comment string) bool {
	word := strings.TrimLeftFunc(comment, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.ContainsFunc(directives, func(d string) bool {
		return len(word) >= len(d) && strings.EqualFold(word[:len(d)], d)
	})
}

// hardwareComment writes a text behind // of SystemVerilog.
func hardwareComment(s string) string {
	s = lineComment(s)
	if isDirective(s) {
		s = "Text: " + s
	}
	return s
}

// goComment writes a text behind // of Go, where +build is an instruction.
func goComment(s string) string {
	s = lang.OneLine(s)
	if strings.HasPrefix(s, "+build") {
		s = "Text: " + s
	}
	return s
}

// quoted writes a text as a string of Go.
func quoted(s string) string { return strconv.QuoteToASCII(s) }

// tclWord writes a text as one word of Tcl.
func tclWord(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range lang.OneLine(s) {
		if strings.ContainsRune("\\\"$[]{};", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}

// luaText writes a text inside quotes of Lua, or behind --.
func luaText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(lang.OneLine(s))
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
