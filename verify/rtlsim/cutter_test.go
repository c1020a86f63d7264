package rtlsim

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"
)

func TestCutterKeepsBytesAndTheirOrder(t *testing.T) {
	assert.Check(t, newCutter(0, 0) == nil, "without a seed streams are cut")
	c := newCutter(7, 1)
	var in, out [2][]byte
	lengths := map[int]bool{}
	refused := 0
	for round := range 400 {
		for s := range uint32(2) {
			b := bytes.Repeat([]byte{byte(round), byte(s), byte(round >> 3)}, c.r.IntN(3000)*(1+c.r.IntN(2)*c.r.IntN(20)))
			in[s] = append(in[s], b...)
			if many := c.add(s, b); many != (len(in[s])-len(out[s]) > muchWaiting) {
				t.Fatalf("%d bytes are many: %t", len(in[s])-len(out[s]), many)
			}
		}
		for _, s := range c.sessions() {
			room := c.r.IntN(20)
			all := c.give(s, func(piece []byte) bool {
				assert.Assert(t, len(piece) != 0 && len(piece) <= longestPiece, "a piece of %d bytes", len(piece))
				if room--; room < 0 {
					refused++
					return false
				}
				lengths[len(piece)] = true
				out[s] = append(out[s], piece...)
				return true
			})
			assert.Assert(t, all == (len(in[s]) == len(out[s])) && bytes.Equal(in[s][:len(out[s])], out[s]),
				"session %d: all %t, %d of %d bytes", s, all, len(out[s]), len(in[s]))
		}
	}
	assert.Check(t, refused != 0 && lengths[1] && lengths[longestPiece] && len(lengths) >= 500,
		"%d refused, %d lengths", refused, len(lengths))
}
