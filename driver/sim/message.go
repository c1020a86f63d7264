package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// ErrMessage matches errors of data that is not a message of the protocol.
var ErrMessage = errors.New("not a message of the simulation protocol")

// field is a field of a message, with a pointer to its value.
type field struct {
	name  string
	value any
}

// message is a JSON object by its names. Of fields that are given several times the last one counts.
type message map[string]json.RawMessage

func read(b []byte) (m message, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		if other := (*json.UnmarshalTypeError)(nil); !errors.As(err, &other) {
			return nil, fmt.Errorf("%w: not JSON: %w", ErrMessage, err)
		}
	}
	if m == nil {
		return nil, fmt.Errorf("%w: an object is expected", ErrMessage)
	}
	return m, nil
}

// get reads fields. A bool may be absent, and is false then.
func (m message) get(fields ...field) error {
	for _, f := range fields {
		raw, has := m[f.name]
		if _, optional := f.value.(*bool); !has && optional {
			continue
		}
		if !has {
			return fmt.Errorf("%w: field %q is missing", ErrMessage, f.name)
		}
		if expected := parse(raw, f.value); expected != "" {
			return fmt.Errorf("%w: field %q: %s expected, found %s", ErrMessage, f.name, expected, shortened(raw))
		}
	}
	return nil
}

// parse returns what is expected if raw is something else.
func parse(raw []byte, value any) (expected string) {
	switch to := value.(type) {
	case *uint32:
		v := integer(raw)
		if v == nil || !v.IsUint64() || v.Uint64() > math.MaxUint32 {
			return "an integer of 32 bits from 0 up"
		}
		*to = uint32(v.Uint64())
	case *uint64:
		v := integer(raw)
		if v == nil || !v.IsUint64() {
			return "an integer of 64 bits from 0 up"
		}
		*to = v.Uint64()
	case *int32:
		v := integer(raw)
		if v == nil || !v.IsInt64() || v.Int64() != int64(int32(v.Int64())) {
			return "an integer of 32 bits with sign"
		}
		*to = int32(v.Int64())
	case *int64:
		v := integer(raw)
		if v == nil || !v.IsInt64() {
			return "an integer of 64 bits with sign"
		}
		*to = v.Int64()
	case *bool:
		if v := integer(raw); v != nil && v.IsUint64() && v.Uint64() <= 1 {
			*to = v.Uint64() == 1
		} else if raw[0] == 'n' || json.Unmarshal(raw, to) != nil {
			return "true, false, 0 or 1"
		}
	case *string:
		if json.Unmarshal(raw, to) != nil {
			return "a string"
		}
	case *[]byte:
		return octets(raw, to)
	}
	return ""
}

// integer is the value of a number, also if it is spelt as 256.0 or 2.56e2, and nil of anything else.
func integer(raw []byte) *big.Int {
	v, ok := new(big.Rat).SetString(string(raw))
	if !ok || !v.IsInt() {
		return nil
	}
	return v.Num()
}

// octets reads an array of bytes, 0 to 255 or -128 to 127, or null for an empty one. An array of
// numbers has no other commas than those between them.
func octets(raw []byte, to *[]byte) (expected string) {
	*to = []byte{}
	if string(raw) == "null" {
		return ""
	}
	if raw[0] != '[' {
		return "an array of bytes"
	}
	inside := bytes.TrimSpace(raw[1 : len(raw)-1])
	if len(inside) == 0 {
		return ""
	}
	data := make([]byte, 0, bytes.Count(inside, []byte{','})+1)
	for text := range bytes.SplitSeq(inside, []byte{','}) {
		text = bytes.TrimSpace(text)
		v, ok := short(text)
		if !ok {
			if exact := integer(text); exact != nil && exact.IsInt64() {
				v, ok = exact.Int64(), true
			}
		}
		if !ok || v < -128 || v > 255 {
			return fmt.Sprintf("bytes of 0 to 255 or -128 to 127, and not %s as number %d,", shortened(text), len(data))
		}
		data = append(data, byte(v))
	}
	*to = data
	return ""
}

// short is the value of up to three digits, as nearly all bytes are spelt.
func short(text []byte) (v int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	if len(digits) < len(text) {
		v = -v
	}
	return v, len(digits) > 0 && len(digits) <= 3
}

func shortened(raw []byte) []byte {
	const longest = 40
	if len(raw) > longest {
		raw = append(raw[:longest:longest], "…"...)
	}
	return bytes.ToValidUTF8(raw, []byte("?"))
}

func appendMessage(b []byte, fields ...field) []byte {
	separator := byte('{')
	for _, f := range fields {
		b = append(append(append(b, separator, '"'), f.name...), `":`...)
		separator = ','
		switch v := f.value.(type) {
		case *uint32:
			b = strconv.AppendUint(b, uint64(*v), 10)
		case *uint64:
			b = strconv.AppendUint(b, *v, 10)
		case *int32:
			b = strconv.AppendInt(b, int64(*v), 10)
		case *int64:
			b = strconv.AppendInt(b, *v, 10)
		case *bool:
			b = strconv.AppendBool(b, *v)
		case *string:
			quoted, _ := json.Marshal(*v) // a string has no errors
			b = append(b, quoted...)
		case *[]byte:
			b = appendOctets(b, *v)
		}
	}
	return append(b, '}')
}

// spelled are all bytes, with a comma.
var spelled = func() (all [256]string) {
	for v := range all {
		all[v] = strconv.Itoa(v) + ","
	}
	return all
}()

func appendOctets(b, data []byte) []byte {
	if len(data) == 0 {
		return append(b, "[]"...)
	}
	b = append(b, '[')
	for _, v := range data {
		b = append(b, spelled[v]...)
	}
	b[len(b)-1] = ']'
	return b
}

// AppendData appends a packet, or a piece of a kernel stream, to b: {"data":[bytes…]}.
func AppendData(b, data []byte) []byte { return appendMessage(b, field{"data", &data}) }

// ParseData parses a packet or a piece of a kernel stream, with the rules of ParseRequest.
func ParseData(b []byte) (data []byte, err error) {
	m, err := read(b)
	if err != nil {
		return nil, err
	}
	return data, m.get(field{"data", &data})
}
