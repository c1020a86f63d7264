package sim

// AppendData writes a packet or a piece of a kernel stream behind b:
// {"data":[bytes…]}.
func AppendData(b, data []byte) []byte {
	return append(appendOctets(appendField(b, '{', fieldData), data), '}')
}

// ParseData reads a packet or a piece of a kernel stream; what ParseRequest says
// about fields and errors holds here, too.
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
