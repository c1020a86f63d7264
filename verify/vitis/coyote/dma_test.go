package coyote_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const beatBytes = 64

// Widths of the shell's requests, as lynxTypes::req_t has these fields.
var requestWidths = []int{5, 2, 4, 6, 4, 1, 48, 28}

type request struct {
	opcode, strm, vfid, pid, dest, last, vaddr, len uint64
}

func requestOf(b *block.Bench, pin string) request {
	v := b.Unpack(pin, requestWidths...)
	return request{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}
}

func (r request) pack(b *block.Bench, pin string) {
	var fields []block.Field
	for i, v := range []uint64{r.opcode, r.strm, r.vfid, r.pid, r.dest, r.last, r.vaddr, r.len} {
		fields = append(fields, block.Field{Width: requestWidths[i], Value: v})
	}
	b.Pack(pin, fields...)
}

type beat struct {
	data [beatBytes]byte
	keep uint64
	last bool
}

// kept is the beat without bytes that TKEEP leaves out.
func (x beat) kept() beat {
	for k := range x.data {
		if x.keep>>k&1 == 0 {
			x.data[k] = 0
		}
	}
	return x
}

// offers are what the module is given, one after the other.
type offers[T any] struct {
	b            *block.Bench
	valid, ready string
	idle         int // of 100 cycles
	queue        []T
	put          func(T) // sets the other pins
	on           bool
}

func (o *offers[T]) before(r *rand.Rand) {
	if !o.on {
		o.on = len(o.queue) > 0 && r.IntN(100) >= o.idle
	}
	o.b.Set(o.valid, flag(o.on))
	if o.on {
		o.put(o.queue[0])
	}
}

func (o *offers[T]) after() {
	if o.on && o.b.Is(o.ready) {
		o.queue, o.on = o.queue[1:], false
	}
}

// source offers beats to the module, at pins with TKEEP and TLAST if they are kept; sink takes them.
func source(b *block.Bench, prefix string, idle int, keep bool) *offers[beat] {
	return &offers[beat]{b: b, valid: prefix + "tvalid", ready: prefix + "tready", idle: idle, put: func(x beat) {
		b.SetBytes(prefix+"tdata", x.data[:])
		if keep {
			b.Set(prefix+"tkeep", x.keep)
			b.Set(prefix+"tlast", flag(x.last))
		}
	}}
}

type sink struct {
	b      *block.Bench
	prefix string
	stall  int
	got    []beat
	ready  bool
	held   *beat
}

func (s *sink) before(r *rand.Rand) {
	s.ready = r.IntN(100) >= s.stall
	s.b.Set(s.prefix+"tready", flag(s.ready))
}

func (s *sink) after(t *testing.T) {
	t.Helper()
	if !s.b.Is(s.prefix + "tvalid") {
		assert.Assert(t, s.held == nil, "%s: what was offered is gone", s.prefix)
		return
	}
	x := beat{keep: s.b.Get(s.prefix + "tkeep"), last: s.b.Is(s.prefix + "tlast")}
	copy(x.data[:], s.b.Bytes(s.prefix+"tdata"))
	assert.Assert(t, s.held == nil || *s.held == x, "%s: what was offered has changed", s.prefix)
	s.held = &x
	if s.ready {
		s.got, s.held = append(s.got, x), nil
	}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// content is what a byte of a memory holds before anybody has written it.
func content(host bool, address uint64) byte {
	x := address*0x9E3779B97F4A7C15 + 77*flag(host)
	return byte(x>>56) ^ byte(x>>24)
}

// cut makes beats of bytes; the last one is marked if it should.
func cut(data []byte, last bool) []beat {
	var list []beat
	for len(data) > 0 {
		var x beat
		n := copy(x.data[:], data)
		x.keep = ^uint64(0) >> (beatBytes - n)
		data = data[n:]
		x.last = last && len(data) == 0
		list = append(list, x)
	}
	return list
}

// command is one of an AXI DataMover, with what is wrong with it.
type command struct {
	bytes, address, tag uint64
	memory              uint64
	eof                 bool
	fixed               bool
	dsa                 uint64
	// of writes: the bytes of the stream, and whether they end a packet
	data  []byte
	ended bool
}

func (c command) internal() bool { return c.bytes == 0 || c.fixed || c.dsa != 0 }
func (c command) decode() bool   { return c.memory > 1 || c.address>>48 != 0 }
func (c command) refused() bool  { return c.internal() || c.decode() }

// Fields of a command word from the highest: contracts/kernels.md.
func (c command) pack(b *block.Bench, pin string) {
	b.Pack(pin, block.Field{Width: 4}, block.Field{Width: 4, Value: c.tag}, block.Field{Width: 64, Value: c.address},
		block.Field{Width: 1},
		block.Field{Width: 1, Value: flag(c.eof)}, block.Field{Width: 6, Value: c.dsa},
		block.Field{Width: 1, Value: flag(!c.fixed)},
		block.Field{Width: 23, Value: c.bytes})
}

// promise knows which statuses there may be: one for each request of a memory that
// is done, and for refused commands. Requests are done a while after their last beat.
type promise struct {
	commands []command
	done     map[bool]int     // requests of the card's memory, and of the host's
	due      map[bool][]*owed // those that are not done, likewise
}

type owed struct {
	request
	left, wait int // beats, and cycles after these
}

func newPromise(commands []command) *promise {
	return &promise{commands, map[bool]int{}, map[bool][]*owed{}}
}

// owe notes a request of the module.
func (p *promise) owe(q request, wait int) {
	p.due[q.strm == 1] = append(p.due[q.strm == 1], &owed{q, int(q.len+beatBytes-1) / beatBytes, wait})
}

// moved counts a beat, and returns the request that it is of, or nil.
func (p *promise) moved(host bool) *owed {
	for _, q := range p.due[host] {
		if q.left > 0 {
			q.left--
			return q
		}
	}
	return nil
}

// complete sets the pins that tell, in this cycle, which requests of a direction are done.
func (p *promise) complete(b *block.Bench, direction string) {
	for host, side := range map[bool]string{false: "_card_done", true: "_host_done"} {
		b.Set(direction+side, 0)
		if q := p.due[host]; len(q) > 0 && q[0].left == 0 {
			if q[0].wait--; q[0].wait < 0 {
				b.Set(direction+side, 1)
				p.done[host]++
				p.due[host] = q[1:]
			}
		}
	}
}

// check is called with the number of a status when that comes.
func (p *promise) check(t *testing.T, n int) {
	t.Helper()
	c := p.commands[n]
	if c.refused() {
		return
	}
	if p.done[c.memory == 1]--; p.done[c.memory == 1] < 0 {
		t.Fatalf("status %d came before the shell was done with %+v", n, command{c.bytes, c.address, c.tag, c.memory, c.eof,
			c.fixed, c.dsa, nil, c.ended})
	}
}

func randomCommand(r *rand.Rand) command {
	c := command{
		bytes: 1 + uint64(r.IntN(700)), address: uint64(r.IntN(1 << 20)), tag: uint64(r.IntN(16)), memory: uint64(r.IntN(2)),
		eof: r.IntN(4) > 0,
	}
	switch r.IntN(12) {
	case 0:
		c.bytes = uint64(beatBytes * (1 + r.IntN(8)))
	case 1:
		c.bytes = 0
	case 2:
		c.memory = 2 + uint64(r.IntN(254))
	case 3:
		c.address |= 1 << (48 + r.IntN(16))
	case 4:
		c.fixed = true
	case 5:
		c.dsa = 1 + uint64(r.IntN(63))
	case 6:
		c.address |= 1 << 47
	}
	return c
}

// pace is how often things wait, of 100 cycles.
type pace struct{ command, data, status, shell, late int }

var paces = map[string]pace{
	"at once":        {},
	"now and then":   {20, 20, 20, 20, 10},
	"slow statuses":  {0, 0, 97, 0, 0},
	"slow shell":     {0, 0, 0, 95, 60},
	"slow engine":    {90, 95, 50, 0, 0},
	"late and tight": {0, 80, 90, 90, 150},
}

const streamNumber = 5

// TestReads gives read commands to the adapter, and its requests to a model of the
// shell.
func TestReads(t *testing.T) { paced(t, reads) }

// offered are commands as the module is given them.
func offered(b *block.Bench, prefix string, idle int, commands []command) *offers[command] {
	return &offers[command]{b: b, valid: prefix + "tvalid", ready: prefix + "tready", idle: idle, queue: commands,
		put: func(c command) {
			c.pack(b, prefix+"tdata")
			b.Set(prefix+"tdest", c.memory)
		}}
}

// paced does a test at all paces.
func paced(t *testing.T, do func(*testing.T, *block.Bench, pace, uint64)) {
	b := module(t, "coyote_dma", map[string]string{"DMA": fmt.Sprint(streamNumber)})
	for name, p := range paces {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				b.Reset()
				do(t, b, p, seed)
			})
		}
	}
}

func reads(t *testing.T, b *block.Bench, p pace, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	var commands []command
	for range 60 {
		commands = append(commands, randomCommand(r))
	}
	given := offered(b, "s_axis_mm2s_cmd_", p.command, commands)
	recv := map[bool]*offers[beat]{false: source(b, "card_recv_", p.shell, false),
		true: source(b, "host_recv_", p.shell, false)}
	sinkOf := &sink{b: b, prefix: "m_axis_mm2s_", stall: p.data}
	var asked []request
	var statuses []uint64
	told := newPromise(commands)
	for cycle := 0; len(statuses) < len(commands); cycle++ {
		if cycle > 200_000 {
			t.Fatalf("%d of %d statuses have come, %d requests, %d beats", len(statuses), len(commands),
				len(asked), len(sinkOf.got))
		}
		given.before(r)
		takes, statusReady := r.IntN(100) >= p.shell, r.IntN(100) >= p.status
		b.Set("rd_ready", flag(takes))
		b.Set("m_axis_mm2s_sts_tready", flag(statusReady))
		for _, host := range []bool{false, true} {
			recv[host].before(r)
		}
		told.complete(b, "rd")
		sinkOf.before(r)
		b.Step()
		given.after()
		for _, host := range []bool{false, true} {
			before := len(recv[host].queue)
			recv[host].after()
			if len(recv[host].queue) < before {
				told.moved(host)
			}
		}
		sinkOf.after(t)
		if takes && b.Is("rd_valid") {
			q := requestOf(b, "rd_data")
			asked = append(asked, q)
			host := q.strm == 1
			var data []byte
			for i := range q.len {
				data = append(data, content(host, q.vaddr+i))
			}
			recv[host].queue = append(recv[host].queue, cut(data, true)...)
			told.owe(q, r.IntN(1+p.late))
		}
		if statusReady && b.Is("m_axis_mm2s_sts_tvalid") {
			told.check(t, len(statuses))
			statuses = append(statuses, b.Get("m_axis_mm2s_sts_tdata"))
		}
	}
	for range 50 { // nothing more comes
		b.Set("m_axis_mm2s_sts_tready", 1)
		sinkOf.before(r)
		b.Step()
		sinkOf.after(t)
		assert.Assert(t, !b.Is("m_axis_mm2s_sts_tvalid") && !b.Is("rd_valid"), "more statuses or requests than commands")
	}

	var wantAsked []request
	got := sinkOf.got
	for i, c := range commands {
		want := c.tag | flag(c.internal())<<4 | flag(c.decode())<<5 | flag(!c.refused())<<7
		assert.Check(t, is.Equal(statuses[i], want), "status %d of %+v", i, c)
		if !c.refused() {
			wantAsked = append(wantAsked, request{opcode: 1, strm: c.memory, dest: streamNumber, last: 1, vaddr: c.address,
				len: c.bytes})
		}
		var data []byte
		for k := range c.bytes {
			data = append(data, content(c.memory == 1, c.address+k))
		}
		for n, x := range cut(data, c.eof) {
			assert.Assert(t, len(got) != 0, "command %d %+v: beat %d is missing", i, c, n)
			y := got[0].kept()
			got = got[1:]
			if c.refused() { // contents are undefined
				y.data = x.data
			}
			assert.Assert(t, x == y, "command %d %+v: beat %d is %+v, want %+v", i, c, n, y, x)
		}
	}
	assert.Check(t, len(got) <= 0, "%d beats too many", len(got))
	compare(t, "requests", asked, wantAsked)
}

// compare compares what came out of the module with what should have.
func compare[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	assert.Assert(t, len(got) == len(want), "%s: %d, want %d", what, len(got), len(want))
	for i := range got {
		assert.Assert(t, got[i] == want[i], "%s: number %d is %+v, want %+v", what, i, got[i], want[i])
	}
}

// TestWrites gives write commands and streams to the adapter; the model of the
// shell takes what it requests, and tells when it is in memory.
func TestWrites(t *testing.T) { paced(t, writes) }

func writes(t *testing.T, b *block.Bench, p pace, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 12))
	in := source(b, "s_axis_s2mm_", p.data, true)
	var commands []command
	for range 60 {
		c := randomCommand(r)
		n := int(c.bytes)
		c.ended = true
		switch r.IntN(8) {
		case 0: // the packet is shorter
			if n > 1 {
				n = 1 + r.IntN(n-1)
			}
			if n > beatBytes && r.IntN(2) == 0 { // at the end of a beat
				n -= n % beatBytes
			}
		case 1: // the packet goes on
			c.ended = false
		}
		for range n {
			c.data = append(c.data, byte(r.Uint32()))
		}
		beats := cut(c.data, c.ended)
		if !c.ended { // TKEEP of beats inside a packet is not looked at
			for i := range beats {
				beats[i].keep = ^uint64(0)
			}
		}
		in.queue = append(in.queue, beats...)
		commands = append(commands, c)
	}
	out := map[bool]*sink{
		false: {b: b, prefix: "card_send_", stall: p.shell}, true: {b: b, prefix: "host_send_", stall: p.shell},
	}
	given := offered(b, "s_axis_s2mm_cmd_", p.command, commands)
	told := newPromise(commands)
	var asked []request
	var statuses []uint64
	for cycle := 0; len(statuses) < len(commands); cycle++ {
		assert.Assert(t, cycle <= 200_000,
			"%d of %d statuses have come, %d requests", len(statuses), len(commands), len(asked))
		given.before(r)
		takes, statusReady := r.IntN(100) >= p.shell, r.IntN(100) >= p.status
		b.Set("wr_ready", flag(takes))
		b.Set("m_axis_s2mm_sts_tready", flag(statusReady))
		in.before(r)
		for _, host := range []bool{false, true} {
			out[host].before(r)
		}
		told.complete(b, "wr")
		b.Step()
		given.after()
		in.after()
		if takes && b.Is("wr_valid") {
			q := requestOf(b, "wr_data")
			asked = append(asked, q)
			told.owe(q, r.IntN(1+p.late))
		}
		for _, host := range []bool{false, true} {
			before := len(out[host].got)
			out[host].after(t)
			if len(out[host].got) > before {
				q := told.moved(host)
				assert.Assert(t, q != nil, "data came before their request, or without one")
				if x := out[host].got[before]; x.last != (q.left == 0) {
					t.Fatalf("TLAST is %t with %d beats left of %+v", x.last, q.left, q.request)
				}
			}
		}
		if statusReady && b.Is("m_axis_s2mm_sts_tvalid") {
			told.check(t, len(statuses))
			statuses = append(statuses, b.Get("m_axis_s2mm_sts_tdata"))
		}
	}
	for range 50 {
		b.Set("m_axis_s2mm_sts_tready", 1)
		b.Step()
		assert.Assert(t, !b.Is("m_axis_s2mm_sts_tvalid") && !b.Is("wr_valid"), "more statuses or requests than commands")
	}
	assert.Check(t, len(in.queue) <= 0, "%d beats of the stream were not taken", len(in.queue))
	var wantAsked []request
	wantOut := map[bool][]beat{}
	for i, c := range commands {
		short := c.bytes > 0 && uint64(len(c.data)) < c.bytes
		received, end := uint64(len(c.data)), c.ended
		if c.bytes == 0 {
			received, end = 0, false
		}
		internal := c.internal() || short
		want := c.tag | flag(internal)<<4 | flag(c.decode())<<5 | flag(!internal && !c.decode())<<7 |
			received<<8 | flag(end)<<31
		if statuses[i] != want {
			t.Errorf("status %d of %d bytes (%+v) is %08X, want %08X", i, len(c.data),
				command{c.bytes, c.address, c.tag, c.memory, c.eof, c.fixed, c.dsa, nil, c.ended}, statuses[i], want)
		}
		if c.refused() {
			continue
		}
		wantAsked = append(wantAsked, request{opcode: 2, strm: c.memory, dest: streamNumber, last: 1, vaddr: c.address,
			len: c.bytes})
		data := make([]byte, c.bytes)
		copy(data, c.data)
		host := c.memory == 1
		wantOut[host] = append(wantOut[host], cut(data, true)...)
	}
	compare(t, "requests", asked, wantAsked)
	for host, want := range wantOut {
		compare(t, fmt.Sprintf("beats, host %t", host), out[host].got, want)
	}
}

// packAll sets requests side by side, the first in the lowest bits.
func packAll(b *block.Bench, list []request) {
	var fields []block.Field
	for i := len(list) - 1; i >= 0; i-- {
		q := list[i]
		for k, v := range []uint64{q.opcode, q.strm, q.vfid, q.pid, q.dest, q.last, q.vaddr, q.len} {
			fields = append(fields, block.Field{Width: requestWidths[k], Value: v})
		}
	}
	b.Pack("in_data", fields...)
}
