package compare

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/emu/memory"
)

// around is how much of the memory around what was allocated is compared, too: whole
// pages, as allocators give them, and one more.
const around = 4096

// piece is a range of device memory with what both worlds have there.
type piece struct {
	memory.Extent
	data [2][]byte
}

// look notes what both engines of a rank have in their memories.
func (p *Pair) look(ctx context.Context, rank int, d depth, s *state) (err error) {
	hosts := [2]*host{&p.Emulated.hosts[rank], &p.Hardware.hosts[rank]}
	for _, h := range hosts {
		if h.engine == nil {
			return errNoEngine
		}
	}
	offsets := p.names.offsets(hosts, d)
	s.read = len(offsets)
	for side, h := range hosts {
		if s.words[side], err = h.read(ctx, offsets); err != nil {
			return err
		}
		s.beats[side], s.blocks[side] = h.take()
		for _, b := range s.blocks[side] {
			var data []byte
			if b.host {
				if data, err = b.content(ctx); err != nil {
					return err
				}
			}
			s.host[side] = append(s.host[side], data)
		}
	}
	if d == whole {
		if s.counts, err = p.count(ctx, hosts); err != nil {
			return err
		}
	}
	s.comms, s.configs, s.cycle = hosts[0].comms, hosts[0].configs, hosts[1].cycle()
	for _, e := range hosts[0].used {
		of := piece{Extent: e}
		for side, h := range hosts {
			if of.data[side], err = h.deviceMemory(e); err != nil {
				return err
			}
		}
		s.device = append(s.device, of)
	}
	return nil
}

// deviceMemory reads a range of device memory.
func (h *host) deviceMemory(e memory.Extent) ([]byte, error) {
	m, err := h.engine.Memory(false)
	if err != nil {
		return nil, err
	}
	b := make([]byte, e.To-e.From)
	if err := m.Reserve(e.From, uint64(len(b))); err != nil {
		return nil, err
	}
	return b, m.Read(b, e.From)
}

// sameBlocks compares what the hosts have allocated: all addresses that follow would
// differ.
func sameBlocks(s *state) error {
	for i := range max(len(s.blocks[0]), len(s.blocks[1])) {
		switch {
		case i >= len(s.blocks[0]):
			return fmt.Errorf("the host of the hardware alone has allocated %v", s.blocks[1][i])
		case i >= len(s.blocks[1]):
			return fmt.Errorf("the host of the emulator alone has allocated %v", s.blocks[0][i])
		}
		if e, h := s.blocks[0][i], s.blocks[1][i]; e.addr != h.addr || e.bytes != h.bytes || e.host != h.host {
			return fmt.Errorf("the host has allocated %v of the emulator, and %v of the hardware", e, h)
		}
	}
	return nil
}

// String says where the block is.
func (b *block) String() string {
	where := "device"
	if b.host {
		where = "host"
	}
	return fmt.Sprintf("%d bytes at 0x%X of %s memory", b.bytes, b.addr, where)
}

// sameMemory compares device and host memory, which must be allocated alike.
func (p *Pair) sameMemory(s *state) error {
	for _, rx := range p.names.rxBuffers(s) {
		for _, d := range s.device {
			d.blank(rx)
		}
	}
	for _, d := range s.device {
		if err := p.sameBytes(s, d.From, false, d.data); err != nil {
			return err
		}
	}
	for i, b := range s.blocks[0] {
		if b.host {
			if err := p.sameBytes(s, b.addr, true, [2][]byte{s.host[0][i], s.host[1][i]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// blank forgets a range of both sides.
func (p *piece) blank(e memory.Extent) {
	from, to := max(e.From, p.From), min(e.To, p.To)
	for at := from; at < to; at++ {
		p.data[0][at-p.From], p.data[1][at-p.From] = 0, 0
	}
}

// shown is how many bytes are told of a difference.
const shown = 16

// sameBytes compares what is in memory from an address on.
func (p *Pair) sameBytes(s *state, from uint64, host bool, data [2][]byte) error {
	if bytes.Equal(data[0], data[1]) {
		return nil
	}
	i := 0
	for i < min(len(data[0]), len(data[1])) && data[0][i] == data[1][i] {
		i++
	}
	addr := from + uint64(i)
	part := func(b []byte) []byte { return b[min(i, len(b)):min(i+shown, len(b))] }
	return fmt.Errorf("0x%X of %s\n\tis %x in the emulator, and\n\tis %x in the hardware in cycle %d%s",
		addr, s.owner(addr, host), part(data[0]), part(data[1]), s.cycle, p.writer(s, addr, host))
}

// owner says what an address belongs to.
func (s *state) owner(addr uint64, host bool) string {
	var last *block
	where := "device memory"
	if host {
		where = "host memory"
	}
	for i, b := range s.blocks[0] {
		if b.host != host || addr < b.addr {
			continue
		}
		if addr-b.addr < uint64(b.bytes) {
			return fmt.Sprintf("%s, byte %d of %v, number %d of what is allocated", where, addr-b.addr, b, i)
		}
		if last == nil || b.addr > last.addr {
			last = b
		}
	}
	if last == nil {
		return where + ", which nobody has allocated"
	}
	return fmt.Sprintf("%s, which nobody has allocated, %d bytes behind %v", where, addr-last.addr-uint64(last.bytes),
		last)
}

// writer is the hardware's last move of the step that writes to an address.
func (p *Pair) writer(s *state, addr uint64, host bool) string {
	for i := range s.issued {
		if m := &s.issued[len(s.issued)-1-i]; p.names.writes(&m.Move, addr, host) {
			return fmt.Sprintf("; it has been written to by the move of cycle %d\n\t%v", m.when, m.Move)
		}
	}
	return ""
}

// rxBuffers are the rx buffers in device memory. Which of them a message went to
// depends on what was free when it arrived, and what it said stays there.
func (n *names) rxBuffers(s *state) (out memory.Extents) {
	t := n.tables[abi.RxBuffers]
	at, count, size := t.At, uint32(0), uint32(0)
	for _, w := range t.Header {
		switch v := s.words[0][at]; w.Name {
		case "count":
			count = v
		case "size":
			size = v
		}
		at += wordBytes
	}
	for range min(count, n.exchange.Size/wordBytes) {
		e := memory.Extent{}
		bytes := size
		for _, w := range t.Record {
			switch v := s.words[0][at]; w.Name {
			case "addrl":
				e.From |= uint64(v)
			case "addrh":
				e.From |= uint64(v) << 32
			case "max_len":
				bytes = v
			}
			at += wordBytes
		}
		e.To = e.From + uint64(bytes)
		out.Add(e)
	}
	return out
}
