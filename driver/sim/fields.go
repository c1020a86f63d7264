package sim

import (
	"bytes"
	"fmt"
	"math"
)

// field is a field of a message that means something here.
type field int

const (
	fieldType field = iota
	fieldAddr
	fieldLen
	fieldHost
	fieldCtrlID
	fieldScenario
	fieldCount
	fieldComm
	fieldRootSrcDst
	fieldFunction
	fieldTag
	fieldArithCfg
	fieldCompressionFlags
	fieldStreamFlags
	fieldAddr0
	fieldAddr1
	fieldAddr2
	fieldStatus
	fieldError
	fieldRetCode
	fieldWData // what follows may hold bytes
	fieldRData
	fieldData
	fields
)

var fieldNames = [fields]string{
	"type", "addr", "len", "host", "ctrl_id", "scenario", "count", "comm", "root_src_dst", "function", "tag", "arithcfg",
	"compression_flags", "stream_flags", "addr_0", "addr_1", "addr_2", "status", "error", "retcode",
	"wdata", "rdata", "data",
}

func (f field) String() string { return fieldNames[f] }

// fieldsByName finds fields by their names.
var fieldsByName = func() map[string]field {
	m := map[string]field{}
	for f, name := range fieldNames {
		m[name] = field(f)
	}
	return m
}()

// message is the content of a JSON object.
type message struct {
	has [fields]bool
	raw [fields][]byte // as spelt; not of arrays of bytes
	// data is the array of bytes that a field holds, dataErr why it is none.
	data    []byte
	dataErr error
	holder  field // of data
}

// read takes a message apart. Of fields that are given several times the last
// one counts. want is the field that may hold bytes.
func read(b []byte, want field) (*message, error) {
	m := &message{holder: want}
	s := &scanner{b: b}
	err := s.object(func(key []byte) error {
		f, known := find(key)
		if !known {
			return s.skip(1)
		}
		m.has[f] = true
		from := s.i
		if f == want && s.i < len(b) && b[s.i] == '[' {
			m.raw[f] = nil
			var err error
			m.data, m.dataErr, err = s.octets()
			return err
		}
		err := s.skip(1)
		m.raw[f] = b[from:s.i]
		return err
	})
	return m, err
}

// find is the field of a name, which may be spelt with escapes.
func find(key []byte) (field, bool) {
	const longest = 6 * 32 // all characters escaped
	if len(key) <= longest && bytes.IndexByte(key, '\\') >= 0 {
		key = []byte(unquote(key))
	}
	f, known := fieldsByName[string(key)]
	return f, known
}

// wrong is the error of a field with a wrong value.
func (m *message) wrong(f field, what string) error {
	const longest = 40
	found := m.raw[f]
	if found == nil {
		found = []byte("an array")
	}
	if len(found) > longest {
		found = append(found[:longest:longest], "…"...)
	}
	return fmt.Errorf("%w: field %q: %s expected, found %s", ErrMessage, f, what, bytes.ToValidUTF8(found, []byte("?")))
}

// number reads a field that holds an integer of 0 to a limit.
func (m *message) number(f field, limit uint64) (uint64, error) {
	negative, v, ok := m.integer(f)
	if !ok || negative && v != 0 || v > limit {
		bits := 64
		if limit <= math.MaxUint32 {
			bits = 32
		}
		return 0, m.wrong(f, fmt.Sprintf("an integer of %d bits from 0 up", bits))
	}
	return v, nil
}

func (m *message) word(f field) (uint32, error) {
	v, err := m.number(f, math.MaxUint32)
	return uint32(v), err
}

// signed reads a field that holds an integer of a number of bits, with sign.
func (m *message) signed(f field, bits int) (int64, error) {
	negative, v, ok := m.integer(f)
	limit := uint64(1) << (bits - 1)
	switch {
	case !ok || v > limit || v == limit && !negative:
		return 0, m.wrong(f, fmt.Sprintf("an integer of %d bits with sign", bits))
	case negative:
		return -int64(v), nil // also of the smallest
	}
	return int64(v), nil
}

func (m *message) integer(f field) (negative bool, v uint64, ok bool) {
	raw := m.raw[f]
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return false, 0, false
	}
	return integer(raw)
}

// boolean reads a field that holds a truth, false or 0 if it is absent.
func (m *message) boolean(f field) (bool, error) {
	if !m.has[f] {
		return false, nil
	}
	switch string(m.raw[f]) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if negative, v, ok := m.integer(f); ok && (v == 0 || v == 1 && !negative) {
		return v == 1, nil
	}
	return false, m.wrong(f, "true, false, 0 or 1")
}

// bytes reads the field that holds bytes: an array, or null for an empty one.
func (m *message) bytes() ([]byte, error) {
	if raw := m.raw[m.holder]; raw != nil {
		if string(raw) == "null" {
			return []byte{}, nil
		}
		return nil, m.wrong(m.holder, "an array of bytes")
	}
	if m.dataErr != nil {
		return nil, fmt.Errorf("%w: field %q: %w", ErrMessage, m.holder, m.dataErr)
	}
	return m.data, nil
}

// needs reports fields that are missing.
func (m *message) needs(what string, required ...field) error {
	for _, f := range required {
		if !m.has[f] {
			return fmt.Errorf("%w: field %q is missing; %s has one", ErrMessage, f, what)
		}
	}
	return nil
}
