package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// malformed are messages that are no requests, of each kind that driver/sim refuses.
func malformed() []string {
	all := []string{
		"", "hello", `{"type": 0, "addr": `, `[1]`, `null`, `{}`, `{"type": 0, "addr": 0} {}`, "\x00\xff\x01",
		"{\"type\": 0, \"addr\": \"\xff\"}", strings.Repeat(`{"x":`, 100000) + "1" + strings.Repeat(`}`, 100000),
		`{"type": 0, "addr": 0, "x": ` + strings.Repeat(`[`, 200000), `{"type": 7, "addr": 0}`,
		`{"type": 0, "addr": 18446744073709551616}`, `{"type": 1, "addr": 0, "wdata": 4294967296}`,
		`{"type": 2, "addr": 0, "len": "1"}`, `{"type": 2, "addr": 0, "len": 0, "host": 2}`,
		`{"type": 3, "addr": 0, "wdata": [256]}`, `{"type": 3, "addr": 0, "wdata": "AAAA"}`, `{"type": 4, "addr": 0}`,
		`{"type": 6}`, `{"type": 6, "ctrl_id": 1e30}`,
	}
	for field := range (call{}).message() {
		given := call{scenario: opNop}.with(0)
		given[field] = "1"
		all = append(all, text(given))
		delete(given, field)
		all = append(all, text(given))
	}
	return all
}

func text(m message) string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Every message that is no request is answered with a negative status and a
// text, does nothing, and the connection goes on.
func TestMalformedRequests(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	p := dial(t, s.command(0), zmq4.NewReq)
	all := malformed()
	for _, request := range all {
		a, err := p.ask([]byte(request))
		assert.NilError(t, err)
		assert.Check(t, *a.Status == -1 && a.Error != "" && len(a.Error) <= 500 && len(a.RData) == 0,
			"%.60s: %v", request, a)
	}
	c := client{peer: p, polls: true}
	assert.Check(t, is.Equal(c.read(0), uint32(0)), "a malformed write has written")
	a, err := c.request(message{"type": 2, "addr": 0, "len": 1})
	assert.Check(t, err == nil && *a.Status == 1, "a malformed request has allocated memory: %v, %v", a, err)
	a, err = c.request(message{"type": 6, "ctrl_id": 0})
	assert.Check(t, err == nil && *a.Status < 0, "a malformed call was started: %v, %v", a, err)
	if h := s.servers[0].Health(); h.Refused != uint64(len(all))+1 {
		t.Errorf("%d requests were refused, and %d were malformed: %v", h.Refused, len(all), h)
	}
}
