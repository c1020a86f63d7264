package sim

// AppendData appends a packet, or a piece of a kernel stream, to b: {"data":[bytes…]}.
func AppendData(b, data []byte) []byte {
	return append(appendOctets(appendField(b, '{', fieldData), data), '}')
}

// ParseData parses a packet or a piece of a kernel stream, with the rules of
// ParseRequest.
func ParseData(b []byte) ([]byte, error) {
	m, err := read(b, fieldData)
	if err != nil {
		return nil, err
	}
	if err := m.needs("every piece of a stream", fieldData); err != nil {
		return nil, err
	}
	return m.bytes()
}
