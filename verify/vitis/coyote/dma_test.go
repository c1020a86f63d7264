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

// source offers beats to the module, sink takes them.
type source struct {
	b      *block.Bench
	prefix string
	idle   int // of 100 cycles
	queue  []beat
	on     bool
	keep   bool // the module has TKEEP and TLAST
}

func (s *source) before(r *rand.Rand) {
	if !s.on {
		s.on = len(s.queue) > 0 && r.IntN(100) >= s.idle
	}
	s.b.Set(s.prefix+"tvalid", flag(s.on))
	if s.on {
		s.b.SetBytes(s.prefix+"tdata", s.queue[0].data[:])
		if s.keep {
			s.b.Set(s.prefix+"tkeep", s.queue[0].keep)
			s.b.Set(s.prefix+"tlast", flag(s.queue[0].last))
		}
	}
}

func (s *source) after() {
	if s.on && s.b.Is(s.prefix+"tready") {
		s.queue, s.on = s.queue[1:], false
	}
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
// is done, and for refused commands.
type promise struct {
	commands []command
	done     map[bool]int // requests of the card's memory, and of the host's
}

func newPromise(commands []command) *promise { return &promise{commands, map[bool]int{}} }

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
	recv := map[bool]*source{}
	for host, prefix := range map[bool]string{false: "card_recv_", true: "host_recv_"} {
		recv[host] = &source{b: b, prefix: prefix, idle: p.shell}
	}
	sinkOf := &sink{b: b, prefix: "m_axis_mm2s_", stall: p.data}
	var asked []request
	var statuses []uint64
	// Completions of each side: when its data have been delivered, and a while later.
	told := newPromise(commands)
	type owed struct{ beats, wait int }
	due := map[bool][]owed{}
	next, on := 0, false
	for cycle := 0; len(statuses) < len(commands); cycle++ {
		if cycle > 200_000 {
			t.Fatalf("%d of %d statuses have come, %d requests, %d beats", len(statuses), len(commands),
				len(asked), len(sinkOf.got))
		}
		if !on {
			on = next < len(commands) && r.IntN(100) >= p.command
		}
		b.Set("s_axis_mm2s_cmd_tvalid", flag(on))
		if on {
			commands[next].pack(b, "s_axis_mm2s_cmd_tdata")
			b.Set("s_axis_mm2s_cmd_tdest", commands[next].memory)
		}
		takes, statusReady := r.IntN(100) >= p.shell, r.IntN(100) >= p.status
		b.Set("rd_ready", flag(takes))
		b.Set("m_axis_mm2s_sts_tready", flag(statusReady))
		for _, host := range []bool{false, true} {
			recv[host].before(r)
			pin := map[bool]string{false: "rd_card_done", true: "rd_host_done"}[host]
			b.Set(pin, 0)
			if q := due[host]; len(q) > 0 && q[0].beats == 0 {
				if q[0].wait == 0 {
					b.Set(pin, 1)
					told.done[host]++
					due[host] = q[1:]
				} else {
					q[0].wait--
				}
			}
		}
		sinkOf.before(r)
		b.Step()
		if on && b.Is("s_axis_mm2s_cmd_tready") {
			next, on = next+1, false
		}
		for _, host := range []bool{false, true} {
			before := len(recv[host].queue)
			recv[host].after()
			if taken := before - len(recv[host].queue); taken > 0 {
				for i := range due[host] {
					if due[host][i].beats > 0 {
						due[host][i].beats--
						break
					}
				}
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
			beats := cut(data, true)
			recv[host].queue = append(recv[host].queue, beats...)
			due[host] = append(due[host], owed{len(beats), r.IntN(1 + p.late)})
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
			y := got[0]
			got = got[1:]
			if c.refused() { // contents are undefined
				y.data = x.data
			}
			for k := range y.data {
				if x.keep>>k&1 == 0 {
					y.data[k] = 0
				}
			}
			assert.Assert(t, x == y, "command %d %+v: beat %d is %+v, want %+v", i, c, n, y, x)
		}
	}
	assert.Check(t, len(got) <= 0, "%d beats too many", len(got))
	compareRequests(t, asked, wantAsked)
}

func compareRequests(t *testing.T, got, want []request) {
	t.Helper()
	assert.Assert(t, len(got) == len(want), "%d requests, want %d", len(got), len(want))
	for i := range got {
		assert.Check(t, got[i] == want[i], "request %d is %+v, want %+v", i, got[i], want[i])
	}
}

// TestWrites gives write commands and streams to the adapter; the model of the
// shell takes what it requests, and tells when it is in memory.
func TestWrites(t *testing.T) { paced(t, writes) }

func writes(t *testing.T, b *block.Bench, p pace, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 12))
	in := &source{b: b, prefix: "s_axis_s2mm_", idle: p.data, keep: true}
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
	told := newPromise(commands)
	type owed struct {
		request
		left, wait int
	}
	due := map[bool][]*owed{}
	var asked []request
	var statuses []uint64
	next, on := 0, false
	for cycle := 0; len(statuses) < len(commands); cycle++ {
		if cycle > 200_000 {
			t.Fatalf("%d of %d statuses have come, %d requests", len(statuses), len(commands), len(asked))
		}
		if !on {
			on = next < len(commands) && r.IntN(100) >= p.command
		}
		b.Set("s_axis_s2mm_cmd_tvalid", flag(on))
		if on {
			commands[next].pack(b, "s_axis_s2mm_cmd_tdata")
			b.Set("s_axis_s2mm_cmd_tdest", commands[next].memory)
		}
		takes, statusReady := r.IntN(100) >= p.shell, r.IntN(100) >= p.status
		b.Set("wr_ready", flag(takes))
		b.Set("m_axis_s2mm_sts_tready", flag(statusReady))
		in.before(r)
		for _, host := range []bool{false, true} {
			out[host].before(r)
			pin := map[bool]string{false: "wr_card_done", true: "wr_host_done"}[host]
			b.Set(pin, 0)
			if q := due[host]; len(q) > 0 && q[0].left == 0 {
				if q[0].wait == 0 {
					b.Set(pin, 1)
					told.done[host]++
					due[host] = q[1:]
				} else {
					q[0].wait--
				}
			}
		}
		b.Step()
		if on && b.Is("s_axis_s2mm_cmd_tready") {
			next, on = next+1, false
		}
		in.after()
		if takes && b.Is("wr_valid") {
			q := requestOf(b, "wr_data")
			asked = append(asked, q)
			due[q.strm == 1] = append(due[q.strm == 1], &owed{q, int(q.len+beatBytes-1) / beatBytes, r.IntN(1 + p.late)})
		}
		for _, host := range []bool{false, true} {
			before := len(out[host].got)
			out[host].after(t)
			if len(out[host].got) > before {
				done := false
				for _, q := range due[host] {
					if q.left > 0 {
						q.left--
						done = true
						if x := out[host].got[before]; x.last != (q.left == 0) {
							t.Fatalf("TLAST is %t with %d beats left of %+v", x.last, q.left, q.request)
						}
						break
					}
				}
				if !done {
					t.Fatal("data came before their request, or without one")
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
	compareRequests(t, asked, wantAsked)
	for host, want := range wantOut {
		got := out[host].got
		assert.Assert(t, len(got) == len(want), "host %t: %d beats, want %d", host, len(got), len(want))
		for i := range want {
			assert.Assert(t, got[i] == want[i], "host %t: beat %d is %+v, want %+v", host, i, got[i], want[i])
		}
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
