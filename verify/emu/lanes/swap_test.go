package lanes

import (
	"bytes"
	"testing"
)

// Only hosts of the other byte order swap, so it is tested by itself.
func TestSwap(t *testing.T) {
	for size, want := range map[int][]byte{
		1: {1, 2, 3, 4, 5, 6, 7, 8},
		2: {2, 1, 4, 3, 6, 5, 8, 7},
		4: {4, 3, 2, 1, 8, 7, 6, 5},
		8: {8, 7, 6, 5, 4, 3, 2, 1},
	} {
		got := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		if swap(got, size); !bytes.Equal(got, want) {
			t.Errorf("swapping elements of %d bytes gives %v, want %v", size, got, want)
		}
	}
}
