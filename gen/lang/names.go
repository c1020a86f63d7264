package lang

import "regexp"

var (
	identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	lowerSnake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	upperSnake = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
)

// Identifier reports whether a name starts with a letter and has only ASCII
// letters, digits and underscores. It may still be a keyword.
func Identifier(name string) bool { return identifier.MatchString(name) }

// LowerSnake reports whether a name is written like_this: identifiers of this
// form can be turned into the form of each language and stay distinct from
// what the language adds itself.
func LowerSnake(name string) bool { return lowerSnake.MatchString(name) }

// UpperSnake reports whether a name is written LIKE_THIS.
func UpperSnake(name string) bool { return upperSnake.MatchString(name) }

// Keyword reports whether a name is reserved in one of the languages, and in
// which (the first of Go, C, C++, SystemVerilog).
func Keyword(name string) (language string, is bool) {
	for _, l := range languages {
		if l.words[name] {
			return l.name, true
		}
	}
	return "", false
}

// CPPKeyword reports whether a name is reserved in C++.
func CPPKeyword(name string) bool {
	for _, l := range languages {
		if l.name == "C++" {
			return l.words[name]
		}
	}
	return false
}
