package server_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
)

// Operations and flags, as clients of all generations spell them.
const (
	opConfig, opCopy, opCombine, opSend, opRecv     = 0, 1, 2, 3, 4
	opBcast, opScatter, opGather, opReduce          = 5, 6, 7, 8
	opAllGather, opAllReduce, opReduceScatter       = 9, 10, 11
	opBarrier, opAllToAll, opNop                    = 12, 13, 255
	sum, maximum                                    = 0, 1
	tagAny                                          = 0xFFFFFFFF
	op0Compressed, resCompressed, ethCompressed     = 1, 4, 8
	op0Stream, resStream                            = 1, 2
	op0Host, op1Host, resHost                       = 0x100, 0x200, 0x400
	resetPeriph, enablePkt, setTimeout              = 0, 1, 2
	setMaxEager, setMaxRendezvous                   = 3, 4       // since 2024
	openPort, openCon, setStackType, setMaxSegments = 3, 4, 5, 6 // before
)

// call has what its name says; the rest is 0.
type call struct {
	scenario, count, comm, peer, function, tag, arith, compression, stream uint32
	op0, op1, res                                                          uint64
}

func (c call) message() message {
	return message{
		"type": 5, "scenario": c.scenario, "count": c.count, "comm": c.comm, "root_src_dst": c.peer, "function": c.function,
		"tag":      c.tag,
		"arithcfg": c.arith, "compression_flags": c.compression, "stream_flags": c.stream, "addr_0": c.op0, "addr_1": c.op1,
		"addr_2": c.res,
	}
}

// client plays the driver of a rank. After the first error, which is kept, it
// does nothing.
type client struct {
	*peer
	rank, size int
	polls      bool // its calls have a ctrl_id
	ctrl       int
	free       [2]uint64 // the next address in device and host memory
	comm       uint32    // where the communicator of the world stands
	float, mix uint32    // the configurations of (fp32, fp32) and (fp32, fp16)
	err        error
}

func (s *served) client(t testing.TB, rank int, polls bool) *client {
	t.Helper()
	return &client{peer: dial(t, s.command(rank), zmq4.NewReq), rank: rank, size: s.size, polls: polls}
}

// all plays the drivers of all ranks.
func (s *served) all(t testing.TB, polls bool) []*client {
	t.Helper()
	var out []*client
	for i := range s.size {
		out = append(out, s.client(t, i, polls))
	}
	return out
}

// together does the same on all ranks at once.
func together(t *testing.T, what string, clients []*client, f func(c *client)) {
	t.Helper()
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(func() { f(c) })
	}
	wg.Wait()
	for _, c := range clients {
		assert.Check(t, c.err, "%s: rank %d", what, c.rank)
	}
	if t.Failed() {
		t.FailNow()
	}
}

func (c *client) fail(format string, values ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, values...)
	}
}

// good makes a request that has to succeed.
func (c *client) good(m message) answer {
	if c.err != nil {
		return answer{}
	}
	a, err := c.request(m)
	switch {
	case err != nil:
		c.fail("%v: %w", m["type"], err)
	case *a.Status != 0:
		c.fail("request %.200v: %v", fmt.Sprint(m), a)
	}
	return a
}

func (c *client) read(addr uint32) uint32 {
	a := c.good(message{"type": 0, "addr": addr})
	if c.err != nil {
		return 0
	}
	v, err := a.word()
	if err != nil {
		c.fail("MMIO read at 0x%X: %v", addr, err)
	}
	return v
}

func (c *client) write(addr uint32, words ...uint32) {
	for i, v := range words {
		c.good(message{"type": 1, "addr": addr + 4*uint32(i), "wdata": v})
	}
}

// allocate gives out addresses in steps of 4 KiB, as the protocol says.
func (c *client) allocate(bytes int, host bool) uint64 {
	i := 0
	if host {
		i = 1
	}
	addr := c.free[i]
	c.free[i] += uint64(max(bytes, 1)+4095) / 4096 * 4096
	c.good(message{"type": 4, "addr": addr, "len": bytes, "host": host})
	return addr
}

func (c *client) store(addr uint64, b []byte, host bool) {
	numbers := make([]int, len(b))
	for i, v := range b {
		numbers[i] = int(v)
	}
	c.good(message{"type": 3, "addr": addr, "wdata": numbers, "host": host})
}

func (c *client) load(addr uint64, bytes int, host bool) []byte {
	a := c.good(message{"type": 2, "addr": addr, "len": bytes, "host": host})
	if c.err != nil {
		return make([]byte, bytes)
	}
	b, err := a.octets()
	if err != nil || len(b) != bytes {
		c.fail("reading %d bytes at 0x%X: %d, %v", bytes, addr, len(b), err)
		return make([]byte, bytes)
	}
	return b
}

// begin places a call with ctrl_id.
func (c *client) begin(k call) {
	m := k.message()
	m["ctrl_id"] = c.ctrl
	c.good(m)
}

// finish polls for the end of the oldest call and reads its return code.
func (c *client) finish() uint32 {
	for end := time.Now().Add(patience); c.err == nil; {
		a, err := c.request(message{"type": 6, "ctrl_id": c.ctrl})
		switch {
		case err != nil:
			c.fail("call wait: %w", err)
		case *a.Status == 0:
			code := c.read(c.returnCode())
			if c.err == nil && (a.RetCode == nil || *a.RetCode != code) {
				c.fail("the word with the return code is %#x, and the reply has %v", code, a.RetCode)
			}
			return code
		case *a.Status != 1:
			c.fail("call wait: %v", a)
		case time.Now().After(end):
			c.fail("no call has ended for %v", patience)
		}
	}
	return 0
}

func (c *client) returnCode() uint32 { return 0x1FFC }

// code makes a call and returns its return code.
func (c *client) code(k call) uint32 {
	if c.polls {
		c.begin(k)
		return c.finish()
	}
	a := c.good(k.message())
	code := c.read(c.returnCode())
	if c.err == nil && (a.RetCode == nil || *a.RetCode != code) {
		c.fail("the word with the return code is %#x, and the reply has %v", code, a.RetCode)
	}
	return code
}

// do makes a call that has to succeed.
func (c *client) do(k call) {
	if code := c.code(k); code != 0 {
		c.fail("call %+v: return code %#x", k, code)
	}
}

func (c *client) config(function, count uint32) {
	c.do(call{scenario: opConfig, function: function, count: count, tag: tagAny})
}

// floats is memory with these elements.
func (c *client) floats(values []float32, host bool) uint64 {
	addr := c.allocate(4*len(values), host)
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	c.store(addr, b, host)
	return addr
}

// expect compares memory with what plain arithmetic says.
func (c *client) expect(what string, addr uint64, host bool, n int, want func(i int) float32) {
	b := c.load(addr, 4*n, host)
	if c.err != nil {
		return
	}
	for i := range n {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])); got != want(i) {
			c.fail("%s: element %d is %v, and should be %v", what, i, got, want(i))
			return
		}
	}
}

// element i of what a rank has at first. Sums of four of them are exact in 16
// bits, too.
func element(rank, i int) float32 { return float32((rank + 1) * (i%97 + 1)) }

func elements(rank, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = element(rank, i)
	}
	return out
}

func total(size, i int) (v float32) {
	for r := range size {
		v += element(r, i)
	}
	return v
}

// arithmetic writes the configurations of a client from an offset on.
func (c *client) arithmetic(at uint32) {
	c.float, c.mix = at, at+9*4
	c.write(at, 4, 4, 0, 0, 0, 2, 0, 0, 5) // (fp32, fp32): SUM has TDEST 0, MAX 5
	c.write(c.mix, 4, 2, 0, 0, 1, 2, 1, 4, 9)
}

// communicator describes the world from an offset on, and returns its end.
func (c *client) communicator(at uint32, segment uint32) uint32 {
	c.comm = at
	c.write(at, uint32(c.size), uint32(c.rank))
	at += 8
	for r := range c.size {
		c.write(at, 127<<24|1, uint32(5500+r), 0, 0, uint32(r), segment)
		at += 24
	}
	return at
}
