package manual

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

// texts are what a user may write in a description.
var texts = []string{
	"Plain words.", "", "  two  blanks\tand\nlines\r\n", "a | b | c", `back\slash \| \\`, "`code` and ``more``",
	"*stars* _under_ __x__ snake_case _a b_",
	"<script>alert(1)</script>", "<!-- x -->", "&lt; &amp; & &#35;", "[link](http://example.com)", "![image](x.png)",
	"<http://example.com>",
	"# heading", "- item", "+ item", "1. item", "12) item", "> quote", "---", "===", "***", "~~gone~~", "a\\", "|", "||",
	"`", "``", "\\`", "ends with `", "x\u202ey", "nul\x00", "π ≤ 4 µs",
}

// visible is what a reader of rendered Markdown sees in its paragraphs and
// table cells.
func visible(t *testing.T, html string) string {
	t.Helper()
	var b strings.Builder
	for rest := html; rest != ""; {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:open])
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			t.Fatalf("tag without an end in %q", html)
		}
		rest = rest[end+1:]
	}
	text := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(b.String())
	return strings.TrimSpace(text)
}

func checkText(t *testing.T, text string) {
	t.Helper()
	want := lang.OneLine(text)
	part, err := NewPart([]byte(Text(text) + "\n"))
	assert.NilError(t, err)
	if got := visible(t, part.HTML); got != want {
		t.Errorf("paragraph %q: shows %q, written as %q", want, got, Text(text))
	}
	table := newTable("A", "B")
	table.add(Text(text), Code(text))
	part, err = NewPart([]byte(table.String()))
	assert.NilError(t, err)
	html := part.HTML
	assert.Check(t, strings.Count(html, "<td") == 2,
		"text %q: row has %d cells:\n%s", text, strings.Count(html, "<td"), html)
	cells := strings.SplitN(html[strings.Index(html, "<td"):], "</td>", 3)
	for i, cell := range cells[:min(2, len(cells))] {
		got := visible(t, cell)
		assert.Check(t, got == want, "cell %d of %q: shows %q in %s", i, want, got, table)
	}
	for _, bad := range []string{"<script", "<a ", "<img", "<h1", "<li", "<blockquote", "<hr", "<em", "<strong", "<!--"} {
		assert.Check(t, !strings.Contains(html, bad), "text %q becomes %s", text, bad)
	}
}

func TestTextStaysText(t *testing.T) {
	for _, text := range texts {
		checkText(t, text)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(checkText)
}

func TestAnchorsDiffer(t *testing.T) {
	first, err := NewPart([]byte("## Streams\n\n## Streams\n"))
	assert.NilError(t, err)
	second, err := NewPart([]byte("## Streams\n\n### Enum config_function\n"), first)
	assert.NilError(t, err)
	var ids []string
	for _, h := range append(first.Headings, second.Headings...) {
		ids = append(ids, h.ID)
	}
	// The second heading of a name gets -1 on GitHub, the third -2.
	want := "streams streams-1 streams-2 enum-config_function"
	assert.Check(t, is.Equal(strings.Join(ids, " "), want))
}
