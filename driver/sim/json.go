package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// ErrMessage matches errors of data that is not a message of the protocol.
var ErrMessage = errors.New("not a message of the simulation protocol")

// maxDepth bounds how deep objects and arrays of unknown fields may be nested.
const maxDepth = 100

// scanner reads JSON text. After an error of its methods nothing else of it may
// be used.
type scanner struct {
	b []byte
	i int // of the next byte
}

// expected is the error of text that is not JSON.
func (s *scanner) expected(what string) error {
	found := "the end"
	if s.i < len(s.b) {
		found = strconv.QuoteRune(rune(s.b[s.i]))
	}
	return fmt.Errorf("%w: not JSON: %s at byte %d, where %s is expected", ErrMessage, found, s.i, what)
}

// space skips white space and returns the byte after it, 0 at the end.
func (s *scanner) space() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// object reads an object, of which visit reads the values, and all that follows
// it.
func (s *scanner) object(visit func(key []byte) error) error {
	if s.space() != '{' {
		return s.expected("an object")
	}
	if err := s.members(visit); err != nil {
		return err
	}
	if s.space(); s.i < len(s.b) {
		return s.expected("the end")
	}
	return nil
}

// members reads an object from its brace on.
func (s *scanner) members(visit func(key []byte) error) error {
	s.i++
	if s.space() == '}' {
		s.i++
		return nil
	}
	for {
		if s.space() != '"' {
			return s.expected("a name")
		}
		key, err := s.text()
		if err != nil {
			return err
		}
		if s.space() != ':' {
			return s.expected("':'")
		}
		s.i++
		s.space()
		if err := visit(key); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.i++
		case '}':
			s.i++
			return nil
		default:
			return s.expected("',' or '}'")
		}
	}
}

// skip reads a value of any kind, at a depth of nesting.
func (s *scanner) skip(depth int) error {
	switch c := s.space(); {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return fmt.Errorf("%w: nested more than %d deep at byte %d", ErrMessage, maxDepth, s.i)
		}
		if c == '{' {
			return s.members(func([]byte) error { return s.skip(depth + 1) })
		}
		return s.elements(func() error { return s.skip(depth + 1) })
	case c == '"':
		_, err := s.text()
		return err
	case c == '-' || '0' <= c && c <= '9':
		return s.digits()
	default:
		for _, word := range [...]string{"true", "false", "null"} {
			if bytes.HasPrefix(s.b[s.i:], []byte(word)) {
				s.i += len(word)
				return nil
			}
		}
		return s.expected("a value")
	}
}

// elements reads an array from its bracket on, of which visit reads the values.
func (s *scanner) elements(visit func() error) error {
	s.i++
	if s.space() == ']' {
		s.i++
		return nil
	}
	for {
		s.space()
		if err := visit(); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.i++
		case ']':
			s.i++
			return nil
		default:
			return s.expected("',' or ']'")
		}
	}
}

// digits reads a number.
func (s *scanner) digits() error {
	if s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.run() {
		return s.expected("a digit")
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.run() {
			return s.expected("a digit")
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		if !s.run() {
			return s.expected("a digit")
		}
	}
	return nil
}

// run skips digits and reports whether there were any.
func (s *scanner) run() bool {
	from := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

// text reads a string and returns what is between its quotes.
func (s *scanner) text() ([]byte, error) {
	s.i++
	from := s.i
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[from : s.i-1], nil
		case c < ' ':
			return nil, s.expected("a string without control characters")
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		default:
			s.i++
		}
	}
	return nil, s.expected("'\"'")
}

func (s *scanner) escape() error {
	s.i++
	if s.i == len(s.b) {
		return s.expected("an escape")
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return nil
	case 'u':
		s.i++
		for range 4 {
			if s.i == len(s.b) || !hexadecimal(s.b[s.i]) {
				return s.expected("a hexadecimal digit")
			}
			s.i++
		}
		return nil
	}
	return s.expected("an escape")
}

func hexadecimal(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// unquote decodes the text between quotes. Escapes are rare enough for the library.
func unquote(inside []byte) string {
	if !bytes.ContainsRune(inside, '\\') && utf8.Valid(inside) {
		return string(inside)
	}
	var text string
	quoted := append(append([]byte{'"'}, inside...), '"')
	if err := json.Unmarshal(quoted, &text); err != nil {
		return string(inside) // cannot be: it was read as a string before
	}
	return text
}

// appendText writes a string.
func appendText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return append(b, `""`...) // cannot be: strings have no errors
	}
	return append(b, quoted...)
}
