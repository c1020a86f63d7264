package designjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/output"
)

// Marshal writes a design as JSON: the settings one a line, the elements of
// lists one a line, and a newline at the end.
func Marshal(d *design.Design) ([]byte, error) {
	file, err := convert(d)
	if err != nil {
		return nil, fmt.Errorf("design of %s as JSON: %w", d.Platform.Name, err)
	}
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(file); err != nil {
		return nil, fmt.Errorf("design of %s as JSON: %w", d.Platform.Name, err)
	}
	return breakLines(compact.Bytes()), nil
}

// Data is a design as JSON, decoded: objects are maps by key, whole numbers are of
// type int64.
func Data(d *design.Design) (any, error) {
	file, err := convert(d)
	if err != nil {
		return nil, fmt.Errorf("design of %s as data: %w", d.Platform.Name, err)
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("design of %s as data: %w", d.Platform.Name, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var data any
	if err := decoder.Decode(&data); err != nil {
		return nil, fmt.Errorf("design of %s as data: %w", d.Platform.Name, err)
	}
	return plainNumbers(data), nil
}

// plainNumbers gives the numbers of decoded JSON types that templates compare.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = plainNumbers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = plainNumbers(inner)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	}
	return value
}

// Hash is the SHA-256 of a design as JSON, in hexadecimal digits: what tells it from
// all others.
func Hash(d *design.Design) (string, error) {
	text, err := Marshal(d)
	if err != nil {
		return "", err
	}
	return output.Hash(text), nil
}

// HardwareHash is the first 32 bits of the SHA-256 of what engines of a design are made
// for, as JSON: not of the board, of names, or of how it is linked and built.
func HardwareHash(d *design.Design) (uint32, error) {
	file, err := convert(d)
	if err != nil {
		return 0, fmt.Errorf("hash of %s: %w", d.Platform.Name, err)
	}
	text, err := json.Marshal([]any{file.Platform.Interface, file.Platform.HardwareID, file.Platform.ClockMHz, file.Engine,
		file.Types, file.Functions, file.Conversions, file.Configs, file.Exchange, file.Tuning, file.Limits})
	if err != nil {
		return 0, err
	}
	bits, err := strconv.ParseUint(output.Hash(text)[:8], 16, 32)
	return uint32(bits), err
}

// settingsDepth is how deep objects have one key a line.
const settingsDepth = 2

// breakLines breaks compact JSON into lines: around the elements of lists of
// objects, and in all objects and lists that are not deeper than
// settingsDepth.
func breakLines(compact []byte) []byte {
	out := make([]byte, 0, len(compact)*5/4)
	var broken []bool // of the objects and lists around, from outside in
	indent := 0
	newline := func() {
		out = append(out, '\n')
		for range indent {
			out = append(out, "  "...)
		}
	}
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		switch c {
		case '"':
			end := stringEnd(compact, i)
			out = append(out, compact[i:end]...)
			i = end - 1
		case '{', '[':
			next := compact[i+1]
			breaks := next != '}' && next != ']' && (len(broken) < settingsDepth || c == '[' && next == '{')
			broken = append(broken, breaks)
			out = append(out, c)
			if breaks {
				indent++
				newline()
			}
		case '}', ']':
			last := len(broken) - 1
			if broken[last] {
				indent--
				newline()
			}
			broken = broken[:last]
			out = append(out, c)
		case ',':
			out = append(out, c)
			if broken[len(broken)-1] {
				newline()
			} else {
				out = append(out, ' ')
			}
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// stringEnd is the index behind the string that starts at an index.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
