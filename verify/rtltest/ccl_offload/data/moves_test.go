package datapath_test

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	fromNone = iota
	fromMemory
	fromKernel
)

// operand of a slice.
type operand struct {
	from, host int
	address    uint64
	bytes      int
	convert    bool
	tdest      uint64
	release    bool
	buffer     int
}

func (o operand) fields() []block.Field {
	return []block.Field{
		{Width: 2, Value: uint64(o.from)}, {Width: 1, Value: uint64(o.host)}, {Width: 64, Value: o.address},
		{Width: lengthWidth, Value: uint64(o.bytes)},
		{Width: 1, Value: uint64(flag(o.convert))}, {Width: 4, Value: o.tdest}, {Width: 1, Value: uint64(flag(o.release))},
		{Width: 8, Value: uint64(o.buffer)},
	}
}

// slice of a move, and what is to come of it.
type slice struct {
	queue          int
	last           bool
	op             [2]operand
	reduce         bool
	reduceTDEST    uint64
	convertTDEST   uint64
	apart          bool // operand 1 to memory, operand 0 to the network
	keeps          bool // apart: operand 0 to memory, too
	keptAddress    uint64
	beside         operand // goes to the network in place of the result
	toMemory       bool
	resultConvert  bool
	resultHost     int
	resultAddress  uint64
	toKernel       bool
	kernelTDEST    uint64
	toNetwork      bool
	wireConvert    bool
	slot, headed   int
	offset         int
	commit, forget bool

	local, wire  []byte // what goes to memory or kernel stream, and to the network
	kept         []byte
	packet       []byte // what is in the slot then
	besideSecond bool   // what is beside is read behind operand 1
	events       []string
	committed    bool
	good         bool
	ended        bool
	code         uint32
}

func (s *slice) fields() []block.Field {
	one := func(v bool) block.Field { return block.Field{Width: 1, Value: uint64(flag(v))} }
	f := []block.Field{{Width: 2, Value: uint64(s.queue)}, one(s.last)}
	f = append(append(f, s.op[0].fields()...), s.op[1].fields()...)
	return append(f, one(s.reduce), block.Field{Width: 8, Value: s.reduceTDEST},
		block.Field{Width: 4, Value: s.convertTDEST},
		one(s.apart), one(s.keeps), block.Field{Width: 64, Value: s.keptAddress}, one(s.beside.from != fromNone),
		block.Field{Width: 64, Value: s.beside.address}, block.Field{Width: lengthWidth, Value: uint64(s.beside.bytes)},
		one(s.beside.convert), block.Field{Width: 4, Value: s.beside.tdest}, one(s.toMemory), one(s.resultConvert),
		block.Field{Width: 1, Value: uint64(s.resultHost)}, block.Field{Width: 64, Value: s.resultAddress},
		block.Field{Width: lengthWidth, Value: uint64(len(s.local))}, one(s.toKernel),
		block.Field{Width: 8, Value: s.kernelTDEST},
		one(s.toNetwork), one(s.wireConvert), block.Field{Width: lengthWidth, Value: uint64(len(s.wire))},
		block.Field{Width: 5, Value: uint64(s.slot)},
		block.Field{Width: 1, Value: uint64(s.headed)}, block.Field{Width: lengthWidth, Value: uint64(s.offset)},
		one(s.commit))
}

// engines are the DMA engines that have a part in the slice, one for each of its
// commands.
func (s *slice) engines(w *world) (d []*dma) {
	for i, e := range []*dma{w.op0, w.op1} {
		if s.op[i].from == fromMemory {
			d = append(d, e)
		}
	}
	if s.toMemory {
		d = append(d, w.result)
	}
	if s.beside.from != fromNone {
		d = append(d, []*dma{w.op0, w.op1}[flag(s.besideSecond)])
	}
	return d
}

// move is what a channel works on.
type move struct {
	ops         [2]operand // bytes are of a unit
	unit        int        // log2 of the bytes in which the operands meet
	beside      operand
	slices      int // left
	template    slice
	toKernel    bool
	packetBytes int
	size        int // of slices: 0 any, else units of all but the last
}

func (m *move) fromKernel() bool { return m.ops[0].from == fromKernel || m.ops[1].from == fromKernel }

// channel makes slices of moves, as the engine's queues do.
type channel struct {
	index   int
	move    *move
	flying  int
	failed  bool // a slice has failed, and there was no restart
	broken  bool // the move cannot go on
	slot    int  // that is being filled
	filling bool
	headed  int
	filled  []byte
}

// next is the next slice of a channel, if there is one now.
func (w *world) next(c *channel, only func(*move)) *slice {
	if c.failed || c.broken {
		return w.recover(c)
	}
	if c.move == nil {
		if w.r.IntN(20) == 0 {
			return w.bare(c)
		}
		c.move = w.newMove(only)
		if c.move.fromKernel() && w.inHeld || c.move.toKernel && w.outHeld {
			c.move = nil // another has the stream
			return nil
		}
		w.inHeld = w.inHeld || c.move.fromKernel()
		w.outHeld = w.outHeld || c.move.toKernel
	}
	m := c.move
	s := m.template
	s.queue, s.last = c.index, m.slices == 1
	units := w.unitsOf(m)
	if s.toNetwork {
		if !c.filling {
			c.slot = slices.Index(w.slotBusy[:], false)
			if c.slot < 0 {
				return nil
			}
			w.slotBusy[c.slot], c.filling, c.headed, c.filled = true, true, w.r.IntN(2), nil
			if m.packetBytes == slotBytes {
				c.headed = 0
			}
			for i := range w.slots[c.slot] {
				w.slots[c.slot][i] = byte(w.r.Uint32())
			}
		}
		unit := 1 << m.unit
		if s.wireConvert {
			unit = len(convert(uint32(s.convertTDEST), make([]byte, unit)))
		}
		if room := (m.packetBytes&^7 - len(c.filled)) / unit; units >= room {
			units = room
		}
	}
	if m.fromKernel() {
		one := m.ops[0].bytes
		if m.ops[0].from != fromKernel {
			one = m.ops[1].bytes
		}
		have := (len(w.sent) - w.position) / one
		if units > have {
			if have == 0 {
				return nil
			}
			units = have
		}
	}
	if s.toKernel && w.outRoom < sliceBytes/beatBytes+1 {
		return nil
	}

	// The operands, and what becomes of them.
	var data [2][]byte
	for i, o := range m.ops {
		if o.from == fromNone {
			continue
		}
		o.bytes *= units
		switch o.from {
		case fromMemory:
			o.address = uint64(w.r.IntN(sourceBytes - o.bytes))
			data[i] = w.memory[o.host][o.address:][:o.bytes]
			o.release, o.buffer = w.r.IntN(5) == 0, w.r.IntN(256)
		case fromKernel:
			data[i] = w.sent[w.position:][:o.bytes]
			w.position += o.bytes
			if s.last {
				w.position = (w.position + beatBytes - 1) &^ (beatBytes - 1)
			}
		}
		if o.convert {
			data[i] = convert(uint32(o.tdest), data[i])
		}
		s.op[i] = o
	}
	var beside []byte
	if o := m.beside; o.from != fromNone {
		o.bytes *= units
		o.address = uint64(w.r.IntN(sourceBytes - o.bytes))
		if beside = w.memory[0][o.address:][:o.bytes]; o.convert {
			beside = convert(uint32(o.tdest), beside)
		}
		s.beside = o
		w.besides[flag(o.convert)]++
	}
	inner := data[0]
	if s.reduce {
		inner = add(uint32(s.reduceTDEST), data[:])
	}
	if s.toMemory || s.toKernel {
		s.local = inner
		if s.apart {
			s.local = data[1]
		}
		if s.resultConvert {
			s.local = convert(uint32(s.convertTDEST), inner)
		}
	}
	if s.toMemory {
		s.resultAddress = w.place(len(s.local))
	}
	if s.keeps {
		s.kept = inner
		s.keptAddress = w.place(len(s.kept))
		w.keeps++
	}
	if s.toKernel {
		part := append(w.outPart, s.local...)
		reserved := (len(part)+beatBytes-1)/beatBytes - (len(w.outPart)+beatBytes-1)/beatBytes
		w.outRoom -= reserved
		for len(part) >= beatBytes || s.last && len(part) > 0 {
			n := min(beatBytes, len(part))
			b := beat{keep: keepOf(n), last: s.last && n == len(part), dest: uint32(s.kernelTDEST)}
			copy(b.data[:], part[:n])
			part = part[n:]
			w.expected = append(w.expected, sending{b, append(slices.Clone(w.outOwners), &s)})
			w.outOwners = nil
		}
		w.outPart = slices.Clone(part)
		if len(part) > 0 {
			w.outOwners = append(w.outOwners, &s)
		}
	}
	if s.toNetwork {
		if s.wire = inner; s.beside.from != fromNone {
			s.wire = beside
		} else if s.wireConvert {
			s.wire = convert(uint32(s.convertTDEST), inner)
		}
		s.slot, s.headed, s.offset = c.slot, c.headed, len(c.filled)
		c.filled = append(c.filled, s.wire...)
		if s.last || len(c.filled) == m.packetBytes&^7 {
			s.commit, s.packet, c.filling = true, c.filled, false
			s.events = append(s.events, fmt.Sprintf("commit %d", s.slot))
		}
	}
	for _, o := range s.op {
		if o.release {
			s.events = append(s.events, fmt.Sprintf("release %d", o.buffer))
		}
	}
	m.slices--
	if s.last {
		w.ends(c)
	}
	c.flying++
	return &s
}

// place is free memory for a result.
func (w *world) place(bytes int) uint64 {
	at := w.free + uint64(w.r.IntN(70))
	if w.free = at + uint64(bytes); w.free > memoryBytes-8192 {
		w.t.Fatal("the memory is full")
	}
	return at
}

// ends lets go what the move of the channel has.
func (w *world) ends(c *channel) {
	if c.move.fromKernel() {
		w.inHeld = false
	}
	if c.move.toKernel {
		w.outHeld = false
	}
	c.move = nil
}

// bare is a slice that moves nothing: a header alone.
func (w *world) bare(c *channel) *slice {
	slot := slices.Index(w.slotBusy[:], false)
	if slot < 0 {
		return nil
	}
	w.slotBusy[slot] = true
	c.flying++
	return &slice{queue: c.index, last: true, toNetwork: true, slot: slot, headed: 1, commit: true,
		events: []string{fmt.Sprintf("commit %d", slot)}}
}

// recover gives up the move of a channel that has failed: its slot is
// forgotten, and the rest of beats of the kernel streams.
func (w *world) recover(c *channel) *slice {
	if c.flying > 0 {
		return nil
	}
	if c.filling {
		c.filling = false
		c.flying++
		return &slice{queue: c.index, slot: c.slot, commit: true, forget: true, last: w.r.IntN(2) == 0,
			events: []string{fmt.Sprintf("commit %d", c.slot)}}
	}
	if c.move != nil {
		if c.move.fromKernel() && !c.broken && w.position%beatBytes != 0 {
			w.dropIn = true
			w.position = (w.position + beatBytes - 1) &^ (beatBytes - 1)
		}
		if c.move.toKernel && !c.broken && len(w.outPart) != 0 {
			w.dropOut = true
			w.outPart, w.outOwners = nil, nil
			w.outRoom++
		}
		w.ends(c)
	}
	c.failed, c.broken = false, false
	w.restart |= 1 << c.index
	return nil
}
