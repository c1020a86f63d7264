package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// loop stands for the engine itself among sessions.
const loop = 1 << 16

const nobody = ^uint64(0)

type operation struct { // as in the shell
	session, record, bytes                                     uint32
	self, headed, counted, numbered, written, good, abandon, _ uint8
	header                                                     [64]byte
}

type options struct { // as in the shell
	writePauses, commitPauses, stalls, holds, drops, verdictPauses, carryPauses, heldSession uint64
}

type event struct { // as in the shell
	kind, session, loop, bytes, cycle, address uint64
}

const (
	sent = iota
	sentWrite
	received
	dropped
	closed
)

// bench is both sides of the network with the stack of a platform.
type bench struct {
	t      *testing.T
	d      *design.Design
	header *abi.Layout
	handle uintptr
	lossy  bool
	rdma   bool
	slot   int // bytes of the largest packet

	delete  func(b uintptr)
	options func(b uintptr, o *options)
	enable  func(b uintptr, on uint64)
	carry   func(b uintptr, on uint64)
	add     func(b uintptr, o *operation, payload *byte)
	shape   func(b uintptr, latency, jitter, pauses, refusals, seed uint64)
	window  func(b uintptr, session, bytes uint64)
	close   func(b uintptr, session uint64)
	push    func(b uintptr, session uint64, data *byte, bytes uint64) uint64
	cycle   func(b uintptr) uint64
	run     func(b uintptr, events, cycles uint64) int64
	fault   func(b uintptr, text *byte, size uint64) uint64
	event   func(b uintptr, e *event, data *byte) uint64
	reset   func(b uintptr, limit uint64) uint64
}

func newBench(t *testing.T, platform string, seed uint64) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := verilate.Available(ctx); errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	all, err := verilate.Sources(ctx, platform, "ccl_offload", "sim")
	assert.NilError(t, err)
	_, file, _, _ := runtime.Caller(0)
	here := filepath.Dir(file)
	shell := filepath.Join(here, "..", "..", "..", "rtlsim", "shell", "network.cpp")
	sources, err := block.Needed(append(all, filepath.Join(here, "shell", "network_bench.sv")), "network_bench")
	assert.NilError(t, err)
	d := designtest.Load(t, platform, nil)
	kind := d.Platform.POEs[0].Kind
	b := &bench{t: t, d: d, header: d.ABI().Layout(abi.MessageHeader), lossy: kind == "udp", rdma: kind == "rdma"}
	var create func(seed uint64) uintptr
	assert.NilError(t, verilate.Build{
		Top: "network_bench", Sources: sources,
		Shell: []string{filepath.Join(here, "shell", "network_bench.cpp"), shell}, Careful: true,
	}.Bind(ctx, "bench_", map[string]any{
		"new": &create, "delete": &b.delete, "options": &b.options, "enable": &b.enable, "carry": &b.carry, "add": &b.add,
		"shape": &b.shape, "window": &b.window, "close": &b.close, "push": &b.push, "cycle": &b.cycle, "run": &b.run,
		"error": &b.fault, "event": &b.event, "reset": &b.reset,
	}))
	for _, c := range d.ABI().Constants {
		if c.Name == "max_packet_bytes" {
			b.slot = int(c.Value)
		}
	}
	b.handle = create(seed)
	t.Cleanup(func() { b.delete(b.handle) })
	b.enable(b.handle, 1)
	b.options(b.handle, &options{heldSession: nobody})
	return b
}

// put sets a field of a header, if the generation has it.
func (b *bench) put(to *[64]byte, name string, v uint64) {
	for _, f := range b.header.Fields {
		for i := range f.Bits() {
			if f.Name == name {
				to[(f.Low+i)/8] = to[(f.Low+i)/8]&^(1<<((f.Low+i)%8)) | byte(v>>i&1)<<((f.Low+i)%8)
			}
		}
	}
}

func (b *bench) messageType(name string) (uint64, bool) {
	e := b.d.ABI().Enum("message_type")
	if e == nil || e.Value(name) == nil {
		return 0, false
	}
	return uint64(e.Value(name).Value), true
}

// chunk is what the network is expected to be given at once.
type chunk struct {
	data    []byte
	write   bool
	address uint64
	host    bool
}

// script is what the engine sends, and the reference of what becomes of it.
type script struct {
	b        *bench
	r        *rand.Rand
	expected map[uint32][]chunk // by session
	records  map[uint32]uint64
	numbers  map[uint32]uint64
}

func newScript(b *bench, seed uint64) *script {
	return &script{b, rand.New(rand.NewPCG(seed, 5)), map[uint32][]chunk{}, map[uint32]uint64{}, map[uint32]uint64{}}
}

func random(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func (s *script) give(o operation, payload []byte) {
	first := new(byte)
	if len(payload) > 0 {
		first = &payload[0]
	}
	o.bytes = uint32(len(payload))
	s.b.add(s.b.handle, &o, first)
}

// message sends one of a random kind: the data path may fault in the middle of
// it, upon which the rest is abandoned.
func (s *script) message(key uint32) {
	size := 0
	switch s.r.IntN(5) {
	case 0:
		size = s.r.IntN(200)
	case 1:
		size = s.b.slot - 64 - s.r.IntN(70)
	case 2, 3:
		size = s.r.IntN(3 * s.b.slot)
	}
	kind := s.r.IntN(8)
	s.sized(key, kind, size, s.r.IntN(10) == 0)
}

func (s *script) sized(key uint32, kind, size int, fault bool) {
	b := s.b
	o := operation{session: key, self: b2u(key == loop), headed: 1, good: 1, record: 0x100 + 32*key}
	if key == loop {
		o.session = uint32(s.r.IntN(8))
	}
	dst := uint64(o.session)
	var h [64]byte
	if b.lossy {
		size = min(size, b.slot-64)
	}
	count := uint64(size)
	typed := ""
	switch {
	case kind == 0: // a put
		b.put(&h, "strm", uint64(1+s.r.IntN(100)))
	case kind == 1:
		typed = "rendezvous_data"
	case kind == 2:
		typed = "rendezvous_announcement"
	default:
		o.counted = 1
	}
	if typed != "" {
		t, ok := b.messageType(typed)
		if !ok {
			return
		}
		b.put(&h, "msg_type", t)
		b.put(&h, "seq", s.r.Uint64())
		b.put(&h, "vaddr", s.r.Uint64())
		b.put(&h, "host", uint64(s.r.IntN(2)))
		size = min(size, b.slot-64)
		if kind == 2 {
			size, count = 0, uint64(s.r.IntN(1000))
			o.numbered = b2u(b.lossy && key != loop) // numbers are those of a session, the loop has an order of its own
		} else {
			size = max(size, 1)
			count = uint64(size)
			o.written = b2u(b.rdma && key != loop)
		}
	}
	b.put(&h, "count", count)
	b.put(&h, "tag", s.r.Uint64())
	b.put(&h, "src", s.r.Uint64())
	b.put(&h, "dst", dst)
	b.put(&h, "comm_context", s.r.Uint64())
	o.header = h

	var pieces [][]byte
	left := random(s.r, size)
	pieces = append(pieces, left[:min(len(left), b.slot-64)])
	for left = left[len(pieces[0]):]; len(left) > 0; {
		n := min(len(left), b.slot)
		pieces = append(pieces, left[:n])
		left = left[n:]
	}
	bad := len(pieces)
	if fault {
		bad = s.r.IntN(len(pieces))
	}
	out := 0
	for i, p := range pieces {
		piece := o
		piece.good = b2u(i < bad)
		if i > 0 {
			piece.headed, piece.counted = 0, 0
		}
		s.give(piece, p)
		if i >= bad {
			continue
		}
		out += len(p)
		wire := p
		if i == 0 {
			if o.counted != 0 {
				b.put(&h, "seq", s.records[key])
				s.records[key]++
			}
			if o.numbered != 0 {
				b.put(&h, "seq", s.numbers[o.session])
				s.numbers[o.session]++
			}
			wire = slices.Concat(h[:], p)
		}
		c := chunk{data: wire}
		if o.written != 0 {
			c = chunk{data: p, write: true}
			for _, f := range b.header.Fields {
				v := uint64(0)
				for k := range f.Bits() {
					v |= uint64(h[(f.Low+k)/8]>>((f.Low+k)%8)&1) << k
				}
				switch f.Name {
				case "vaddr":
					c.address = v
				case "host":
					c.host = v != 0
				}
			}
		}
		s.expected[key] = append(s.expected[key], c)
	}
	if bad < len(pieces) {
		s.give(operation{session: o.session, self: o.self, abandon: 1}, nil)
		for rest := size - out; bad > 0 && rest > 0; {
			n := min(rest, b.slot)
			s.expected[key] = append(s.expected[key], chunk{data: bytes.Repeat([]byte{0xFF}, n)})
			rest -= n
		}
	}
}

func b2u(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

// traffic is what has happened: what was sent, and what was received in the order
// of verdicts.
type traffic struct {
	sent     map[uint32][]chunk
	received map[uint32][]arrival
	closed   []uint64
	last     uint64 // cycle of the last event
}

type arrival struct {
	event
	data []byte
}

func newTraffic() *traffic {
	return &traffic{sent: map[uint32][]chunk{}, received: map[uint32][]arrival{}}
}

// events runs until there are so many events, and reads them.
func (b *bench) events(tr *traffic, count int, cycles uint64) int {
	b.t.Helper()
	n := b.run(b.handle, uint64(count), cycles)
	if n < 0 {
		text := make([]byte, 200)
		b.t.Fatalf("cycle %d: %s", b.cycle(b.handle), text[:b.fault(b.handle, &text[0], uint64(len(text)))])
	}
	var e event
	data := make([]byte, 1<<16)
	got := 0
	for ; b.event(b.handle, &e, &data[0]) != 0; got++ {
		d := bytes.Clone(data[:e.bytes])
		tr.last = e.cycle
		switch e.kind {
		case sent, sentWrite:
			tr.sent[uint32(e.session)] = append(tr.sent[uint32(e.session)],
				chunk{d, e.kind == sentWrite, e.address, e.loop != 0})
		case received, dropped:
			key := uint32(e.session)
			if e.loop != 0 {
				key = loop
			}
			tr.received[key] = append(tr.received[key], arrival{e, d})
		case closed:
			tr.closed = append(tr.closed, e.session)
		}
	}
	return got
}

// count is how many events a script brings about.
func (s *script) count(keys ...uint32) (n int) {
	for key, list := range s.expected {
		if len(keys) > 0 && !slices.Contains(keys, key) {
			continue
		}
		for _, c := range list {
			switch {
			case key == loop || c.write:
				n++
			default:
				n += 2
			}
		}
	}
	return n
}

// check compares what has happened with the reference.
func (s *script) check(tr *traffic) {
	t := s.b.t
	t.Helper()
	for key, want := range s.expected {
		got := tr.sent[key]
		if key == loop {
			got = want
		}
		assert.Assert(t, len(got) == len(want), "session %d: %d chunks were sent, not %d", key, len(got), len(want))
		var back []chunk
		for i := range want {
			if key != loop {
				s.same(fmt.Sprintf("session %d, chunk %d", key, i), got[i], want[i])
			}
			if !want[i].write {
				back = append(back, got[i])
			}
		}
		arrived := tr.received[key]
		slices.SortFunc(arrived, func(a, b arrival) int { return int(a.address) - int(b.address) })
		assert.Assert(t, len(arrived) == len(back),
			"session %d: %d packets were received, not %d", key, len(arrived), len(back))
		for i, a := range arrived {
			want := back[i].data
			if a.kind == dropped {
				want = want[:min(64, len(want))]
			}
			assert.Assert(t, bytes.Equal(a.data, want),
				"session %d, packet %d of %d bytes: other data were received\n%x\n%x", key, i, len(want), a.data, want)
		}
	}
	for key := range tr.sent {
		assert.Assert(t, s.expected[key] != nil, "session %d: something was sent", key)
	}
}

func (s *script) same(where string, got, want chunk) {
	s.b.t.Helper()
	data := got.data
	if s.b.lossy {
		if len(data)%64 != 0 || len(data)-len(want.data) >= 64 || len(data) < len(want.data) {
			s.b.t.Fatalf("%s: %d bytes for %d", where, len(data), len(want.data))
		}
		data = data[:len(want.data)]
	}
	if got.write != want.write || got.address != want.address || want.write && got.host != want.host {
		s.b.t.Fatalf("%s: goes to %v %#x %v, not %v %#x %v", where, got.write, got.address, got.host, want.write,
			want.address, want.host)
	}
	if !bytes.Equal(data, want.data) {
		n := 0
		for n < min(len(data), len(want.data)) && data[n] == want.data[n] {
			n++
		}
		s.b.t.Fatalf("%s: %d bytes, not %d; they differ from %d on", where, len(data), len(want.data), n)
	}
}

// allPlatforms are one for each interface version and stack; a sample has the stacks of the newest version.
var allPlatforms = nightly.Of(stacks, append(slices.Clip(stacks), "u280_2022", "u280_manual"))

var stacks = []string{"u55c_tcp", "u55c_udp", "u55c_rdma"}

var keys = []uint32{0, 1, 2, 3, 517, 1023, loop}

func TestEverythingArrivesOnceAndInOrder(t *testing.T) {
	for _, name := range allPlatforms {
		t.Run(name, func(t *testing.T) {
			for seed := range nightly.Of[uint64](2, 4) {
				t.Logf("seed %d", seed)
				b := newBench(t, name, seed)
				r := rand.New(rand.NewPCG(seed, 3))
				b.shape(b.handle, r.Uint64N(60), r.Uint64N(60), r.Uint64N(400)*(seed%2), r.Uint64N(300), seed)
				b.options(b.handle, &options{
					writePauses: r.Uint64N(128), commitPauses: r.Uint64N(128), stalls: r.Uint64N(128) * (seed % 2),
					holds: r.Uint64N(128),
					drops: r.Uint64N(40), verdictPauses: r.Uint64N(200), carryPauses: r.Uint64N(200), heldSession: nobody,
				})
				s := newScript(b, seed)
				for range 150 {
					s.message(keys[s.r.IntN(len(keys))])
				}
				tr := newTraffic()
				total := s.count()
				b.events(tr, total, 2_000_000)
				b.events(tr, total, 3000)
				s.check(tr)
			}
		})
	}
}

func TestARefusedSessionHoldsUpNoOther(t *testing.T) {
	b := newBench(t, "u55c_tcp", 0)
	const refused = 517
	b.window(b.handle, refused, 0)
	s := newScript(b, 0)
	for range 100 {
		s.message(keys[s.r.IntN(len(keys))])
	}
	tr := newTraffic()
	others := slices.DeleteFunc(slices.Clone(keys), func(k uint32) bool { return k == refused })
	if n := b.events(tr, s.count(others...), 100_000); n != s.count(others...) {
		t.Fatalf("%d events of the other sessions, not %d", n, s.count(others...))
	}
	assert.Assert(t, len(tr.sent[refused]) <= 0, "the session was not refused")
	b.window(b.handle, refused, 1<<20)
	b.events(tr, s.count(refused), 100_000)
	s.check(tr)
}

func TestAHeldSessionHoldsUpNoOther(t *testing.T) {
	b := newBench(t, "u55c_tcp", 0)
	const held = 3
	b.options(b.handle, &options{heldSession: held})
	s := newScript(b, 1)
	for range 200 {
		s.message(keys[s.r.IntN(len(keys))])
	}
	tr := newTraffic()
	others := slices.DeleteFunc(slices.Clone(keys), func(k uint32) bool { return k == held })
	b.events(tr, s.count(), 60_000)
	for _, key := range others {
		if want := len(s.expected[key]); len(tr.received[key]) != want {
			t.Errorf("session %d: %d packets were received, not %d", key, len(tr.received[key]), want)
		}
	}
	assert.Assert(t, len(tr.received[held]) <= 0, "the session was not held")
	b.options(b.handle, &options{heldSession: nobody})
	b.events(tr, s.count(), 60_000)
	s.check(tr)
}

func TestABeatACycle(t *testing.T) {
	for _, name := range stacks {
		for _, latency := range []uint64{0, 20} {
			for _, to := range [][]uint32{{1}, {1, 2, 3}, {loop}} {
				b := newBench(t, name, 0)
				b.shape(b.handle, latency, 0, 0, 0, 0)
				b.events(newTraffic(), 1, 2100) // tables are cleared
				s := newScript(b, 0)
				const packets = 100
				for i := range packets {
					s.sized(to[i%len(to)], 3, b.slot-64, false)
				}
				from := b.cycle(b.handle)
				tr := newTraffic()
				b.events(tr, s.count(), 1_000_000)
				s.check(tr)
				cycles := float64(tr.last-from) / float64(packets*b.slot/64)
				t.Logf("%s, latency %d, to %v: %.3f cycles a beat, through and back", name, latency, to, cycles)
				if limit := map[bool]float64{false: 1.1, true: 1.2}[to[0] == loop]; cycles > limit {
					t.Errorf("%s, latency %d, to %v: %.3f cycles a beat", name, latency, to, cycles)
				}
			}
		}
	}
}

// A reset forgets what was to be sent and what has come; what is sent later goes
// as if nothing had been.
func TestResetsAtAnyMoment(t *testing.T) {
	for _, name := range allPlatforms {
		t.Run(name, func(t *testing.T) {
			for seed := range nightly.Of[uint64](1, 3) {
				t.Logf("seed %d", seed)
				b := newBench(t, name, seed)
				r := rand.New(rand.NewPCG(seed, 4))
				b.shape(b.handle, r.Uint64N(60), r.Uint64N(60), r.Uint64N(400), r.Uint64N(300), seed)
				b.options(b.handle, &options{
					writePauses: r.Uint64N(128), stalls: r.Uint64N(128), holds: r.Uint64N(128), verdictPauses: r.Uint64N(128),
					heldSession: nobody,
				})
				for round := range 4 {
					s := newScript(b, seed*100+uint64(round))
					for range 60 {
						s.message(keys[s.r.IntN(len(keys))])
					}
					b.events(newTraffic(), s.count(), 2100*b2n(round == 0)+r.Uint64N(8000))
					if n := b.reset(b.handle, 70_000); n >= 70_000 {
						t.Fatalf("round %d: the reset does not end", round)
					}
					b.enable(b.handle, 1)
				}
				// What the stack was promised may still go, then messages that were
				// under way are filled up. Later ones follow.
				s := newScript(b, seed)
				b.events(newTraffic(), 1<<30, 5000)
				for _, key := range keys {
					for range 5 {
						s.sized(key, 0, s.r.IntN(2*b.slot), false)
					}
				}
				tr := newTraffic()
				b.events(tr, 1<<30, 60_000)
				for _, key := range keys {
					if drop := len(tr.sent[key]) - len(s.expected[key]); key != loop && drop > 0 {
						for _, c := range tr.sent[key][:drop] {
							if !bytes.Equal(c.data, bytes.Repeat([]byte{0xFF}, len(c.data))) {
								t.Errorf("session %d: %x...", key, c.data[:min(len(c.data), 64)])
							}
						}
						tr.sent[key] = tr.sent[key][drop:]
					}
					if drop := len(tr.received[key]) - len(s.expected[key]); drop > 0 {
						tr.received[key] = tr.received[key][drop:]
					}
				}
				s.check(tr)
			}
		})
	}
}

func b2n(v bool) uint64 { return uint64(b2u(v)) }

func TestAClosedSessionIsToldBehindItsData(t *testing.T) {
	b := newBench(t, "u55c_tcp", 0)
	tr := newTraffic()
	r := rand.New(rand.NewPCG(0, 6))
	var want [][]byte
	for range 6 {
		p := random(r, 64+r.IntN(1000))
		want = append(want, p)
		if b.push(b.handle, 7, &p[0], uint64(len(p))) == 0 {
			t.Fatal("there is no room")
		}
	}
	b.close(b.handle, 7)
	b.options(b.handle, &options{heldSession: 7})
	b.events(tr, 1, 5000)
	assert.Assert(t, len(tr.closed) <= 0, "the session is said to be closed before its data were taken")
	b.options(b.handle, &options{heldSession: nobody})
	b.events(tr, len(want)+1, 5000)
	if !slices.Equal(tr.closed, []uint64{7}) || len(tr.received[7]) != len(want) {
		t.Fatalf("closed: %v, after %d packets", tr.closed, len(tr.received[7]))
	}
	for i, a := range tr.received[7] {
		assert.Check(t, bytes.Equal(a.data, want[i]), "packet %d has other data", i)
	}
}
