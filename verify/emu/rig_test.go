package emu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	testComm    = 0x400 // offset of the communicator from the exchange memory's base
	testContext = 0xC0FFEE
	testTag     = 7
	rxBytes     = 4096
	rxAddress   = 0x4000_0000
)

// rig is an engine without firmware: the test is the processor, and lets the
// engine take its turns.
type rig struct {
	*Engine
	t    testing.TB
	rank int
	comm uint32
	sees []Move
}

// world is some engines on one network, and ports that the test holds itself.
type world struct {
	t    testing.TB
	rigs []*rig
	net  *fabric.Net
	raw  []fabric.Port // after the engines
}

func ip(rank int) uint32 { return 0x0A000001 + uint32(rank) }

type worldOptions struct {
	platform string
	vars     map[string]cty.Value
	engines  int
	raw      int
	buffers  int
	engine   Options
	net      fabric.Options
	design   *design.Design
}

func kindOf(d *design.Design) fabric.Kind {
	switch d.Platform.POEs[0].Kind {
	case "udp":
		return fabric.UDP
	case "rdma":
		return fabric.RDMA
	}
	return fabric.TCP
}

// newWorld makes engines that are configured: a communicator of all, rx
// buffers, the network enabled.
func newWorld(t testing.TB, o worldOptions) *world {
	t.Helper()
	if o.platform == "" {
		o.platform = "u55c_tcp"
	}
	d := o.design
	if d == nil {
		d = designtest.Load(t, o.platform, o.vars)
	}
	w := &world{t: t, net: fabric.NewNet(kindOf(d), o.net)}
	all := o.engines + o.raw
	for rank := range all {
		port, session, err := w.net.Port(ip(rank), 5000)
		assert.NilError(t, err)
		assert.Assert(t, int(session) == rank, "rank %d has session %d", rank, session)
		t.Cleanup(func() { port.Close() })
		if rank >= o.engines {
			w.raw = append(w.raw, port)
			continue
		}
		eo := o.engine
		r := &rig{t: t, rank: rank}
		eo.OnMove = func(m Move) { r.sees = append(r.sees, m) }
		r.Engine, err = assemble(d, port, eo)
		assert.NilError(t, err)
		port.Notify(func() { r.waker.tell(signalNetwork) })
		w.rigs = append(w.rigs, r)
		r.configure(all, o.buffers)
	}
	return w
}

// newRig makes a world for tests of its first engine, which is the only one unless they say otherwise.
func newRig(t testing.TB, o worldOptions) (*world, *rig) {
	t.Helper()
	o.engines = max(o.engines, 1)
	w := newWorld(t, o)
	return w, w.rigs[0]
}

// configure fills the exchange memory as a host does, and posts rx buffers.
func (r *rig) configure(ranks, buffers int) {
	x, c := r.exchange, &r.n.comm
	r.comm = x.Base + testComm
	x.Set(r.comm+c.Size, uint32(ranks))
	x.Set(r.comm+c.LocalRank, uint32(r.rank))
	for i := range ranks {
		x.Set(r.record(i)+c.Session, uint32(i))
		x.Set(r.record(i)+c.inbound, 0)
		x.Set(r.record(i)+c.outbound, 0)
	}
	for i := range buffers {
		r.set64("rx", "address", rxAddress+uint64(i)*rxBytes)
		r.set("rx", "bytes", rxBytes)
		r.set("rx", "enqueue", r.rxRecord(i))
	}
	r.set("network", "control", 1)
	r.set("move", "comm", r.comm)
	r.set("move", "comm_context", testContext)
	r.set("move", "tag", testTag)
}

// record is the offset of a rank's record in the communicator.
func (r *rig) record(rank int) uint32 {
	return r.comm + r.n.comm.Records + uint32(rank)*r.n.comm.RecordBytes
}

func (r *rig) rxRecord(i int) uint32 {
	return r.exchange.Base + 8 + uint32(i)*r.n.rx.recordBytes
}

func (r *rig) address(mapName, name string) uint32 {
	r.t.Helper()
	m := r.d.ABI().RegisterMap(mapName)
	register := m.Register(name)
	if register == nil {
		r.t.Fatalf("there is no register %s.%s", mapName, name)
	}
	return m.Base + register.At
}

func (r *rig) set(mapName, name string, v uint32) {
	r.t.Helper()
	assert.NilError(r.t, r.bus.Store(r.address(mapName, name), 4, v), "%s.%s", mapName, name)
}

func (r *rig) set64(mapName, name string, v uint64) {
	r.t.Helper()
	at := r.address(mapName, name)
	for i, half := range []uint32{uint32(v), uint32(v >> 32)} {
		assert.NilError(r.t, r.bus.Store(at+4*uint32(i), 4, half), "%s.%s", mapName, name)
	}
}

func (r *rig) get(mapName, name string) uint32 {
	r.t.Helper()
	v, err := r.bus.Load(r.address(mapName, name), 4)
	assert.NilError(r.t, err, "%s.%s", mapName, name)
	return v
}

func (r *rig) get64(mapName, name string) uint64 {
	r.t.Helper()
	at := r.address(mapName, name)
	low, err := r.bus.Load(at, 4)
	assert.NilError(r.t, err)
	high, err := r.bus.Load(at+4, 4)
	assert.NilError(r.t, err)
	return uint64(low) | uint64(high)<<32
}

// control composes a control word from the fields of the layout and values of
// the enums: "op0=memory", "op0_host=1".
func (r *rig) control(fields ...string) uint32 {
	r.t.Helper()
	enums := map[string]string{
		"op0": "move_operand", "op1": "move_operand", "result": "move_result",
		"op0_step": "move_step", "op1_step": "move_step", "result_step": "move_step",
		"message_type": "message_type",
	}
	var v uint32
	g := r.d.ABI()
	for _, f := range fields {
		name, value, given := strings.Cut(f, "=")
		if !given {
			value = "1"
		}
		var code uint32
		if enum, ok := enums[name]; ok {
			code = g.Enum(enum).Value(value).Value
		} else if _, err := fmt.Sscan(value, &code); err != nil {
			r.t.Fatalf("%s: %v", f, err)
		}
		field := g.Layout("move_control").Field(name)
		if field == nil {
			r.t.Fatalf("there is no field %s", name)
		}
		v |= code << field.Low
	}
	return v
}

// issue issues a move and lets the engine begin.
func (r *rig) issue(fields ...string) { r.t.Helper(); r.set("move", "control", r.control(fields...)) }

// turn is one turn of the engine without its processor.
func (r *rig) turn() bool {
	r.t.Helper()
	r.now = r.clock.now()
	assert.NilError(r.t, r.heed(r.waker.take()))
	busy, err := r.progress()
	assert.NilError(r.t, err)
	return busy
}

// run lets all engines run until none has anything to do.
func (w *world) run() {
	w.t.Helper()
	for range 1_000_000 {
		busy := false
		for _, r := range w.rigs {
			busy = r.turn() || busy
		}
		if !busy {
			return
		}
	}
	w.t.Fatal("the engines do not come to rest")
}

func (r *rig) run() { r.t.Helper(); (&world{t: r.t, rigs: []*rig{r}}).run() }

// later lets time pass.
func (r *rig) later(d time.Duration) { r.clock.start, r.now = r.clock.start.Add(-d), r.now+int64(d) }

// queue is what a queue's registers say.
func (r *rig) queue(i int) (completed, errors uint32) {
	return r.get("move_status", fmt.Sprint("completed_", i)), r.get("move_status", fmt.Sprint("error_", i))
}

// completes fails the test unless queue 0 has completed this many moves and
// has these errors.
func (r *rig) completes(moves, errors uint32) {
	r.t.Helper()
	if c, e := r.queue(0); c != moves || e != errors {
		r.t.Fatalf("rank %d: %d moves completed with errors 0x%X, expected %d with 0x%X", r.rank, c, e, moves, errors)
	}
}

// bit is a bit of the return code, by name.
func (r *rig) bit(name string) uint32 {
	r.t.Helper()
	return r.flag(abi.ReturnCode, name)
}

func (r *rig) event(name string) uint32 {
	r.t.Helper()
	return r.flag("network_event", name)
}

func (r *rig) flag(set, name string) uint32 {
	r.t.Helper()
	bit := r.d.ABI().BitSet(set).Bit(name)
	assert.Assert(r.t, bit != nil, "there is no %s in %s", name, set)
	return 1 << bit.At
}

func (r *rig) write(addr uint64, b []byte) {
	r.t.Helper()
	assert.NilError(r.t, copyIn(r.device, addr, b))
}

func (r *rig) read(addr uint64, n int) []byte {
	r.t.Helper()
	b := make([]byte, n)
	assert.NilError(r.t, copyOut(b, r.device, addr))
	return b
}

// random is n bytes that depend on the seed alone.
func random(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// bitsOf reads the bits high:low of a header, at most 64.
func bitsOf(h [64]byte, high, low int) uint64 {
	var v uint64
	for i := high; i >= low; i-- {
		v = v<<1 | uint64(h[i/8]>>(i%8)&1)
	}
	return v
}

// setBits writes the bits high:low of a header.
func setBits(h *[64]byte, high, low int, v uint64) {
	for i := low; i <= high; i++ {
		h[i/8] = h[i/8]&^(1<<(i%8)) | byte(v>>(i-low)&1)<<(i%8)
	}
}

// head is what a test says about a header; the bit ranges are those of the
// contract.
type head struct {
	count, tag, src, seq, strm, dst uint64
	msgType, host, vaddr, context   uint64
	number, elements, shape, notice uint64
}

func (h head) bytes() (b [64]byte) {
	setBits(&b, 31, 0, h.count)
	setBits(&b, 63, 32, h.tag)
	setBits(&b, 95, 64, h.src)
	setBits(&b, 127, 96, h.seq)
	setBits(&b, 159, 128, h.strm)
	setBits(&b, 175, 160, h.dst)
	setBits(&b, 183, 176, h.msgType)
	setBits(&b, 191, 184, h.host)
	setBits(&b, 255, 192, h.vaddr)
	setBits(&b, 287, 256, h.context)
	setBits(&b, 319, 288, h.number)
	setBits(&b, 351, 320, h.elements)
	setBits(&b, 383, 352, h.shape)
	setBits(&b, 391, 384, h.notice)
	return b
}

func headOf(b [64]byte) head {
	return head{
		count: bitsOf(b, 31, 0), tag: bitsOf(b, 63, 32), src: bitsOf(b, 95, 64), seq: bitsOf(b, 127, 96),
		strm: bitsOf(b, 159, 128), dst: bitsOf(b, 175, 160), msgType: bitsOf(b, 183, 176),
		host: bitsOf(b, 191, 184), vaddr: bitsOf(b, 255, 192), context: bitsOf(b, 287, 256),
		number: bitsOf(b, 319, 288), elements: bitsOf(b, 351, 320), shape: bitsOf(b, 383, 352),
		notice: bitsOf(b, 391, 384),
	}
}

// send sends a packet from a raw port to a rank.
func (w *world) send(from fabric.Port, to int, h head, payload []byte) {
	w.t.Helper()
	assert.NilError(w.t, from.Send(uint32(to), &fabric.Packet{Header: h.bytes(), Payload: payload}))
}

// sendOn sends rank 0 bytes from a raw port in a packet without header.
func (w *world) sendOn(from fabric.Port, b []byte) {
	w.t.Helper()
	p := &fabric.Packet{}
	p.Payload = b[copy(p.Header[:], b):]
	assert.NilError(w.t, from.Send(0, p))
}

// receive takes the next packet that a raw port has.
func (w *world) receive(at fabric.Port) (head, []byte) {
	w.t.Helper()
	p := at.Receive()
	assert.Assert(w.t, p != nil, "there is no packet")
	defer p.Release()
	return headOf(p.Header), append([]byte{}, p.Payload...)
}

func floats(v ...float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}
