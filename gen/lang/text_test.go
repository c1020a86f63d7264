package lang_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

// printed parses a file and returns the report of its errors, and their number.
func printed(t *testing.T, name, text string) (string, int) {
	t.Helper()
	parser := lang.NewParser()
	_, diags := parser.Parse(name, []byte(text))
	var out strings.Builder
	assert.NilError(t, parser.WriteDiagnostics(&out, diags, 0, false))
	return out.String(), len(diags)
}

func TestFilesThatAreNoText(t *testing.T) {
	every := make([]byte, 4096)
	for i := range every {
		every[i] = byte(i * 7)
	}
	for name, c := range map[string]struct{ text, said string }{
		"program":        {"\x7fELF\x02\x01\x01\x00\x00\n\x1b[31m\x00", "the control character U+007F"},
		"every byte":     {string(every), "the control character U+0000"},
		"zero":           {"a = 1\n\x00\x00", "the control character U+0000"},
		"escape":         {"# \x1b[31mred\n", "the control character U+001B"},
		"C1":             {"# \u009b31mred\n", "the control character U+009B"},
		"UTF-16":         {"\xff\xfea\x00", "the byte 0xFF, which is not UTF-8"},
		"Latin-1":        {"# fran\xe7ais\n", "the byte 0xE7, which is not UTF-8"},
		"lone CR":        {"# a\rb\n", "the control character U+000D"},
		"in a string":    {"locals {\n  a = \"\x07\"\n}\n", "the control character U+0007"},
		"replacement":    {"# \ufffd, Windows\r\n", ""},
		"tabs, no break": {"locals {\n\ta = 1\n}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, n := printed(t, "platforms/x.hcl", c.text)
			if c.said == "" {
				assert.Check(t, n <= 0, "%q", got)
				return
			}
			assert.Check(t, n == 1 && strings.Contains(got, "platforms/x.hcl is not a text in UTF-8: it has "+c.said+"."),
				"%d errors: %q", n, got)
			noControl(t, got)
		})
	}
}

func noControl(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Errorf("control character %U in %q", r, text)
			return
		}
	}
}

// Whatever comes from names and texts of users may be a command to a terminal.
func TestReportsHaveNoControlCharacters(t *testing.T) {
	const bad = "\x1b[2J\u009b2J\x07\x7f"
	at := hcl.Range{Filename: "x" + bad, Start: hcl.InitialPos, End: hcl.InitialPos}
	d := lang.Errorf(at, "Wrong"+bad, "Value %s.", bad)
	d.Context = &at
	var out strings.Builder
	assert.NilError(t, lang.NewParser().WriteDiagnostics(&out, hcl.Diagnostics{d}, 0, false))
	noControl(t, out.String())
	noControl(t, (&lang.DiagnosticsError{Diags: hcl.Diagnostics{d}}).Error())
	assert.Check(t, is.Contains(d.Detail, bad), "the diagnostic itself has changed")
}

func TestReportsAreBounded(t *testing.T) {
	for _, c := range []struct {
		warnings, errors int
		last             string
	}{
		{0, 20, "error 19"},
		{0, 21, "and 1 more"},
		{5, 170, "and 155 more"},
	} {
		var diags hcl.Diagnostics
		add := func(severity hcl.DiagnosticSeverity, text string, n int) {
			for i := range n {
				at := hcl.Range{Filename: "x", Start: hcl.Pos{Line: i + 1, Column: 1}}
				d := lang.Errorf(at, "s", "%s %d", text, i)
				d.Severity = severity
				diags = append(diags, d)
			}
		}
		add(hcl.DiagWarning, "warning", c.warnings)
		add(hcl.DiagError, "error", c.errors)
		var out strings.Builder
		assert.NilError(t, lang.NewParser().WriteDiagnostics(&out, diags, 0, false))
		for _, text := range []string{out.String(), (&lang.DiagnosticsError{Diags: diags}).Error()} {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			last := lines[len(lines)-1]
			if strings.Count(text, "error ") != 20 || strings.Contains(text, "warning") || !strings.HasSuffix(last, c.last) {
				t.Errorf("%d errors:\n%s", c.errors, text)
			}
		}
	}
}

func TestMissingBrace(t *testing.T) {
	const whole = `platform "x" {
  board = "u55c"

  cclo {
    count = 1

    rx_buffers {
      count = 16
      size  = 4096
    }
  }

  poe "tcp" {
    port = 0
  }

  arithmetic "mine" {
    function "sum" {
      tdest = {
        float32 = 0
      }
    }
  }

  doc = <<-END
not indented }
  END
}
`
	got, n := printed(t, "x.hcl", whole)
	assert.Assert(t, n <= 0, "%v", got)
	lines := strings.Split(whole, "\n")
	for _, c := range []struct {
		missing int // line
		said    string
	}{
		{10, "rx_buffers, on line 7."},
		{11, "cclo, on line 4."},
		{15, `poe "tcp", on line 13.`},
		{21, "tdest, on line 19."},
		{22, `function "sum", on line 18.`},
		{23, `arithmetic "mine", on line 17.`},
	} {
		text := strings.Join(append(append([]string{}, lines[:c.missing-1]...), lines[c.missing:]...), "\n")
		got, _ := printed(t, "x.hcl", text)
		const hint = "The innermost block that is still open is "
		assert.Check(t, strings.Count(got, hint) == 1 && strings.Contains(got, hint+c.said),
			"without line %d, want %s\n%s", c.missing, c.said, got)
	}
	commented := "platform \"x\" { # a {\n/* {\n */\n  cclo {\n    count = 1\n}\n"
	got, _ = printed(t, "x.hcl", commented)
	assert.Check(t, strings.Contains(got, "is still open is cclo, on line 4."), "%s", got)
	// Other mistakes, and blocks that HCL names itself, need no such hint.
	for _, text := range []string{"a {\n  b = = 1\n}\n", "a {\n  b {\n    c = 1\n", strings.TrimRight(whole, "}\n")} {
		got, n := printed(t, "x.hcl", text)
		assert.Check(t, n != 0 && !strings.Contains(got, "still open"), "%s", got)
	}
}

func TestRemains(t *testing.T) {
	labels := func(texts ...string) string {
		var all [][]byte
		for _, text := range texts {
			all = append(all, []byte(text))
		}
		var out []string
		for _, b := range lang.Remains("x.hcl", "kernel", all...).Body.Blocks {
			out = append(out, b.Labels[0])
		}
		return strings.Join(out, " ")
	}
	swallowed := "kernel \"a\" {\n  role = \"x\"\n\nkernel \"b\" {\n}\n"
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{swallowed}, "a b"},
		{[]string{swallowed, "kernel \"b\" {\n}\nkernel \"c\" {\n}\n"}, "a b c"},
		{[]string{"\x00"}, ""},
		{[]string{"%!", "kernel \"c\" {\n}\n"}, "c"},
		{[]string{strings.Repeat("kernel \"a\" {\n", 60000)}, ""},
		{[]string{"kernel {\n}\nkernel \"a\" \"b\" {\n}\n", "", "kernel \"d\""}, "d"},
	} {
		assert.Check(t, is.Equal(labels(c.texts...), c.want), "%.60q", c.texts)
	}
}
