package server_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// TestRequests asks for every type of request, in what spellings clients have,
// and compares status and data with the contract. Requests are made in order.
func TestRequests(t *testing.T) {
	s := start(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True}, options{ranks: 1})
	p := dial(t, s.command(0), zmq4.NewReq)
	const none = "none"
	for _, test := range []struct {
		name, request string
		status        int
		rdata         string // JSON; "" for whatever it is
	}{
		{"MMIO write", `{"type": 1, "addr": 64, "wdata": 4294967295}`, 0, none},
		{"MMIO read", `{"type": 0, "addr": 64}`, 0, "4294967295"},
		{"MMIO write in another order, with more than is known",
			`{"wdata": 5.0, "x": [{"addr": 1}], "addr": 6.4e1, "type": 1.0}`, 0, none},
		{"MMIO read of that", ` { "type" : 0 , "addr" : 64 } `, 0, "5"},
		{"MMIO read of the last word", `{"type": 0, "addr": 8188}`, 0, "0"},
		{"MMIO read behind the exchange memory", `{"type": 0, "addr": 8192}`, 1, none},
		{"MMIO read far behind it", `{"type": 0, "addr": 4294967360}`, 1, none},
		{"MMIO read at the end of all", `{"type": 0, "addr": 18446744073709551615}`, 1, none},
		{"MMIO read of no word", `{"type": 0, "addr": 66}`, 1, none},
		{"MMIO write behind the exchange memory", `{"type": 1, "addr": 8192, "wdata": 1}`, 1, none},
		{"MMIO write far behind it", `{"type": 1, "addr": 4294967360, "wdata": 9}`, 1, none},
		{"MMIO write of no word", `{"type": 1, "addr": 65, "wdata": 1}`, 1, none},
		{"MMIO read after these", `{"type": 0, "addr": 64}`, 0, "5"},

		{"memory read of what was never allocated", `{"type": 2, "addr": 0, "len": 4}`, 1, none},
		{"memory read of nothing", `{"type": 2, "addr": 0, "len": 0}`, 0, "[]"},
		{"memory allocate", `{"type": 4, "addr": 0, "len": 8}`, 0, none},
		{"memory read of what was allocated", `{"type": 2, "addr": 0, "len": 8}`, 0, "[0,0,0,0,0,0,0,0]"},
		{"memory write", `{"type": 3, "addr": 4, "wdata": [0, 1, 127, 128, 255], "host": false}`, 0, none},
		{"memory write has grown it", `{"type": 2, "addr": 0, "len": 9, "host": 0}`, 0, "[0,0,0,0,0,1,127,128,255]"},
		{"memory read beyond that", `{"type": 2, "addr": 0, "len": 10}`, 1, none},
		{"memory write with signs", `{"type": 3, "addr": 0, "wdata": [-1,-128,-127]}`, 0, none},
		{"memory read has none", `{"type": 2, "addr": 0, "len": 3}`, 0, "[255,128,129]"},
		{"memory write of nothing", `{"type": 3, "addr": 0, "wdata": []}`, 0, none},
		{"memory write of null", `{"type": 3, "addr": 0, "wdata": null}`, 0, none},
		{"memory write far away", `{"type": 3, "addr": 549755813888, "wdata": [7]}`, 0, none},
		{"memory read far away", `{"type": 2, "addr": 549755813888, "len": 1.0}`, 0, "[7]"},
		{"memory read beside it", `{"type": 2, "addr": 549755813887, "len": 2}`, 1, none},
		{"memory allocate again", `{"type": 4, "addr": 0, "len": 8}`, 0, none},
		{"memory read after that", `{"type": 2, "addr": 0, "len": 4}`, 0, "[255,128,129,0]"},
		{"memory allocate of nothing", `{"type": 4, "addr": 4096, "len": 0}`, 0, none},
		{"memory allocate beyond the memory", `{"type": 4, "addr": 1125899906842624, "len": 1}`, 4, none},
		{"memory allocate of more than there is", `{"type": 4, "addr": 1, "len": 18446744073709551615}`, 4, none},
		{"memory write at the end of all", `{"type": 3, "addr": 18446744073709551615, "wdata": [1]}`, 4, none},
		{"memory read at the end of all", `{"type": 2, "addr": 18446744073709551615, "len": 1}`, 1, none},
		{"memory read of too much", `{"type": 2, "addr": 0, "len": 67108865}`, 4, none},
		{"memory read of very much", `{"type": 2, "addr": 0, "len": 18446744073709551615}`, 4, none},

		{"host memory read", `{"type": 2, "addr": 0, "len": 4, "host": true}`, 1, none},
		{"host memory write", `{"type": 3, "addr": 0, "wdata": [9], "host": 1}`, 0, none},
		{"host memory read of that", `{"type": 2, "addr": 0, "len": 1, "host": true}`, 0, "[9]"},
		{"device memory is another", `{"type": 2, "addr": 0, "len": 1, "host": false}`, 0, "[255]"},
		{"host memory allocate", `{"type": 4, "addr": 4096, "len": 3, "host": 1.0}`, 0, none},
		{"host memory read of what was allocated", `{"type": 2, "addr": 4096, "len": 3, "host": 1}`, 0, "[0,0,0]"},

		{"call wait without a call", `{"type": 6, "ctrl_id": 0}`, -5, none},
		{"call", nop(0), 0, none},
		{"call of another controller", nop(1), 0, none},
		{"call of the kernel's controller", nop(2), 0, none},
		{"call of no controller", nop(3), -2, none},
		{"call of a negative controller", nop(-1), -2, none},
		{"call wait of no controller", `{"type": 6, "ctrl_id": 3}`, -2, none},
	} {
		a, err := p.ask([]byte(test.request))
		assert.NilError(t, err, "%s", test.name)
		rdata := string(a.RData)
		rdata = cmp.Or(rdata, none)
		if *a.Status != test.status || test.rdata != "" && rdata != test.rdata {
			t.Errorf("%s: %v, and not status %d, rdata %s", test.name, a, test.status, test.rdata)
		}
		assert.Check(t, *a.Status == 0 || a.Error != "", "%s: no error text", test.name)
	}
	for _, ctrl := range []int{2, 0, 1} {
		c := client{peer: p, polls: true, ctrl: ctrl}
		if code := c.finish(); c.err != nil || code != 0 {
			t.Errorf("controller %d: return code %d, %v", ctrl, code, c.err)
		}
		if a, err := p.ask(fmt.Appendf(nil, `{"type": 6, "ctrl_id": %d}`, ctrl)); err != nil || *a.Status >= 0 ||
			a.Error == "" {
			t.Errorf("controller %d: a completion was given twice: %v, %v", ctrl, a, err)
		}
	}
}

func nop(ctrl int) string {
	return fmt.Sprintf(
		`{"type": 5, "ctrl_id": %d, "scenario": 255, "count": 256.0, "comm": 0, "root_src_dst": 0, "function": 0, "tag": 4294967295,
		"arithcfg": 0, "compression_flags": 0, "stream_flags": 0, "addr_0": 0, "addr_1": 0, "addr_2": 18446744073709551615}`,
		ctrl)
}

// A platform that does not reach host memory has none to be read, written or
// allocated.
func TestNoHostMemory(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	p := dial(t, s.command(0), zmq4.NewReq)
	for request, status := range map[string]int{
		`{"type": 2, "addr": 0, "len": 1, "host": true}`:      1,
		`{"type": 3, "addr": 0, "wdata": [1], "host": true}`:  1,
		`{"type": 4, "addr": 0, "len": 1, "host": 1}`:         1,
		`{"type": 4, "addr": 0, "len": 1, "host": 0}`:         0,
		`{"type": 3, "addr": 0, "wdata": [1], "host": false}`: 0,
	} {
		a, err := p.ask([]byte(request))
		assert.Check(t, err == nil && *a.Status == status, "%s: %v, %v", request, a, err)
		assert.Check(t, status == 0 || strings.Contains(a.Error, "host memory"), "%s: the error is %q", request, a.Error)
	}
}

// TestLimits asks for more than a server with small limits takes.
func TestLimits(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1, limits: zmq.Limits{MessageBytes: 1 << 20}})
	c := s.client(t, 0, true)
	largest := 1 << 20 / 5
	c.allocate(1<<21, false)
	c.load(0, largest, false)
	assert.NilError(t, c.err)
	a, err := c.request(message{"type": 2, "addr": 0, "len": 1 << 20})
	assert.Check(t, err == nil && *a.Status == 4 && strings.Contains(a.Error, "at most"),
		"reading a megabyte: %v, %v", a, err)
	c.read(0)
	assert.NilError(t, c.err)
	// A request that is too large is answered, too.
	a, err = c.ask([]byte(`{"type": 3, "addr": 0, "wdata": [` + strings.Repeat("100,", 1<<19) + `1]}`))
	assert.Check(t, err == nil && *a.Status == 4 && a.Error != "", "writing half a megabyte: %v, %v", a, err)
	c.read(0)
	assert.Check(t, c.err, "after a request that was too large")
	p := dial(t, s.command(0), zmq4.NewDealer)
	for _, envelope := range [][][]byte{{[]byte("id")}, {nil}, {[]byte("id"), nil}} {
		assert.NilError(t, p.SendMulti(zmq4.NewMsgFrom(append(envelope, make([]byte, 2<<20))...)))
		frames, err := p.receive()
		assert.Assert(t, err == nil && len(frames) == len(envelope)+1 && bytes.Equal(frames[0], envelope[0]),
			"envelope %q: %q, %v", envelope, frames, err)
		if a, err := parse(frames[len(envelope)]); err != nil || *a.Status != 4 {
			t.Errorf("envelope %q: %v, %v", envelope, a, err)
		}
	}
}

// A memory takes only as much room on the host as it may.
func TestMemoryIsBounded(t *testing.T) {
	o := options{ranks: 1}
	o.engine.ResidentBytes = 4 << 20
	s := start(t, "u55c_tcp", nil, o)
	c := s.client(t, 0, true)
	refused := 0
	for i := range 8 {
		a, err := c.request(message{"type": 3, "addr": i << 30, "wdata": []int{1}})
		switch {
		case err != nil:
			t.Fatal(err)
		case *a.Status == 4 && a.Error != "":
			refused++
		case *a.Status != 0:
			t.Error(a)
		}
	}
	assert.Check(t, refused == 4, "%d of 8 pages of a megabyte were refused in a memory of 4", refused)
	got := c.load(0, 1, false)
	assert.Check(t, c.err == nil && got[0] == 1, "the first page has %d: %v", got, c.err)
}
