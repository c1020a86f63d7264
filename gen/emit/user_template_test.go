package emit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/sprig/v3"
	"github.com/hashicorp/hcl/v2"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// leftOutFunctions are the functions of sprig that templates do not have, by the reason.
var leftOutFunctions = map[string]string{
	"clocks and time zones": `ago date date_in_zone date_modify dateInZone dateModify durationRound htmlDate
		htmlDateInZone must_date_modify mustDateModify mustToDate now toDate unixEpoch`,
	"environment, network": "env expandenv getHostByName",
	"random numbers":       "randAlpha randAlphaNum randAscii randBytes randInt randNumeric shuffle uuidv4",
	"keys, certificates": `bcrypt buildCustomCert decryptAES derivePassword encryptAES genCA genCAWithKey genPrivateKey
		genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey htpasswd`,
	"random order":          "keys values",
	"change their argument": "deepCopy merge mergeOverwrite mustDeepCopy mustMerge mustMergeOverwrite set unset",
	"take 0 for missing":    "all any compact mustCompact",
	"depend on the system":  "osBase osClean osDir osExt osIsAbs",
	"second names, or of no use": `biggest hello mustAppend mustChunk mustFirst mustHas mustInitial mustLast mustPrepend
		mustPush mustRest mustReverse mustSlice mustUniq mustWithout toDecimal trimall`,
}

// TestEveryFunctionIsDecided fails when a new version of sprig has functions of which
// nobody has said whether templates may have them.
func TestEveryFunctionIsDecided(t *testing.T) {
	decided := map[string]bool{}
	for name, f := range templateFunctions() {
		assert.Check(t, f != nil, "sprig has no repeatable function %s", name)
		decided[name] = true
	}
	for _, names := range leftOutFunctions {
		for name := range strings.FieldsSeq(names) {
			assert.Check(t, !decided[name], "%s is both allowed and left out", name)
			decided[name] = true
		}
	}
	for name := range sprig.TxtFuncMap() {
		assert.Check(t, decided[name], "nobody has decided on %s", name)
	}
}

func executeText(t *testing.T, text string, data any) (string, hcl.Diagnostics) {
	t.Helper()
	out, diags := userTemplate{Name: "platforms/x.tmpl", Text: []byte(text),
		Use: hcl.Range{Filename: "platforms/x.hcl"}}.Execute(data)
	return string(out), diags
}

func TestFunctions(t *testing.T) {
	data := map[string]any{"zero": int64(0), "off": false, "none": nil, "text": "", "list": []any{"a", "b"}}
	for text, want := range map[string]string{
		``:                                 "",
		`{{join ", " .list | upper}}`:      "A, B",
		`{{"a\nb" | indent 2}}`:            "  a\n  b",
		`{{.zero | default 5}}`:            "0",
		`{{.off | default true}}`:          "false",
		`{{.none | default 5}}`:            "5",
		`{{.text | default "none"}}`:       "none",
		`{{coalesce .none .text .zero 7}}`: "0",
		`{{empty .zero}} {{empty .none}}`:  "false true",
		`{{if eq .none nil}}null{{end}}`:   "null",
		`{{if eq .zero 0}}zero{{end}}`:     "zero",
		`{{printf "%3d%%" 42}}`:            " 42%",
		`{{range until 3}}{{.}}{{end}}`:    "012",
		`{{range .list}}{{break}}{{end}}x`: "x",
		`{{add 1 2}} {{snakecase "AbCd"}}`: "3 ab_cd",
		`{{define "a"}}[{{.}}]{{end}}{{range .list}}{{template "a" .}}{{else}}-{{end}}`: "[a][b]",
		`{{regexReplaceAll "[ab]" "cab" "x"}}`:                                          "cxx",
	} {
		got, diags := executeText(t, text, data)
		assert.Check(t, got == want && !diags.HasErrors(), "%s: %q, not %q: %v", text, got, want, diags)
	}
}

// TestErrors says where an error is: in which line, and from which column on.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		said         string
	}{
		{"a\n{{.b", 2, 1, "unclosed action"},
		{"a\n{{now}}", 2, 1, `function "now" not defined`},
		{"a\nβ {{.platform.nmae}}\nc", 2, 14, `no entry for key "nmae"`},
		{"{{define \"t\"}}\n{{.nmae}}{{end}}{{template \"t\" .}}", 2, 3, `no entry for key "nmae"`},
		{"\n\n{{fail \"this card has no port 3\"}}", 3, 3, "this card has no port 3"},
		{"{{template \"other\"}}", 1, 12, `"other" not defined`},
		{"{{printf \"%p\" .platform}}", 1, 3, "prints an address"},
		{"{{div 1 0}}", 1, 3, "divide by zero"},
	} {
		_, diags := executeText(t, c.text, map[string]any{"platform": map[string]any{"name": "x"}})
		if len(diags) != 1 {
			t.Errorf("%q: %v", c.text, diags)
			continue
		}
		d := diags[0]
		if s := d.Subject; s.Filename != "platforms/x.tmpl" || s.Start.Line != c.line || s.Start.Column != c.column ||
			!strings.Contains(d.Detail, c.said) || strings.Contains(d.Detail, "template: ") {
			t.Errorf("%q: %v", c.text, d)
		}
	}
}

// fan are templates each of which calls the one before it twice.
func fan(n int) string {
	var text strings.Builder
	text.WriteString(`{{define "t0"}}{{end}}`)
	for i := range n {
		fmt.Fprintf(&text, `{{define "t%d"}}{{template "t%d"}}{{template "t%d"}}{{end}}`, i+1, i, i)
	}
	fmt.Fprintf(&text, `{{template "t%d"}}`, n)
	return text.String()
}

// TestEverythingEnds has templates that would run for ever, or need more memory than
// there is.
func TestEverythingEnds(t *testing.T) {
	grow := func(call string) string {
		return `{{$x := "xxxxxxxx"}}{{range until 100}}{{$x = ` + call + `}}{{end}}`
	}
	for name, text := range map[string]string{
		"loop":          `{{range 1000000000000}}{{end}}`,
		"loops":         `{{range 100000}}{{range 100000}}{{if true}}{{end}}{{end}}{{end}}`,
		"list":          `{{range until 1000000000000}}{{end}}`,
		"steps":         `{{untilStep -9223372036854775808 9223372036854775807 1}}`,
		"seq":           `{{seq 0 1 1000000000000}}`,
		"repeat":        `{{repeat 1000000000000 "x"}}`,
		"repeat twice":  `{{repeat 100000 (repeat 100000 "x")}}`,
		"indent":        `{{indent 1000000000 "x\nx"}}`,
		"replace":       `{{$x := repeat 1000000 "x"}}{{replace "" $x $x}}`,
		"join":          `{{join (repeat 1000000 "x") (until 1000000)}}`,
		"regex":         `{{regexReplaceAll "x" (repeat 100000 "x") (repeat 100000 "x")}}`,
		"uniq":          `{{uniq (until 100000)}}`,
		"cat":           grow(`cat $x $x`),
		"print":         grow(`print $x $x`),
		"printf":        grow(`printf "%s%s" $x $x`),
		"printf, again": `{{$x := repeat 1000000 "x"}}{{$y := printf "` + strings.Repeat("%[1]s", 10000) + `" $x}}`,
		"width":         `{{$x := printf "` + strings.Repeat("%999999d", 10000) + `" 1}}`,
		"star":          `{{$x := printf "` + strings.Repeat("%[1]*[1]d", 10000) + `" 999999}}`,
		"html":          grow(`html $x "<" $x`),
		"lists":         grow(`list $x $x`),
		"deep list":     `{{$x := list}}{{range until 100000}}{{$x = list $x}}{{end}}{{$x}}`,
		"calls":         `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`,
		"call tree":     `{{define "a"}}{{template "a"}}{{template "a"}}{{end}}{{template "a"}}`,
		"call circle": `{{define "a"}}{{range 2}}{{template "b"}}{{end}}{{end}}` +
			`{{define "b"}}{{template "a"}}{{end}}{{template "a"}}`,
		"call fan":     fan(90),
		"call chain":   fan(200),
		"output":       `{{$x := repeat 1000000 "x"}}{{range 1000}}{{$x}}{{end}}`,
		"parentheses":  `{{` + strings.Repeat("(", 200000),
		"blocks":       strings.Repeat("{{if 1}}", 30000),
		"whole blocks": strings.Repeat("{{range 9}}", 9000) + strings.Repeat("{{end}}", 9000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, diags := executeText(t, text, nil)
			assert.Check(t, is.Equal(len(diags), 1), "%v", diags)
			t.Log(time.Since(start), diags)
		})
	}
}
