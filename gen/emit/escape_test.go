package emit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

func TestEscapes(t *testing.T) {
	for _, test := range []struct {
		name   string
		escape func(string) string
		text   string
		want   string
	}{
		{"lines", lang.OneLine, " two\n\tlines\r\n ", "two lines"},
		{"invisible", lang.OneLine, "a\u202eb\ufeffc\x00d", "a\ufffdb\ufffdc\ufffdd"},
		{"letters stay", lang.OneLine, "Größe ≤ 4 KiB", "Größe ≤ 4 KiB"},
		{"comment ends", blockComment, "a */ b", "a * / b"},
		{"comment begins", blockComment, "a /* b", "a / * b"},
		{"stars and slashes", blockComment, "*/*/*", "* / * / *"},
		{"slashes", blockComment, "and/or, http://x", "and/or, http://x"},
		{"trigraph", blockComment, "?" + "?/", "?? /"},
		{"backslash", lineComment, `c:\`, `c:\.`},
		{"backslash inside", lineComment, `a\nb`, `a\nb`},
		{"trigraph behind //", lineComment, "?" + "?/", "?? /"},
		{"backslash in hardware", hardwareComment, "c:\\\n", `c:\.`},
		{"pragma", hardwareComment, "synopsys translate_off", "Text: synopsys translate_off"},
		{"pragma behind marks", hardwareComment, "- Verilator lint_off", "Text: - Verilator lint_off"},
		{"no pragma", hardwareComment, "The Verilator model.", "The Verilator model."},
		{"constraint", goComment, "+build linux", "Text: +build linux"},
		{"Go string", quoted, "a\"b\\`\n\u202e", `"a\"b\\` + "`" + `\n\u202e"`},
		{"Lua string", luaText, "a\"b\\\nc", `a\"b\\ c`},
		{"XML", xmlText, `<a b="c">&`, "&lt;a b=&#34;c&#34;&gt;&amp;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Check(t, is.Equal(test.escape(test.text), test.want), "%q becomes", test.text)
		})
	}
}

// FuzzEscapes: no text gets out of its comment or string.
func FuzzEscapes(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := blockComment(text)
		assert.Check(t, !strings.Contains(got, "*/") && !strings.Contains(got, "/*") && !strings.Contains(got, "??/"),
			"block comment %q", got)
		for name, escape := range map[string]func(string) string{"C++": lineComment, "SystemVerilog": hardwareComment,
			"Go": goComment, "C": blockComment} {
			got := escape(text)
			assert.Check(t, !strings.ContainsAny(got, "\n\r\v\f\x00\u2028\u2029\u0085") && utf8.ValidString(got),
				"%s comment %q", name, got)
			if name != "Go" && name != "C" && strings.HasSuffix(got, `\`) {
				t.Errorf("%s comment goes on: %q", name, got)
			}
		}
	})
}
