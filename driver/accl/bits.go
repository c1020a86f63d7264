package accl

import (
	"strconv"
	"strings"
)

// Bit is one flag of a word of flags.
type Bit struct {
	At      int // position
	Name    string
	Meaning string
	// Internal flags are not reported in normal operation.
	Internal bool
}

// Mask is the word with only this flag set.
func (b Bit) Mask() uint32 { return 1 << b.At }

// BitsOf lists the flags that are set in a word, from bit 0 up. Flags that are not in the
// table are named by their position.
func BitsOf(word uint32, table []Bit) []Bit {
	var out []Bit
	for at := range 32 {
		if word>>at&1 == 0 {
			continue
		}
		bit := Bit{At: at, Name: "bit " + strconv.Itoa(at), Meaning: "Unknown to this interface generation."}
		for _, known := range table {
			if known.At == at {
				bit = known
			}
		}
		out = append(out, bit)
	}
	return out
}

// BitNames formats flags as "A|B", or "0" for none.
func BitNames(bits []Bit) string {
	if len(bits) == 0 {
		return "0"
	}
	names := make([]string, len(bits))
	for i, b := range bits {
		names[i] = b.Name
	}
	return strings.Join(names, "|")
}
