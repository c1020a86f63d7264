package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Bitstream is what stands for configuration data.
type Bitstream struct {
	Design string            // hash of all that was linked
	RAMs   map[string]string // contents of processors' memories, by their paths
}

const syncWord = "\xff\xff\xff\xff\xaa\x99\x55\x66"

// Bytes is the file's content: the synchronisation word of a bitstream first.
func (b *Bitstream) Bytes() ([]byte, error) {
	text, err := json.Marshal(b)
	return slices.Concat([]byte(syncWord), text, []byte("\n")), err
}

// ParseBitstream reads a bitstream.
func ParseBitstream(all []byte) (*Bitstream, error) {
	rest, ok := bytes.CutPrefix(all, []byte(syncWord))
	if !ok {
		return nil, fmt.Errorf("there is no synchronisation word")
	}
	var b Bitstream
	return &b, json.Unmarshal(rest, &b)
}
