// Package manual prepares what the manual of a platform says: its texts and
// tables as Markdown, and the Markdown as HTML. The words between the tables
// stand in the templates.
package manual

import (
	"regexp"
	"strings"

	"github.com/cclforge/cclforge/gen/lang"
)

// Text writes a text of a user as one line of Markdown that says nothing but
// the text, also in a cell of a table.
func Text(s string) string { return escape(lang.OneLine(s)) }

func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	start := startOfLine.FindStringIndex(s)
	var last rune
	for i, r := range s {
		switch {
		case start != nil && i == start[1]-1,
			strings.ContainsRune("\\`*[]<>|&~", r),
			r == '_' && !(isWord(last) && i+1 < len(s) && isWord(rune(s[i+1]))):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// startOfLine matches what would begin a heading, a list, a quotation or a
// rule; its last character takes the escape.
var startOfLine = regexp.MustCompile(`^([-+#=]|\d{1,9}[.)])`)

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// Code writes a text as code in Markdown, also in a cell of a table. Nothing
// becomes nothing.
func Code(s string) string {
	s = lang.OneLine(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// longestRun is how often a character stands in a row.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
