package coyote_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const memoryStream = 3

func rdma(t *testing.T) *block.Bench {
	return module(t, "coyote_rdma", map[string]string{"STREAM": fmt.Sprint(memoryStream)})
}

// sent is a word of the engine's send queue (contracts/kernels.md) with its data.
type sent struct {
	opcode, pair, host, length, vaddr uint64
	data                              []byte
}

// expressible tells whether the shell has bits for it.
func (s sent) expressible() bool {
	return (s.opcode == 1 || s.opcode == 2) && s.pair < 1<<10 && s.host < 2 && s.length < 1<<28 && s.vaddr < 1<<48
}

func TestSends(t *testing.T) {
	b := rdma(t)
	for name, p := range paces {
		t.Run(name, func(t *testing.T) { sends(t, b, p) })
	}
}

func sends(t *testing.T, b *block.Bench, p pace) {
	b.Reset()
	r := rand.New(rand.NewPCG(3, 13))
	in := source(b, "s_axis_tx_data_", p.data, false)
	var words []sent
	for i := range 80 {
		s := sent{opcode: 1 + uint64(i%2), pair: uint64(r.IntN(1 << 10)), length: 1 + uint64(r.IntN(500))}
		if s.opcode == 1 {
			s.host, s.vaddr = uint64(r.IntN(2)), r.Uint64()>>16
		}
		switch r.IntN(10) {
		case 0:
			s.length = uint64(beatBytes * (1 + r.IntN(4)))
		case 1:
			s.opcode = uint64(r.IntN(256))
		case 2:
			s.pair |= 1 << (10 + r.IntN(6))
		case 3:
			s.vaddr |= 1 << (48 + r.IntN(16))
		case 4:
			s.host = uint64(r.IntN(256))
		}
		s.data = block.RandomBytes(r, int(s.length))
		in.queue = append(in.queue, cut(s.data, true)...)
		words = append(words, s)
	}
	out := []*sink{{b: b, prefix: "rreq_send_0_", stall: p.shell}, {b: b, prefix: "rreq_send_1_", stall: p.shell}}
	given := &offers[sent]{b: b, valid: "s_axis_rdma_sq_tvalid", ready: "s_axis_rdma_sq_tready", idle: p.command,
		queue: words, put: func(s sent) {
			b.Pack("s_axis_rdma_sq_tdata", block.Field{Width: 8, Value: s.opcode}, block.Field{Width: 16, Value: s.pair},
				block.Field{Width: 8, Value: s.host}, block.Field{Width: 32, Value: s.length},
				block.Field{Width: 64, Value: s.vaddr})
		}}
	var asked []request
	for cycle := 0; len(given.queue) > 0 || len(in.queue) > 0 || cycle%64 != 0; cycle++ {
		assert.Assert(t, cycle <= 200_000,
			"%d of %d words and %d beats are left", len(given.queue), len(words), len(in.queue))
		given.before(r)
		takes := r.IntN(100) >= p.shell
		b.Set("send_ready", flag(takes))
		in.before(r)
		for _, o := range out {
			o.before(r)
		}
		b.Step()
		in.after()
		for _, o := range out {
			o.after(t)
		}
		given.after()
		if takes && b.Is("send_valid") {
			asked = append(asked, requestOf(b, "send_data"))
		}
	}
	for range 400 {
		for _, o := range out {
			o.before(r)
		}
		b.Step()
		for _, o := range out {
			o.after(t)
		}
	}
	var wantAsked []request
	want := [2][]beat{}
	for _, s := range words {
		if !s.expressible() {
			continue
		}
		wantAsked = append(wantAsked, request{opcode: s.opcode, strm: 2, vfid: s.pair >> 6, pid: s.pair & 63, dest: s.host,
			last: 1, vaddr: s.vaddr, len: s.length})
		want[s.host] = append(want[s.host], cut(s.data, true)...)
	}
	compare(t, "requests", asked, wantAsked)
	for i := range want {
		compareBeats(t, out[i].prefix, out[i].got, want[i])
	}
}

// compareBeats compares the bytes that TKEEP does not leave out.
func compareBeats(t *testing.T, what string, got, want []beat) {
	t.Helper()
	for i := range got {
		got[i] = got[i].kept()
	}
	compare(t, "beats, "+what, got, want)
}

// Opcodes of packets (InfiniBand Architecture Specification, "OpCodes" of reliable
// connections), and what they are here.
var packets = map[uint64]string{0x0: "send", 0x1: "send", 0x2: "send", 0x4: "send", 0x6: "write", 0x7: "write",
	0x8: "write", 0xA: "write",
	0xC: "", 0xD: "", 0xE: "", 0xF: "", 0x10: "", 0x11: "", 0x3: "", 0x5: "", 0x1F: ""}

func TestReceives(t *testing.T) {
	b := rdma(t)
	for name, p := range paces {
		t.Run(name, func(t *testing.T) { receives(t, b, p) })
	}
}

type note struct{ session, length uint64 }

func receives(t *testing.T, b *block.Bench, p pace) {
	b.Reset()
	r := rand.New(rand.NewPCG(4, 14))
	var opcodes []uint64
	for o := range uint64(32) {
		if _, ok := packets[o]; ok {
			opcodes = append(opcodes, o)
		}
	}
	in := []*offers[beat]{source(b, "rrsp_recv_0_", p.shell, false), source(b, "rrsp_recv_1_", p.shell, false)}
	var told []request
	var wantNotes []note
	var wantAsked []request
	var wantEngine, wantCard, wantHost []beat
	for range 120 {
		q := request{opcode: opcodes[r.IntN(len(opcodes))], strm: 2, vfid: uint64(r.IntN(16)), pid: uint64(r.IntN(64)),
			dest: uint64(r.IntN(2)),
			last: uint64(r.IntN(2)), vaddr: r.Uint64() >> 16, len: 1 + uint64(r.IntN(400))}
		if r.IntN(12) == 0 {
			q.len = 0
		}
		told = append(told, q)
		kind := packets[q.opcode]
		if kind == "" || q.len == 0 {
			continue
		}
		data := block.RandomBytes(r, int(q.len))
		beats := cut(data, true)
		in[q.dest].queue = append(in[q.dest].queue, beats...)
		switch {
		case kind == "send":
			wantNotes = append(wantNotes, note{q.vfid<<6 | q.pid, q.len})
			wantEngine = append(wantEngine, beats...)
		default:
			wantAsked = append(wantAsked, request{opcode: 2, strm: q.dest, dest: memoryStream, last: q.last,
				vaddr: q.vaddr, len: q.len})
			if q.dest == 1 {
				wantHost = append(wantHost, beats...)
			} else {
				wantCard = append(wantCard, beats...)
			}
		}
	}
	engine := &sink{b: b, prefix: "m_axis_rx_data_", stall: p.data}
	host, card := &sink{b: b, prefix: "host_send_", stall: p.shell}, &sink{b: b, prefix: "card_send_", stall: p.shell}
	var notes []note
	var asked []request
	given := &offers[request]{b: b, valid: "rq_wr_valid", ready: "rq_wr_ready", idle: p.command, queue: told,
		put: func(q request) { q.pack(b, "rq_wr_data") }}
	quiet := 0
	for cycle := 0; quiet < 400; cycle++ {
		assert.Assert(t, cycle <= 200_000, "%d of %d requests are left", len(given.queue), len(told))
		given.before(r)
		takes, noteReady := r.IntN(100) >= p.shell, r.IntN(100) >= p.status
		b.Set("write_ready", flag(takes))
		b.Set("m_axis_notification_tready", flag(noteReady))
		for _, s := range in {
			s.before(r)
		}
		for _, s := range []*sink{engine, host, card} {
			s.before(r)
		}
		b.Step()
		given.after()
		for _, s := range in {
			s.after()
		}
		for _, s := range []*sink{engine, host, card} {
			s.after(t)
		}
		if takes && b.Is("write_valid") {
			asked = append(asked, requestOf(b, "write_data"))
		}
		if noteReady && b.Is("m_axis_notification_tvalid") {
			v := b.Unpack("m_axis_notification_tdata", 32, 16, 16)
			notes = append(notes, note{v[2], v[0]})
		}
		if len(given.queue)+len(in[0].queue)+len(in[1].queue) == 0 {
			quiet++
		}
	}
	compare(t, "requests", asked, wantAsked)
	compare(t, "notifications", notes, wantNotes)
	compareBeats(t, "engine", engine.got, wantEngine)
	compareBeats(t, "host", host.got, wantHost)
	compareBeats(t, "card", card.got, wantCard)
}

// What remote ranks read passes through.
func TestRemoteReads(t *testing.T) {
	b := rdma(t)
	b.Reset()
	r := rand.New(rand.NewPCG(5, 15))
	for i := range 50 {
		q := request{opcode: 0xC, strm: 2, vfid: 3, pid: uint64(r.IntN(64)), dest: uint64(i % 2), last: uint64(r.IntN(2)),
			vaddr: r.Uint64() >> 16, len: uint64(r.IntN(1 << 28))}
		b.Set("rq_rd_valid", 1)
		q.pack(b, "rq_rd_data")
		want := request{opcode: 1, strm: q.dest, dest: memoryStream, last: q.last, vaddr: q.vaddr, len: q.len}
		for taken := false; !taken; { // it stays until then
			taken = r.IntN(2) == 0
			b.Set("read_ready", flag(taken))
			b.Step()
			if got := requestOf(b, "read_data"); !b.Is("read_valid") || b.Is("rq_rd_ready") != taken || got != want {
				t.Fatalf("request %+v becomes %+v (%t, %t), want %+v", q, got, b.Is("read_valid"), b.Is("rq_rd_ready"), want)
			}
		}
	}
}
