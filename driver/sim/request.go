package sim

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cclforge/cclforge/driver/accl"
)

// Type is the type of a request.
type Type int

// Types of requests, with the numbers of the protocol.
const (
	MMIORead Type = iota
	MMIOWrite
	MemoryRead
	MemoryWrite
	MemoryAllocate
	Call
	CallWait
	types
)

var typeNames = [types]string{"MMIO read", "MMIO write", "memory read", "memory write", "memory allocate",
	"call", "call wait"}

func (t Type) String() string {
	if t < 0 || t >= types {
		return "type " + strconv.Itoa(int(t))
	}
	return typeNames[t]
}

// Request is a request to the server of a rank. Type decides which fields count.
type Request struct {
	Type       Type
	Addr       uint64 // of MMIO and memory, in bytes
	Len        uint64 // of a memory read or allocate, in bytes
	Host       bool   // host memory instead of device memory
	Word       uint32 // to write by MMIO
	Data       []byte // to write to memory
	Controlled bool   // the call has ctrl_id: it is answered at once, and CallWait asks for its end
	CtrlID     int64
	Call       accl.Call
}

// words are the words of a call that have 32 bits.
func words(c *accl.Call) [9]struct {
	field field
	value *uint32
} {
	return [...]struct {
		field field
		value *uint32
	}{
		{fieldScenario, &c.Scenario}, {fieldCount, &c.Count}, {fieldComm, &c.Comm}, {fieldRootSrcDst, &c.RootSrcDst},
		{fieldFunction, &c.FunctionCode},
		{fieldTag, &c.Tag}, {fieldArithCfg, &c.ArithCfg}, {fieldCompressionFlags, &c.CompressionFlags},
		{fieldStreamFlags, &c.StreamFlags},
	}
}

// addresses are those of a call.
func addresses(c *accl.Call) [3]struct {
	field field
	value *uint64
} {
	return [...]struct {
		field field
		value *uint64
	}{{fieldAddr0, &c.Addr0}, {fieldAddr1, &c.Addr1}, {fieldAddr2, &c.Addr2}}
}

// ParseRequest parses a request. Fields may come in any order. Unknown fields, and those
// that do not belong to the type, are skipped; of repeated fields the last one counts.
// Errors match ErrMessage and name the field; the type is set if it was read. The size of
// requested memory is not checked.
func ParseRequest(b []byte) (Request, error) {
	r := Request{Type: -1}
	m, err := read(b, fieldWData)
	if err != nil {
		return r, err
	}
	if err := m.needs("every request", fieldType); err != nil {
		return r, err
	}
	t, err := m.number(fieldType, math.MaxUint32)
	if err != nil {
		return r, err
	}
	if t >= uint64(types) {
		return r, fmt.Errorf("%w: field %q: %d to %d expected, found %d", ErrMessage, fieldType, 0, types-1, t)
	}
	r.Type = Type(t)
	return r, r.fill(m)
}

// fill reads the fields that the type has.
func (r *Request) fill(m *message) (err error) {
	kind := "a " + r.Type.String()
	switch r.Type {
	case MMIORead:
		err = m.needs(kind, fieldAddr)
	case MMIOWrite, MemoryWrite:
		err = m.needs(kind, fieldAddr, fieldWData)
	case MemoryRead, MemoryAllocate:
		err = m.needs(kind, fieldAddr, fieldLen)
	case CallWait:
		if err = m.needs(kind, fieldCtrlID); err == nil {
			r.CtrlID, err = m.signed(fieldCtrlID, 64)
		}
		return err
	case Call:
		return r.fillCall(m)
	}
	if err != nil {
		return err
	}
	if r.Addr, err = m.number(fieldAddr, math.MaxUint64); err != nil {
		return err
	}
	switch r.Type {
	case MMIORead:
		return nil
	case MMIOWrite:
		if m.raw[fieldWData] == nil {
			return m.wrong(fieldWData, "an integer of 32 bits from 0 up")
		}
		r.Word, err = m.word(fieldWData)
		return err
	case MemoryWrite:
		if r.Data, err = m.bytes(); err != nil {
			return err
		}
	default:
		if r.Len, err = m.number(fieldLen, math.MaxUint64); err != nil {
			return err
		}
	}
	r.Host, err = m.boolean(fieldHost)
	return err
}

func (r *Request) fillCall(m *message) (err error) {
	for _, w := range words(&r.Call) {
		if err := m.needs("a call", w.field); err != nil {
			return err
		}
		if *w.value, err = m.word(w.field); err != nil {
			return err
		}
	}
	for _, a := range addresses(&r.Call) {
		if err := m.needs("a call", a.field); err != nil {
			return err
		}
		if *a.value, err = m.number(a.field, math.MaxUint64); err != nil {
			return err
		}
	}
	if r.Controlled = m.has[fieldCtrlID]; r.Controlled {
		r.CtrlID, err = m.signed(fieldCtrlID, 64)
	}
	return err
}

// Append appends the request to b.
func (r *Request) Append(b []byte) []byte {
	b = appendField(b, '{', fieldType)
	b = strconv.AppendInt(b, int64(r.Type), 10)
	if r.Type == CallWait || r.Type == Call && r.Controlled {
		b = strconv.AppendInt(appendField(b, ',', fieldCtrlID), r.CtrlID, 10)
	}
	switch r.Type {
	case CallWait:
		return append(b, '}')
	case Call:
		for _, w := range words(&r.Call) {
			b = strconv.AppendUint(appendField(b, ',', w.field), uint64(*w.value), 10)
		}
		for _, a := range addresses(&r.Call) {
			b = strconv.AppendUint(appendField(b, ',', a.field), *a.value, 10)
		}
		return append(b, '}')
	}
	b = strconv.AppendUint(appendField(b, ',', fieldAddr), r.Addr, 10)
	switch r.Type {
	case MMIOWrite:
		b = strconv.AppendUint(appendField(b, ',', fieldWData), uint64(r.Word), 10)
	case MemoryRead, MemoryAllocate:
		b = strconv.AppendUint(appendField(b, ',', fieldLen), r.Len, 10)
	}
	switch r.Type {
	case MemoryRead, MemoryAllocate, MemoryWrite:
		b = strconv.AppendBool(appendField(b, ',', fieldHost), r.Host)
	}
	if r.Type == MemoryWrite {
		b = appendOctets(appendField(b, ',', fieldWData), r.Data)
	}
	return append(b, '}')
}

// appendField appends a separator and the name of a field.
func appendField(b []byte, before byte, f field) []byte {
	b = append(b, before, '"')
	b = append(b, f.String()...)
	return append(b, `":`...)
}
