package lang_test

import (
	"go/token"
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
)

func TestForms(t *testing.T) {
	for name, want := range map[string][3]bool{
		"rx_buffers": {true, true}, "addr_0": {true, true}, "x": {true, true},
		"X": {true, false, true}, "DMA_TIMEOUT": {true, false, true}, "HBM2": {true, false, true},
		"CamelCase": {true}, "trailing_": {true}, "two__lines": {true},
		"_hidden": {}, "0x": {}, "": {}, "with space": {}, "with-dash": {}, "line\n": {}, "größe": {},
	} {
		got := [3]bool{lang.Identifier(name), lang.LowerSnake(name), lang.UpperSnake(name)}
		assert.Check(t, got == want, "%q is an identifier, in lower case, in upper case: %v, want %v", name, got, want)
	}
}

func TestKeyword(t *testing.T) {
	for name, want := range map[string]string{
		"type": "Go", "func": "Go", "struct": "Go", "int": "C", "register": "C", "restrict": "C",
		"class": "C++", "co_await": "C++", "xor": "C++", "this": "C++",
		"logic": "SystemVerilog", "config": "SystemVerilog", "context": "SystemVerilog", "unique0": "SystemVerilog",
	} {
		got, is := lang.Keyword(name)
		assert.Check(t, is && got == want, "Keyword(%q) = %q, %v; want %q", name, got, is, want)
	}
	for _, name := range []string{"count", "Type", "float32", "source", ""} {
		language, is := lang.Keyword(name)
		assert.Check(t, !is, "%q is said to be a keyword of %s", name, language)
	}
}

func TestGoKeywordsAreComplete(t *testing.T) {
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		if !tok.IsKeyword() {
			continue
		}
		if language, is := lang.Keyword(tok.String()); !is || language != "Go" {
			t.Errorf("%q is a keyword of Go", tok)
		}
	}
}

// candidates are words that may or may not be keywords of C or C++.
var candidates = strings.Fields(`
alignas alignof and and_eq asm auto bitand bitor bool case catch char char16_t char8_t class compl concept
const_cast consteval constexpr constinit co_return decltype delete double dynamic_cast enum explicit export extern
friend inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
register reinterpret_cast requires short signed sizeof static static_assert static_cast template this throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
count source override packet queue result status record word field bits layout memory window`)

// The C++ compiler itself says which words are reserved.
func TestCompilerAgrees(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("needs g++")
	}
	for _, name := range candidates {
		cmd := exec.Command(compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-")
		cmd.Stdin = strings.NewReader("struct s { int " + name + " = 0; };\n")
		reserved := cmd.Run() != nil
		_, is := lang.Keyword(name)
		assert.Check(t, is == reserved, "%q: Keyword says %v, the compiler %v", name, is, reserved)
	}
}
