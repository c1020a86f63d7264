package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// malformed are messages that are no requests.
func malformed() map[string]string {
	m := map[string]string{
		"nothing": "", "a blank": " ", "no JSON": "hello", "half an object": `{"type": 0, "addr": `, "an array": `[1]`,
		"null":     `null`,
		"a number": `5`, "a string": `"x"`, "an empty object": `{}`, "more behind": `{"type": 0, "addr": 0} {}`,
		"binary":                   "\x00\xff\x01",
		"a field twice unfinished": `{"type": 0, "type"}`, "a bare name": `{type: 0, addr: 0}`,
		"single quotes":        `{'type': 0, 'addr': 0}`,
		"deep nesting":         strings.Repeat(`{"x":`, 100000) + "1" + strings.Repeat(`}`, 100000),
		"deep brackets":        `{"type": 0, "addr": 0, "x": ` + strings.Repeat(`[`, 200000),
		"not UTF-8":            "{\"type\": 0, \"addr\": \"\xff\"}",
		"wait without ctrl_id": `{"type": 6}`, "wait for null": `{"type": 6, "ctrl_id": null}`,
		"wait for a string":        `{"type": 6, "ctrl_id": "0"}`,
		"wait for a large ctrl_id": `{"type": 6, "ctrl_id": 1e30}`,
	}
	for _, v := range []string{`null`, `"0"`, `7`, `-1`, `1.5`, `1e99`, `true`, `{}`, `[0]`, `99999999999999999999`} {
		m["type "+v] = `{"type": ` + v + `, "addr": 0, "len": 0, "wdata": 0}`
	}
	for _, v := range []string{`null`, `"0"`, `-4`, `0.5`, `1e99`, `true`, `{}`, `[0]`, `18446744073709551616`} {
		for kind := range 5 {
			m[fmt.Sprint("type ", kind, " addr ", v)] = fmt.Sprintf(`{"type": %d, "addr": %s, "len": 0, "wdata": %s}`, kind, v,
				[]string{"0", "[0]"}[kind/3%2])
		}
		m["read len "+v] = `{"type": 2, "addr": 0, "len": ` + v + `}`
		m["allocate len "+v] = `{"type": 4, "addr": 0, "len": ` + v + `}`
	}
	for _, v := range []string{`null`, `"0"`, `-1`, `0.5`, `1e99`, `true`, `{}`, `[0]`, `4294967296`} {
		m["MMIO wdata "+v] = `{"type": 1, "addr": 0, "wdata": ` + v + `}`
	}
	for _, v := range []string{`"AAAA"`, `0`, `{}`, `true`, `[256]`, `[-129]`, `[0.5]`, `[null]`, `["0"]`, `[[0]]`,
		`[1,2,300]`, `[1,,2]`, `[1,]`, `[1 2]`, `[1`} {
		m["memory wdata "+v] = `{"type": 3, "addr": 0, "wdata": ` + v + `}`
	}
	for _, v := range []string{`"yes"`, `2`, `-1`, `0.5`, `[]`, `{}`} {
		for kind := 2; kind < 5; kind++ {
			m[fmt.Sprint("type ", kind, " host ", v)] = fmt.Sprintf(
				`{"type": %d, "addr": 0, "len": 0, "wdata": [0], "host": %s}`, kind, v)
		}
	}
	for kind, fields := range [][]string{{"addr"}, {"addr", "wdata"}, {"addr", "len"}, {"addr", "wdata"},
		{"addr", "len"}} {
		for _, absent := range fields {
			given := message{"type": kind, "addr": 0, "len": 0, "wdata": 0}
			if kind == 3 {
				given["wdata"] = []int{0}
			}
			delete(given, absent)
			m[fmt.Sprint("type ", kind, " without ", absent)] = text(given)
		}
	}
	for field := range (call{}).message() {
		if field == "type" {
			continue
		}
		values := map[string]any{"a string": "1", "null": nil, "a fraction": 1.5, "negative": -1, "an array": []int{1},
			"more than 64 bits": json.Number("18446744073709551616")}
		if !strings.HasPrefix(field, "addr_") {
			values["more than 32 bits"] = json.Number("4294967296")
		}
		for what, v := range values {
			given := call{scenario: opNop}.message()
			given["ctrl_id"], given[field] = 0, v
			m["call with "+field+" "+what] = text(given)
		}
		given := call{scenario: opNop}.message()
		given["ctrl_id"] = 0
		delete(given, field)
		m["call without "+field] = text(given)
	}
	for what, v := range map[string]any{"a string": "0", "null": nil, "a fraction": 0.5, "an array": []int{0},
		"true": true} {
		given := call{scenario: opNop}.message()
		given["ctrl_id"] = v
		m["call with ctrl_id "+what] = text(given)
	}
	return m
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
	for name, request := range all {
		a, err := p.ask([]byte(request))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if *a.Status != -1 || a.Error == "" || len(a.Error) > 500 {
			t.Errorf("%s: %.60s: %v", name, request, a)
		}
		if len(a.RData) != 0 {
			t.Errorf("%s: rdata %.40s", name, a.RData)
		}
	}
	c := client{peer: p, polls: true}
	if v := c.read(0); v != 0 {
		t.Errorf("a malformed write has written %d", v)
	}
	if a, err := c.request(message{"type": 2, "addr": 0, "len": 1}); err != nil || *a.Status != 1 {
		t.Errorf("a malformed request has allocated memory: %v, %v", a, err)
	}
	if a, err := c.request(message{"type": 6, "ctrl_id": 0}); err != nil || *a.Status >= 0 {
		t.Errorf("a malformed call was started: %v, %v", a, err)
	}
	if h := s.servers[0].Health(); h.Refused != uint64(len(all))+1 {
		t.Errorf("%d requests were refused, and %d were malformed: %v", h.Refused, len(all), h)
	}
}
