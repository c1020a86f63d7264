package datapath_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	platform    = "u55c_tcp"
	queues      = 4
	slots       = 32
	slotBytes   = 4096
	sliceBytes  = 4096
	kernelBeats = 128
	patience    = 3000 // cycles that a reset waits
	forever     = 200_000_000

	lengthWidth = 13
	sourceBytes = 1 << 18 // of each memory, from which is read; results go behind
	memoryBytes = 1 << 23
)

// world is what is around the data path.
type world struct {
	t *testing.T
	b *block.Bench
	r *rand.Rand
	l layouts

	pace     int // of 100 cycles, those in which something around is ready
	limit    uint32
	abandons bool // transfers may be given up
	faults   int  // of 1000 commands
	lates    bool // faults are late answers

	memory  [2][]byte
	before  [2][]byte
	written [2][]byte
	free    uint64 // where results go next

	op0, op1, result *dma
	arith            *plugin
	lanes            [3]*plugin
	keeper           *keeper
	kernelIn         *source
	kernelOut        *sink
	sent             []byte    // put into the kernel stream and taken
	position         int       // of the next slice in it
	expected         []sending // on the kernel stream
	doubtful         []sending // beats that were not as expected: then a slice of theirs must fail
	outOwners        []*slice
	outRoom          int    // beats that the kernel stream has room for
	outPart          []byte // of a beat that is not full

	slots    [slots][]byte
	slotBusy [slots]bool

	channels  [queues]*channel
	offered   *slice
	second    bool     // what is read beside the next slice comes behind operand 1
	flying    []*slice // dispatched, not retired
	retired   int
	failed    int
	flushes   int
	besides   [2]int // slices with something beside: as it is, and converted
	keeps     int    // slices that keep what they send
	lastEvent uint64

	restart         uint32
	dropIn, dropOut bool

	wasFlushing     bool
	inHeld, outHeld bool // a move owns the stream
}

// sending is a beat of the kernel stream and the slices that have a part in it.
type sending struct {
	beat
	owners []*slice
}

var worlds = block.NewSet(
	block.Module{Name: "data_path", Streams: true, Params: map[string]string{"PATIENCE": fmt.Sprint(patience)}},
)

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	b := worlds.Start(t, "data_path", seed)
	w := &world{t: t, b: b, r: rand.New(rand.NewPCG(seed, 1)), pace: 80, limit: forever, outRoom: kernelBeats,
		l: newLayouts(designtest.Load(t, platform, nil).ABI())}
	wire := func(prefix string) wires { return newWires(b, prefix, "t") }
	to := func(prefix string) *source { return &source{wires: wire(prefix)} }
	from := func(prefix string) *sink { return &sink{wires: wire(prefix)} }
	w.kernelIn, w.kernelOut = to("kernel_in_"), from("kernel_out_")
	w.arith = newPlugin(add, &w.pace, to("arith_res_"), from("arith_op0_"), from("arith_op1_"))
	for i := range w.lanes {
		w.lanes[i] = newPlugin(func(tdest uint32, in [][]byte) []byte { return convert(tdest, in[0]) }, &w.pace,
			to(fmt.Sprintf("compression%d_result_", i)), from(fmt.Sprintf("compression%d_operand_", i)))
	}
	w.op0 = &dma{name: "op0", commands: wire("op0_command_"), statuses: wire("op0_status_"), in: to("op0_"), latency: 60}
	w.op1 = &dma{name: "op1", commands: wire("op1_command_"), statuses: wire("op1_status_"), in: to("op1_"), latency: 60}
	w.result = &dma{name: "result", commands: wire("result_command_"), statuses: wire("result_status_"),
		out: from("result_"), latency: 60}
	w.keeper = &keeper{}
	for i := range w.memory {
		w.memory[i] = make([]byte, memoryBytes)
		for j := range sourceBytes {
			w.memory[i][j] = byte(w.r.Uint32())
		}
		w.before[i] = slices.Clone(w.memory[i])
		w.written[i] = make([]byte, memoryBytes)
	}
	for i := range w.slots {
		w.slots[i] = make([]byte, slotBytes)
	}
	for i := range w.channels {
		w.channels[i] = &channel{index: i}
	}
	w.free = sourceBytes
	return w
}

func newPlugin(compute func(uint32, [][]byte) []byte, pace *int, out *source, in ...*sink) *plugin {
	return &plugin{in: in, out: out, compute: compute, waiting: make([][]beat, len(in)), packet: make([][]byte, len(in)),
		pace: pace}
}

// fault is what goes wrong with the next command.
func (w *world) fault(read bool) int {
	if w.r.IntN(1000) >= w.faults {
		return fine
	}
	if w.lates {
		return late
	}
	faults := []int{slaveError, decodeError, internalError, wrongTag}
	if read {
		return append(faults, earlyLast, missingLast)[w.r.IntN(6)]
	}
	return append(faults, shortCount, noPacketEnd)[w.r.IntN(6)]
}

// step runs a cycle.
func (w *world) step() {
	w.b.Set("limit_cycles", uint64(w.limit))
	w.b.Set("restart", uint64(w.restart))
	w.b.Put("kernel_in_drop", w.dropIn)
	w.b.Put("kernel_out_drop", w.dropOut)
	w.restart, w.dropIn, w.dropOut = 0, false, false
	w.b.Put("packet_commit_ready", chance(w.r, w.pace))
	w.b.Put("release_ready", chance(w.r, w.pace))
	w.kernelOut.ready[0] = flag(chance(w.r, w.pace))
	w.kernelIn.drive(w.r, w.pace)
	w.arith.drive(w.r)
	for _, p := range w.lanes {
		p.drive(w.r)
	}
	for _, d := range []*dma{w.op0, w.op1, w.result} {
		d.drive(w)
	}
	w.keeper.drive(w)
	if w.offered != nil {
		w.b.Pack("slice", w.offered.fields()...)
	}
	w.b.Put("slice_valid", w.offered != nil)

	w.b.Step()

	flushing := w.b.Is("flushing")
	if flushing && !w.wasFlushing {
		w.flushed()
	}
	w.wasFlushing = flushing
	w.kernelIn.observe()
	if w.kernelIn.given != w.b.Is("kernel_in_pushed") {
		w.t.Fatalf("cycle %d: kernel_in_pushed", w.b.Cycle)
	}
	if w.kernelIn.given {
		b := w.kernelIn.get()
		w.sent = append(w.sent, b.data[:]...)
	}
	w.kernelOut.observe(w, flushing)
	if w.kernelOut.taken != w.b.Is("kernel_out_popped") {
		w.t.Fatalf("cycle %d: kernel_out_popped", w.b.Cycle)
	}
	if w.kernelOut.taken && !flushing {
		w.outRoom++
		w.onKernelOut(w.kernelOut.beat)
	}
	w.arith.observe(w)
	for _, p := range w.lanes {
		p.observe(w)
	}
	for _, d := range []*dma{w.op0, w.op1, w.result} {
		d.observe(w)
	}
	w.keeper.observe(w)
	if w.b.Is("slot_write_valid") {
		w.onSlotWrite()
	}
	if w.b.Is("packet_commit_valid") && w.b.Is("packet_commit_ready") {
		w.event(fmt.Sprintf("commit %d", w.b.Get("packet_commit_slot")))
	}
	if w.b.Is("release_valid") && w.b.Is("release_ready") {
		w.event(fmt.Sprintf("release %d", w.b.Get("release_buffer")))
	}
	if w.b.Is("retire.valid") {
		w.onRetire(int(w.b.Get("retire.queue_")), w.b.Is("retire.last"), uint32(w.b.Get("retire.code")))
	}
	if w.offered != nil && w.b.Is("slice_ready") {
		if w.offered.beside.from != fromNone {
			w.offered.besideSecond, w.second = w.second, !w.second
		}
		w.flying = append(w.flying, w.offered)
		w.offered = nil
	}
	w.second = w.second && !flushing
}

// onKernelOut checks a beat that has come.
func (w *world) onKernelOut(b beat) {
	if len(w.expected) == 0 {
		w.t.Fatalf("cycle %d: a beat on the kernel stream that nobody has sent", w.b.Cycle)
	}
	want := w.expected[0]
	w.expected = w.expected[1:]
	for i := range beatBytes {
		if want.keep>>i&1 == 0 {
			b.data[i] = 0
		}
	}
	if b.keep != want.keep || b.last != want.last || b.dest != want.dest {
		w.t.Fatalf("cycle %d: kernel stream has\n%+v, want\n%+v", w.b.Cycle, b, want.beat)
	}
	if b != want.beat {
		w.doubtful = append(w.doubtful, want)
		w.settle()
	}
}

// settle looks at beats that were not as expected and whose slices have ended.
func (w *world) settle() {
	w.doubtful = slices.DeleteFunc(w.doubtful, func(s sending) bool {
		if slices.ContainsFunc(s.owners, func(o *slice) bool { return !o.ended }) {
			return false
		}
		if !slices.ContainsFunc(s.owners, func(o *slice) bool { return o.code != 0 }) {
			w.t.Fatalf("cycle %d: the kernel stream did not have\n%+v, and no slice failed", w.b.Cycle, s.beat)
		}
		return true
	})
}

func (w *world) onSlotWrite() {
	slot, row, strobe := w.b.Get("slot_write_slot"), w.b.Get("slot_write_row"), w.b.Get("slot_write_strobe")
	if !w.slotBusy[slot] {
		w.t.Fatalf("cycle %d: slot %d is written and belongs to nobody", w.b.Cycle, slot)
	}
	for i, v := range w.b.Bytes("slot_write_data") {
		if strobe>>i&1 != 0 {
			w.slots[slot][int(row)*beatBytes+i] = v
		}
	}
}

// event checks what happens to the oldest slice.
func (w *world) event(what string) {
	w.lastEvent = w.b.Cycle
	if len(w.flying) == 0 {
		w.t.Fatalf("cycle %d: %s, but there is no slice", w.b.Cycle, what)
	}
	s := w.flying[0]
	if len(s.events) == 0 || s.events[0] != what {
		w.t.Fatalf("cycle %d: %s, want %v", w.b.Cycle, what, s.events)
	}
	s.events = s.events[1:]
	if what[0] != 'c' {
		return
	}
	s.committed = true
	good := w.b.Is("packet_commit_good")
	s.good = good
	if good && (s.forget || w.channels[s.queue].failed) {
		w.t.Fatalf("cycle %d: a packet behind a fault is committed", w.b.Cycle)
	}
	if good && !bytes.Equal(s.packet, w.slots[s.slot][s.headed*beatBytes:][:len(s.packet)]) {
		w.t.Fatalf("cycle %d: slot %d has\n%x, want\n%x", w.b.Cycle, s.slot,
			w.slots[s.slot][s.headed*beatBytes:][:len(s.packet)], s.packet)
	}
	w.slotBusy[s.slot] = false
}

func (w *world) onRetire(queue int, last bool, code uint32) {
	w.lastEvent = w.b.Cycle
	if len(w.flying) == 0 {
		w.t.Fatalf("cycle %d: a slice retires that there is not", w.b.Cycle)
	}
	s := w.flying[0]
	w.flying = w.flying[1:]
	w.retired++
	if queue != s.queue || last != s.last || len(s.events) != 0 {
		w.t.Fatalf("cycle %d: slice of queue %d retires, last %v, before %v; want queue %d, last %v", w.b.Cycle, queue, last,
			s.events, s.queue, s.last)
	}
	if w.abandons {
		if code != 0 && code != w.l.code["DMA_TIMEOUT"] {
			w.t.Fatalf("cycle %d: slice ends with %x", w.b.Cycle, code)
		}
	} else {
		want := uint32(0)
		for _, d := range s.engines(w) {
			if len(d.codes) == 0 {
				w.t.Fatalf("cycle %d: slice %+v ends before %s has its command", w.b.Cycle, s, d.name)
			}
			want |= d.codes[0]
			d.codes = d.codes[1:]
		}
		if s.keeps {
			want |= w.keeper.codes[0]
			w.keeper.codes = w.keeper.codes[1:]
		}
		if code != want {
			w.t.Fatalf("cycle %d: slice %+v ends with %x, want %x", w.b.Cycle, s, code, want)
		}
	}
	if code == 0 && s.toMemory {
		got := w.memory[s.resultHost][s.resultAddress:][:len(s.local)]
		if !bytes.Equal(got, s.local) {
			w.t.Fatalf("cycle %d: memory has\n%x, want\n%x", w.b.Cycle, got, s.local)
		}
	}
	if code == 0 && s.keeps && !bytes.Equal(w.memory[0][s.keptAddress:][:len(s.kept)], s.kept) {
		w.t.Fatalf("cycle %d: what was kept is\n%x, want\n%x", w.b.Cycle, w.memory[0][s.keptAddress:][:len(s.kept)], s.kept)
	}
	s.ended, s.code = true, code
	w.settle()
	c := w.channels[s.queue]
	if s.committed && s.good != (code == 0 && !s.forget && !c.failed) {
		w.t.Fatalf("cycle %d: commit good is %v, code %x, failed before: %v", w.b.Cycle, s.good, code, c.failed)
	}
	if code != 0 {
		w.failed++
		c.failed = true
	}
	c.flying--
}

// flushed is called when the data path throws away what is under way, also in
// the kernel streams.
func (w *world) flushed() {
	w.flushes++
	w.position = len(w.sent)
	w.expected, w.outPart, w.outOwners = nil, nil, nil
	w.outRoom = kernelBeats
	for _, c := range w.channels {
		if c.move != nil && (c.move.fromKernel() || c.move.toKernel) {
			c.broken = true
		}
	}
}

// checkMemory tells what was written that belongs to no result.
func (w *world) checkMemory() {
	for i := range w.memory {
		for at, n := range w.written[i] {
			if n == 0 && w.memory[i][at] != w.before[i][at] || at < sourceBytes && n != 0 || n > 1 {
				w.t.Fatalf("memory %d at %x was written %d times", i, at, n)
			}
		}
	}
}
