package hls_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

const allOnes = math.MaxUint64

// beatLine is how the program reports a beat.
func beatLine(what string, dest, last int, keep uint64, payload []byte) string {
	data := make([]byte, 64)
	copy(data, payload)
	return fmt.Sprintf("%s dest %d last %d keep %x strb %x %s\n", what, dest, last, keep, keep, hex.EncodeToString(data))
}

// vectorLines are the beats of a vector of n bytes: as many as it needs, the last one
// marked and filled up with zeros.
func vectorLines(what string, n int) string {
	payload := make([]byte, n)
	for i := range payload {
		payload[i] = byte(i*7 + 1)
	}
	var b strings.Builder
	for len(payload) > 0 {
		piece := payload[:min(64, len(payload))]
		payload = payload[len(piece):]
		last := 0
		if len(payload) == 0 {
			last = 1
		}
		b.WriteString(beatLine(what, 5, last, allOnes, piece))
	}
	return b.String() + what + " came back, nothing left\n"
}

// TestDataMovesBeatsAndVectors: elements lie side by side, the first one in the low
// bytes, also where one of them lies in two beats.
func TestDataMovesBeatsAndVectors(t *testing.T) {
	beat := make([]byte, 64)
	binary.LittleEndian.PutUint32(beat, 0x11223344)
	binary.LittleEndian.PutUint64(beat[24:], math.Float64bits(-2))
	binary.LittleEndian.PutUint16(beat[62:], 0xABCD)
	want := beatLine("plain", 0, 1, allOnes, beat) +
		beatLine("partial", 7, 0, 0xFF, beat) +
		beatLine("again", 0, 1, allOnes, beat) + // pulled in the order in which they were pushed
		"room 1\n" +
		beatLine("tried", 9, 1, allOnes, beat) + beatLine("tried", 0, 1, allOnes, beat) +
		"pulled 4, then none\n" +
		"elements 11223344 -2.000000 abcd abcd000000000000 -1073741824\n" +
		vectorLines("float", 80) + vectorLines("float64", 64) + vectorLines("float16", 66) + vectorLines("int32_t", 4) +
		vectorLines("Colour", 150)
	dir := bindingHeaders(t, designtest.Load(t, "u55c_tcp", nil))
	source(t, dir, "data.cpp")
	got := execute(t, dir, runTime, buildKernel(t, dir, []string{"data.cpp"}))
	assert.Check(t, is.DeepEqual(want, got), "-want +moved")
}
