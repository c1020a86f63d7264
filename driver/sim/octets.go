package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// octets reads an array of bytes, 0 to 255 or -128 to 127, from its bracket on. wrong is
// the error of an array with other valid JSON values.
func (s *scanner) octets() (data []byte, wrong, err error) {
	// The first closing bracket ends an array of numbers, so that its commas say how
	// long it is.
	rest := s.b[s.i:]
	if end := bytes.IndexByte(rest, ']'); end > 0 {
		rest = rest[:end]
	}
	data = make([]byte, 0, min(bytes.Count(rest, []byte{','}), len(rest)/2)+1)
	err = s.elements(func() error {
		data = s.plain(data)
		from := s.i
		if err := s.skip(2); err != nil {
			return err
		}
		v, ok := octet(s.b[from:s.i])
		if !ok && wrong == nil {
			wrong = notOctet(s.b[from:s.i], len(data))
		}
		data = append(data, v)
		return nil
	})
	if err != nil || wrong != nil {
		return nil, wrong, err
	}
	return data, nil, nil
}

// plain reads bytes as most are spelt, up to three digits, a comma and perhaps a
// blank, as long as an element follows.
func (s *scanner) plain(data []byte) []byte {
	b, i := s.b, s.i
	for i+4 < len(b) {
		v := uint32(b[i]) - '0'
		if v > 9 {
			break
		}
		n := i + 1
		if d := uint32(b[n]) - '0'; d <= 9 && v != 0 {
			v = 10*v + d
			n++
			if d := uint32(b[n]) - '0'; d <= 9 {
				v = 10*v + d
				n++
			}
		}
		if b[n] != ',' || v > 255 {
			break
		}
		if n++; b[n] == ' ' {
			n++
		}
		data = append(data, byte(v))
		i = n
	}
	s.i = i
	s.space()
	return data
}

// octet is the value of an element, however it is spelt.
func octet(text []byte) (byte, bool) {
	if text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, false
	}
	negative, v, fits := integer(text)
	switch {
	case fits && !negative && v <= 255:
		return byte(v), true
	case fits && negative && v <= 128:
		return byte(-v), true
	}
	return 0, false
}

func notOctet(text []byte, index int) error {
	const longest = 20
	if len(text) > longest {
		text = append(text[:longest:longest], "…"...)
	}
	return fmt.Errorf("bytes of 0 to 255 or -128 to 127 expected, found %s as number %d",
		bytes.ToValidUTF8(text, []byte("?")), index)
}

// spelt are the bytes with a comma behind, and how long that is.
var spelt = func() (t [256]struct {
	text uint32 // little-endian
	n    uint32
}) {
	for v := range t {
		var text [4]byte
		t[v].n = uint32(copy(text[:], fmt.Appendf(nil, "%d,", v)))
		t[v].text = binary.LittleEndian.Uint32(text[:])
	}
	return t
}()

// appendOctets writes an array of bytes.
func appendOctets(b, data []byte) []byte {
	if len(data) == 0 {
		return append(b, "[]"...)
	}
	b = append(slices.Grow(b, 4*len(data)+2), '[')
	at := len(b)
	b = b[:cap(b)]
	for _, v := range data {
		s := &spelt[v]
		binary.LittleEndian.PutUint32(b[at:], s.text)
		at += int(s.n)
	}
	b[at-1] = ']' // in place of the last comma
	return b[:at]
}
