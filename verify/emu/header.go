package emu

import (
	"encoding/binary"

	"github.com/cclforge/cclforge/gen/abi"
)

const headerBytes = 64 // as fabric.Packet carries it

type header = [headerBytes]byte

// headerField is up to 64 bits of a message header. The zero value is a field
// that the generation does not have: it reads as 0, and takes only 0.
type headerField struct {
	at    int // bytes
	shift uint8
	mask  uint64
}

func (f headerField) get(h *header) uint64 {
	return binary.LittleEndian.Uint64(h[f.at:]) >> f.shift & f.mask
}

func (f headerField) get32(h *header) uint32 { return uint32(f.get(h)) }

func (f headerField) put(h *header, v uint64) {
	b := h[f.at:]
	word := binary.LittleEndian.Uint64(b)
	binary.LittleEndian.PutUint64(b, word&^(f.mask<<f.shift)|v&f.mask<<f.shift)
}

// headerFields are the fields of a message header, and which bits belong to
// any; all others are 0.
type headerFields struct {
	count, tag, src, seq, strm, dst, context headerField
	number, elements, shape, notice          headerField // of collectives
	filler                                   headerField
	messageType, host, vaddr                 headerField
	named                                    [headerBytes / 8]uint64
}

func resolveHeader(r *resolver, rendezvous bool) headerFields {
	f := func(name string) headerField { return r.headerField(name) }
	h := headerFields{
		count: f("count"), tag: f("tag"), src: f("src"), seq: f("seq"),
		strm: f("strm"), dst: f("dst"), context: f("comm_context"),
		number: f("collective_number"), elements: f("collective_count"), shape: f("collective_shape"),
		notice: f("notice"), filler: f("filler"),
	}
	if rendezvous {
		h.messageType, h.host, h.vaddr = f("msg_type"), f("host"), f("vaddr")
	}
	if l := r.g.Layout(abi.MessageHeader); l != nil {
		for _, field := range l.Fields {
			for bit := field.Low; bit <= field.High && bit < 8*headerBytes; bit++ {
				h.named[bit/64] |= 1 << (bit % 64)
			}
		}
	}
	return h
}

func (r *resolver) headerField(name string) headerField {
	f, ok := r.layoutField(abi.MessageHeader, name)
	if !ok {
		return headerField{}
	}
	at := min(f.Low/8, headerBytes-8)
	shift := f.Low - 8*at
	if f.High >= 8*headerBytes || shift+f.Bits() > 64 {
		r.lack("the field %s of %s within 8 bytes", name, abi.MessageHeader)
		return headerField{}
	}
	return headerField{at: at, shift: uint8(shift), mask: ^uint64(0) >> (64 - f.Bits())}
}

// collective is which one a message belongs to.
func (f *headerFields) collective(h *header) collective {
	return collective{f.number.get32(h), f.elements.get32(h), f.shape.get32(h)}
}

func (f *headerFields) putCollective(h *header, c collective) {
	f.number.put(h, uint64(c.number))
	f.elements.put(h, uint64(c.count))
	f.shape.put(h, uint64(c.shape))
}

// clean tells whether all bits that belong to no field are 0.
func (f *headerFields) clean(h *header) bool {
	for i, named := range &f.named {
		if binary.LittleEndian.Uint64(h[8*i:])&^named != 0 {
			return false
		}
	}
	return true
}
