package server_test

import (
	"bytes"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
)

// FuzzRequest sends anything to a live engine. There is always one reply, in the
// envelope of the request, with a status, and an error text if that is negative.
func FuzzRequest(f *testing.F) {
	for _, request := range malformed() {
		if len(request) < 1000 {
			f.Add([]byte{}, []byte(request))
		}
	}
	for _, request := range []string{
		nop(0), `{"type": 6, "ctrl_id": 0}`, `{"type": 0, "addr": 8188}`, `{"type": 1, "addr": 0, "wdata": 16}`,
		`{"type": 2, "addr": 0, "len": 100}`,
		`{"type": 3, "addr": 0, "wdata": [1,2,-3], "host": true}`, `{"type": 4, "addr": 4096, "len": 1000000, "host": 0}`,
		text(call{scenario: opCopy, count: 100, arith: 512}.with(1)),
		text(call{scenario: opConfig, function: enablePkt}.with(0)),
		text(call{scenario: opRecv, count: 100, comm: 456, arith: 512}.with(2)),
		text(call{scenario: opConfig, function: resetPeriph}.with(2)),
		text(call{scenario: opNop}.message()),
	} {
		f.Add([]byte("id"), []byte(request))
	}
	o := options{ranks: 1}
	o.engine.ResidentBytes = 64 << 20
	s := start(f, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True}, o)
	c := s.client(f, 0, true)
	c.configure2024()
	assert.NilError(f, c.err)
	p := dial(f, s.command(0), zmq4.NewDealer)
	f.Fuzz(func(t *testing.T, id, request []byte) {
		envelope := [][]byte{nil}
		if len(id) > 0 {
			envelope = [][]byte{id, nil}
		}
		assert.NilError(t, p.SendMulti(zmq4.NewMsgFrom(append(envelope, request)...)))
		frames, err := p.receive()
		assert.Assert(t, err == nil && len(frames) == len(envelope)+1 && bytes.Equal(frames[0], envelope[0]),
			"%q: reply %q, %v", request, frames, err)
		a, err := parse(frames[len(frames)-1])
		if err != nil || *a.Status < 0 && a.Error == "" {
			t.Errorf("%q: %v, %v", request, a, err)
		}
	})
}
