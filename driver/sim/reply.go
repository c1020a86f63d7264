package sim

import (
	"math"
	"strconv"
)

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
func ParseReply(b []byte) (Reply, error) {
	var r Reply
	m, err := read(b, fieldRData)
	if err != nil {
		return r, err
	}
	if err := m.needs("every reply", fieldStatus); err != nil {
		return r, err
	}
	status, err := m.signed(fieldStatus, 32)
	if err != nil {
		return r, err
	}
	r.Status = int(status)
	if m.has[fieldError] {
		if r.Error, err = m.text(fieldError); err != nil {
			return r, err
		}
	}
	if m.has[fieldRetCode] {
		code, err := m.word(fieldRetCode)
		if err != nil {
			return r, err
		}
		r.Code = &code
	}
	if !m.has[fieldRData] {
		return r, nil
	}
	if raw := m.raw[fieldRData]; len(raw) > 0 && raw[0] != 'n' {
		word, err := m.number(fieldRData, math.MaxUint32)
		if err != nil {
			return r, m.wrong(fieldRData, "an integer of 32 bits from 0 up or an array of bytes")
		}
		w := uint32(word)
		r.Word = &w
		return r, nil
	}
	r.Data, err = m.bytes()
	return r, err
}

// text reads a field that holds a string, or null for an empty one.
func (m *message) text(f field) (string, error) {
	raw := m.raw[f]
	switch {
	case len(raw) >= 2 && raw[0] == '"':
		return unquote(raw[1 : len(raw)-1]), nil
	case string(raw) == "null":
		return "", nil
	}
	return "", m.wrong(f, "a string")
}

// Append appends the reply to b.
func (r *Reply) Append(b []byte) []byte {
	b = strconv.AppendInt(appendField(b, '{', fieldStatus), int64(r.Status), 10)
	if r.Error != "" {
		b = appendText(appendField(b, ',', fieldError), r.Error)
	}
	if r.Code != nil {
		b = strconv.AppendUint(appendField(b, ',', fieldRetCode), uint64(*r.Code), 10)
	}
	switch {
	case r.Word != nil:
		b = strconv.AppendUint(appendField(b, ',', fieldRData), uint64(*r.Word), 10)
	case r.Data != nil:
		b = appendOctets(appendField(b, ',', fieldRData), r.Data)
	}
	return append(b, '}')
}
