package server_test

import (
	"testing"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
)

// TestEnvelopes sends requests in all kinds of envelopes, which come back.
func TestEnvelopes(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	const read = `{"type": 0, "addr": 0}`
	for _, test := range []struct {
		send, envelope []string
		status         int
	}{
		{[]string{read}, nil, 0},
		{[]string{"", read}, []string{""}, 0},
		{[]string{"id", "", read}, []string{"id", ""}, 0},
		{[]string{"\x00\xff", "b", "", read}, []string{"\x00\xff", "b", ""}, 0},
		{[]string{"id", read}, []string{"id"}, 0},
		{[]string{"a", "b", read}, []string{"a", "b"}, 0},
		{[]string{""}, []string{""}, -1},
		{[]string{"", ""}, []string{""}, -1},
		{[]string{"", read, read}, []string{""}, -1},
		{[]string{"", read, ""}, []string{""}, -1},
		{[]string{"id", "", read, read}, []string{"id", ""}, -1},
		{[]string{read, ""}, []string{read, ""}, -1},
		{[]string{"id", "nonsense"}, []string{"id"}, -1},
	} {
		p := dial(t, s.command(0), zmq4.NewDealer)
		for range 2 { // the second shows that the connection goes on
			var frames [][]byte
			for _, f := range test.send {
				frames = append(frames, []byte(f))
			}
			assert.NilError(t, p.SendMulti(zmq4.NewMsgFrom(frames...)))
			got, err := p.receive()
			assert.NilError(t, err, "%q", test.send)
			assert.Equal(t, len(got), len(test.envelope)+1, "%q: %q", test.send, got)
			for i, f := range test.envelope {
				assert.Check(t, string(got[i]) == f, "%q: frame %d is %q", test.send, i, got[i])
			}
			a, err := parse(got[len(test.envelope)])
			assert.Check(t, err == nil && *a.Status == test.status, "%q: %v, %v", test.send, a, err)
		}
		p.hangUp()
	}
}
