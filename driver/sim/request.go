package sim

import (
	"fmt"
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

// fields are those that the type has.
func (r *Request) fields() []field {
	addr, host, id := field{"addr", &r.Addr}, field{"host", &r.Host}, field{"ctrl_id", &r.CtrlID}
	switch r.Type {
	case MMIOWrite:
		return []field{addr, {"wdata", &r.Word}}
	case MemoryRead, MemoryAllocate:
		return []field{addr, {"len", &r.Len}, host}
	case MemoryWrite:
		return []field{addr, host, {"wdata", &r.Data}}
	case CallWait:
		return []field{id}
	case Call:
		c := &r.Call
		fields := []field{
			{"scenario", &c.Scenario}, {"count", &c.Count}, {"comm", &c.Comm}, {"root_src_dst", &c.RootSrcDst},
			{"function", &c.FunctionCode}, {"tag", &c.Tag}, {"arithcfg", &c.ArithCfg},
			{"compression_flags", &c.CompressionFlags}, {"stream_flags", &c.StreamFlags},
			{"addr_0", &c.Addr0}, {"addr_1", &c.Addr1}, {"addr_2", &c.Addr2},
		}
		if r.Controlled {
			fields = append([]field{id}, fields...)
		}
		return fields
	}
	return []field{addr}
}

// ParseRequest parses a request. Fields may come in any order. Unknown fields, and those
// that do not belong to the type, are skipped; of repeated fields the last one counts.
// Errors match ErrMessage and name the field; the type is set if it was read. The size of
// requested memory is not checked.
func ParseRequest(b []byte) (Request, error) {
	r := Request{Type: -1}
	m, err := read(b)
	if err != nil {
		return r, err
	}
	var t uint32
	if err := m.get(field{"type", &t}); err != nil {
		return r, err
	}
	if t >= uint32(types) {
		return r, fmt.Errorf("%w: field \"type\": 0 to %d expected, found %d", ErrMessage, types-1, t)
	}
	r.Type = Type(t)
	_, r.Controlled = m["ctrl_id"]
	r.Controlled = r.Controlled && r.Type == Call
	if err := m.get(r.fields()...); err != nil {
		return r, fmt.Errorf("%s: %w", r.Type, err)
	}
	return r, nil
}

// Append appends the request to b.
func (r *Request) Append(b []byte) []byte {
	t := uint32(r.Type)
	return appendMessage(b, append([]field{{"type", &t}}, r.fields()...)...)
}
