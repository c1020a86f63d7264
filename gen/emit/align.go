package emit

import (
	"bytes"
	"text/tabwriter"
)

// ended gives a text no empty lines around it and an end of line.
func ended(text []byte) []byte { return append(bytes.Trim(text, "\n"), '\n') }

// align puts text between tabs into columns.
func align(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	lines := bytes.Split(out.Bytes(), []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimRight(line, " ")
	}
	return ended(bytes.Join(lines, []byte("\n"))), nil
}
