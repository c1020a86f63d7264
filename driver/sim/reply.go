package sim

// Statuses of replies. Negative ones are errors.
const (
	StatusGood    = 0
	StatusNotYet  = 1  // call wait: not ended; read or write: outside the memory
	StatusRefused = -1 // refused; Error has the reason
)

// Reply is the answer to a request.
type Reply struct {
	Status int
	Error  string  // text of an error, or ""
	Word   *uint32 // rdata of an MMIO read
	Data   []byte  // rdata of a memory read: not nil, even if it is empty
	// Code is the return code of a call; nil from servers that do not report it.
	Code *uint32
}

// ParseReply parses a reply, with the rules of ParseRequest.
func ParseReply(b []byte) (r Reply, err error) {
	m, err := read(b)
	if err != nil {
		return r, err
	}
	var status int32
	fields := []field{{"status", &status}}
	if _, has := m["error"]; has {
		fields = append(fields, field{"error", &r.Error})
	}
	if _, has := m["retcode"]; has {
		r.Code = new(uint32)
		fields = append(fields, field{"retcode", r.Code})
	}
	if raw, has := m["rdata"]; has && (raw[0] == '[' || raw[0] == 'n') {
		fields = append(fields, field{"rdata", &r.Data})
	} else if has {
		r.Word = new(uint32)
		fields = append(fields, field{"rdata", r.Word})
	}
	err = m.get(fields...)
	r.Status = int(status)
	return r, err
}

// Append appends the reply to b.
func (r *Reply) Append(b []byte) []byte {
	status := int32(r.Status)
	fields := []field{{"status", &status}}
	if r.Error != "" {
		fields = append(fields, field{"error", &r.Error})
	}
	if r.Code != nil {
		fields = append(fields, field{"retcode", r.Code})
	}
	if r.Word != nil {
		fields = append(fields, field{"rdata", r.Word})
	} else if r.Data != nil {
		fields = append(fields, field{"rdata", &r.Data})
	}
	return appendMessage(b, fields...)
}
