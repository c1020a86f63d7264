package standin

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
)

// Linked is what a device binary of the stand-ins holds.
type Linked struct {
	UUID, Platform string
	// Design is a hash of all that was linked, and Memories of what is in the memories
	// of the control processors, by their paths.
	Design   string
	Memories map[string]string
	Metadata map[string]string // section USER_METADATA
	Emulated bool
}

// Inspect reads a device binary, and sees whether all of it is there.
func Inspect(path string) (*Linked, error) {
	f, err := ReadXclbin(path)
	if err != nil {
		return nil, err
	}
	l := &Linked{UUID: f.UUID, Platform: f.Platform, Emulated: f.Mode != xclbin.Hardware}
	kind := "BITSTREAM"
	if f.Mode != xclbin.Hardware {
		kind = "EMULATION_DATA"
	}
	data, ok := f.Get(kind)
	if !ok {
		return nil, fmt.Errorf("%s: it has no section %s", path, kind)
	}
	bits, err := ParseBitstream(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.Design, l.Memories = bits.Design, bits.RAMs
	if data, ok := f.Get("USER_METADATA"); ok {
		if err := json.Unmarshal(data, &l.Metadata); err != nil {
			return nil, fmt.Errorf("%s: USER_METADATA: %w", path, err)
		}
	}
	return l, nil
}

// InspectBit reads a bitstream.
func InspectBit(path string) (*Linked, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	bits, err := ParseBitstream(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Linked{Design: bits.Design, Memories: bits.RAMs}, nil
}
