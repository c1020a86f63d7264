package datapath_test

import (
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// What may go wrong with a command.
const (
	fine = iota
	slaveError
	decodeError
	internalError
	wrongTag
	earlyLast   // of a read
	missingLast // of a read
	shortCount  // of a write
	noPacketEnd // of a write
	late        // answered after the limit
)

// layouts are of commands and statuses, and the bits of return codes.
type layouts struct {
	command, status *abi.Layout
	code            map[string]uint32
}

func newLayouts(g *abi.Generation) layouts {
	return layouts{command: g.Layout("dma_command"), status: g.Layout("dma_status"),
		code: block.Masks(g.BitSet(abi.ReturnCode))}
}

// field is a field of the words of a pin.
func field(l *abi.Layout, name string, words []uint32) (v uint64) {
	for _, f := range l.Fields {
		if f.Name != name {
			continue
		}
		for i := f.Low; i <= f.High; i++ {
			v |= uint64(words[i/32]>>(i%32)&1) << (i - f.Low)
		}
		return v
	}
	panic("there is no field " + name)
}

// place puts a field into a word.
func place(l *abi.Layout, name string, v uint64) uint32 {
	for _, f := range l.Fields {
		if f.Name == name {
			return uint32(v << f.Low)
		}
	}
	panic("there is no field " + name)
}

// transfer is a command under way.
type transfer struct {
	address  uint64
	bytes    int
	host     int
	tag      uint64
	fault    int
	at       uint64 // cycle from which on its data move
	moved    int
	statusAt uint64
}

// dma is a DMA engine: one that reads if in is set, else one that writes.
type dma struct {
	name        string
	commands    wires
	statuses    wires
	in          *source // beats that it has read
	out         *sink   // beats that it writes
	queue       []*transfer
	ended       []*transfer // data moved, no status yet
	hung        bool
	deaf        bool     // takes no commands
	codes       []uint32 // of commands in order, as the engine is to see them; timeouts aside
	statusGiven bool
	latency     int
	exact       bool // always takes as long
}

func (d *dma) drive(w *world) {
	d.commands.ready[0] = flag(!d.deaf && len(d.queue) < 4 && chance(w.r, w.pace))
	if d.in != nil {
		if !d.hung && len(d.queue) > 0 && d.queue[0].at <= w.b.Cycle && len(d.in.queue) < 2 {
			d.read(w)
		}
		d.in.drive(w.r, w.pace)
	} else {
		d.out.ready[0] = flag(!d.hung && chance(w.r, w.pace) && (len(d.queue) > 0 && d.queue[0].at <= w.b.Cycle))
	}
	if d.statuses.valid[0] == 0 || d.statusGiven {
		d.statuses.valid[0] = 0
		if !d.hung && len(d.ended) > 0 && d.ended[0].statusAt <= w.b.Cycle &&
			(d.in == nil || len(d.in.queue) == 0 || d.ended[0] != d.last()) {
			d.statuses.valid[0] = 1
			d.statuses.data[0] = d.status(w, d.ended[0])
		}
	}
}

// delay is what the engine takes for data or a status.
func (d *dma) delay(w *world) uint64 {
	if d.exact {
		return uint64(d.latency)
	}
	return uint64(w.r.IntN(1 + d.latency))
}

// last is the transfer whose beats came last.
func (d *dma) last() *transfer { return d.ended[len(d.ended)-1] }

func (d *dma) status(w *world, t *transfer) uint32 {
	l := w.l.status
	word := uint32(0)
	tag := t.tag
	if t.fault == wrongTag {
		tag ^= 5
	}
	word |= place(l, "tag", tag)
	switch t.fault {
	case slaveError:
		word |= place(l, "slave_error", 1)
	case decodeError:
		word |= place(l, "decode_error", 1)
	case internalError:
		word |= place(l, "internal_error", 1)
	default:
		word |= place(l, "okay", 1)
	}
	if d.in != nil {
		return word
	}
	n := t.moved
	if t.fault == shortCount {
		n--
	}
	word |= place(l, "bytes_received", uint64(n))
	if t.fault != noPacketEnd {
		word |= place(l, "end_of_packet", 1)
	}
	return word
}

// read puts the next beat of the first transfer on the stream.
func (d *dma) read(w *world) {
	t := d.queue[0]
	var b beat
	n := min(beatBytes, t.bytes-t.moved)
	copy(b.data[:], w.memory[t.host][t.address+uint64(t.moved):][:n])
	for i := n; i < beatBytes; i++ {
		b.data[i] = byte(w.r.Uint32())
	}
	t.moved += n
	b.last = t.moved == t.bytes
	if t.fault == earlyLast && t.moved >= t.bytes/2 {
		b.last, t.moved = true, t.bytes
	}
	end := t.moved == t.bytes
	if t.fault == missingLast {
		b.last = false
	}
	d.in.queue = append(d.in.queue, b)
	if end {
		d.end(w)
	}
}

// end is reached when all data of the first transfer have moved.
func (d *dma) end(w *world) {
	t := d.queue[0]
	d.queue = d.queue[1:]
	t.statusAt = w.b.Cycle + d.delay(w)
	if t.fault == late && d.in == nil {
		t.statusAt += 2 * uint64(w.limit)
	}
	d.ended = append(d.ended, t)
}

func (d *dma) observe(w *world) {
	if d.in != nil {
		d.in.observe()
	} else {
		d.out.observe(w, false)
		if d.out.taken {
			d.write(w)
		}
	}
	if d.commands.valid[0]&1 != 0 && d.commands.ready[0]&1 != 0 {
		d.command(w)
	}
	d.statusGiven = d.statuses.valid[0]&1 != 0 && d.statuses.ready[0]&1 != 0
	if d.statusGiven {
		d.ended = d.ended[1:]
	}
}

func (d *dma) write(w *world) {
	t, b := d.queue[0], d.out.beat
	n := 0
	for n < beatBytes && b.keep>>n&1 != 0 {
		n++
	}
	if b.keep != keepOf(n) || (!b.last && n != beatBytes) || (n == 0 && !w.abandons) {
		w.t.Fatalf("cycle %d: a beat to memory with keep %x, last %v", w.b.Cycle, b.keep, b.last)
	}
	if t.moved+n > t.bytes || (b.last && t.moved+n != t.bytes && !w.abandons) || int(b.dest) != t.host {
		w.t.Fatalf("cycle %d: a write of %d bytes to memory %d: %d bytes after %d, last %v, to %d", w.b.Cycle, t.bytes,
			t.host, n, t.moved, b.last, b.dest)
	}
	copy(w.memory[t.host][t.address+uint64(t.moved):], b.data[:n])
	for i := range n {
		w.written[t.host][t.address+uint64(t.moved+i)]++
	}
	t.moved += n
	if b.last {
		d.end(w)
	}
}

// command takes one.
func (d *dma) command(w *world) {
	l, words := w.l.command, d.commands.data
	t := &transfer{
		address: field(l, "address", words), bytes: int(field(l, "bytes", words)), tag: field(l, "tag", words),
		host: int(d.commands.dest[0]), at: w.b.Cycle + 1 + d.delay(w),
	}
	if field(l, "incrementing", words) != 1 || field(l, "eof", words) != 1 || t.bytes == 0 || t.host > 1 ||
		t.address+uint64(t.bytes) > uint64(len(w.memory[t.host])) {
		w.t.Fatalf("cycle %d: %s: command %x", w.b.Cycle, d.name, words)
	}
	t.fault = w.fault(d.in != nil)
	if t.fault == earlyLast && t.bytes <= 2*beatBytes {
		t.fault = fine
	}
	if t.fault == late {
		t.at += 2 * uint64(w.limit)
	}
	code := uint32(0)
	switch t.fault {
	case slaveError:
		code = w.l.code["DMA_SLAVE"]
	case decodeError:
		code = w.l.code["DMA_DECODE"]
	case internalError:
		code = w.l.code["DMA_INTERNAL"]
	case wrongTag:
		code = w.l.code["DMA_TAG_MISMATCH"]
	case earlyLast, shortCount:
		code = w.l.code["DMA_NOT_EXPECTED_BTT"]
	case missingLast, noPacketEnd:
		code = w.l.code["DMA_NOT_END_OF_PACKET"]
	}
	d.codes = append(d.codes, code)
	d.queue = append(d.queue, t)
}
