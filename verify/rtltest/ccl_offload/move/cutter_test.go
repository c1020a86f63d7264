package moves

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

var cutters = block.NewSet(
	block.Module{Name: "packet_cutter"},
	block.Module{Name: "packet_cutter", As: "packet_cutter_udp", Platform: "u55c_udp"},
	block.Module{Name: "packet_cutter", As: "packet_cutter_rdma", Platform: "u55c_rdma"},
)

func TestPacketCutter(t *testing.T) {
	for _, name := range cutters.Modules() {
		cutters.Check(t, name, func(b *block.Bench, r *rand.Rand) error {
			return packetCutter(b, r, name == "packet_cutter_udp", name == "packet_cutter_rdma")
		})
	}
}

// sending is a packet of a move.
type sending struct {
	headed, ends   bool
	bytes, message uint64
	index, vaddr   uint64
}

// parcel is a move that is cut into packets.
type parcel struct {
	bytes, chunk, segment, index, vaddr uint64
	kind, host                          uint64 // of its headers
	eager, data, announces, notice      bool
	packets                             []sending
}

// opening is what is said of a packet when it is opened, by a field of the move.
func (p *parcel) opening(s sending, move func(name string) uint64, lossy, rdma bool) map[string]uint64 {
	want := map[string]uint64{
		"session": move("ranks.destination_session"), "self": move("ranks.destination_self"), "headed": block.Bit(s.headed),
		"counted":  block.Bit(s.headed && p.eager && move("issue.strm") == 0 && !p.notice),
		"numbered": block.Bit(lossy && p.announces), "written": block.Bit(rdma && p.data &&
			move("ranks.destination_self") == 0),
		"record": move("ranks.destination_record"), "bytes": s.bytes,
		"header.tag": move("issue.tag"), "header.src": move("ranks.local_rank"), "header.seq": 0,
		"header.strm": move("issue.strm"), "header.dst": move("ranks.destination_session"), "header.kind": p.kind,
		"header.context_": move("issue.context_"), "header.count": s.message, "header.host": 0, "header.vaddr": 0,
	}
	for _, name := range []string{"number", "count", "shape"} {
		want["header.collective."+name] = move("issue.context_") % 2 * move("issue.collective_"+name)
	}
	want["header.notice"] = block.Bit(p.notice)
	if p.bytes == 0 && !p.eager && !p.data {
		want["header.count"] = move("issue.header_count")
	}
	if p.data {
		want["header.seq"] = s.index
	}
	if !p.eager {
		want["header.host"], want["header.vaddr"] = p.host, s.vaddr
	}
	return want
}

// cut says which packets a move is made of: chunks of segments, which are messages,
// of packets, of which the first carries a header.
func (p *parcel) cut(payload, slot uint64) {
	left, index, vaddr := p.bytes, p.index, p.vaddr
	message := func(n uint64) {
		for at, most := uint64(0), payload; at < n || n == 0; most = slot {
			size := min(most, n-at)
			if n-at > most && n-at <= most+slot/2 {
				size = slot / 2
			}
			p.packets = append(p.packets, sending{at == 0, at+size == n, size, n, index & 0xFFFFFFFF, vaddr})
			at, index, vaddr = at+size, index+1, vaddr+size
			if n == 0 {
				return
			}
		}
	}
	if left == 0 {
		message(0)
	}
	for left > 0 {
		chunk := left
		if p.data {
			chunk = min(left, payload)
		} else if p.chunk != 0 {
			chunk = min(left, p.chunk)
		}
		left -= chunk
		for chunk > 0 {
			segment := chunk
			if !p.data && p.segment != 0 {
				segment = min(chunk, p.segment)
			}
			message(segment)
			chunk -= segment
		}
	}
}

// packetCutter cuts moves into packets, which are filled bit by bit.
func packetCutter(b *block.Bench, r *rand.Rand, lossy, rdma bool) error {
	payload, slot := b.Const("engine_pkg::PACKET_PAYLOAD"), b.Const("engine_pkg::SLOT_BYTES")
	d, err := pins.Design(platform)
	if err != nil {
		return err
	}
	field := func(layout, name string) abi.Field {
		fields := d.ABI().Layout(layout).Fields
		return fields[slices.IndexFunc(fields, func(f abi.Field) bool { return f.Name == name })]
	}
	transfer := uint64(1)<<field("dma_command", "bytes").Bits() - 1
	kinds := []uint64{b.Const("engine_pkg::TYPE_EAGER"), b.Const("engine_pkg::TYPE_DATA"),
		b.Const("engine_pkg::TYPE_ANNOUNCEMENT"), b.Const("engine_pkg::TYPE_DONE")}
	opens, takes := block.NewRhythm(r), block.NewRhythm(r)
	large, packets, forgotten, elsewhere := 0, 0, 0, 0
	for moves := 0; moves < 400; moves++ {
		if r.IntN(50) == 0 {
			b.Reset()
		}
		b.Scramble(r, "move", "plan")
		what := r.IntN(4)
		some := func() uint64 {
			switch r.IntN(6) {
			case 0:
				return 0
			case 1:
				return payload*uint64(1+r.IntN(3)) + uint64(r.IntN(3)) - 1
			case 2:
				return payload + slot*uint64(r.IntN(3)) + uint64(r.IntN(3)) - 1
			case 3:
				return 1 + uint64(r.IntN(30000))
			}
			return 1 + uint64(r.IntN(5000))
		}
		p := parcel{bytes: some(), chunk: some(), segment: some(), index: uint64(r.Uint32()), vaddr: r.Uint64(),
			eager: what == 0, data: what == 1}
		shrunk := uint64(1)
		plain, wire := uint64(r.IntN(4)), uint64(r.IntN(4))
		if p.eager && !lossy && wire < plain {
			shrunk = 2
		}
		if r.IntN(5) == 0 {
			p.bytes, p.chunk, p.segment = transfer+uint64(r.IntN(3)), 0, 0
		}
		if r.IntN(4) == 0 {
			p.vaddr = 1<<32 - uint64(r.IntN(9000)) // and beyond
		}
		if p.notice = p.eager && r.IntN(8) == 0; what >= 2 || p.notice {
			p.bytes = 0
		}
		if p.bytes > 100000 && p.data {
			p.bytes /= 64
		}
		p.cut(payload/shrunk, slot/shrunk)
		toNetwork := r.IntN(10) > 0
		control := uint64(r.Uint32())
		place := func(name string, v uint64) {
			f := field("move_control", name)
			control = control&^((1<<f.Bits()-1)<<f.Low) | v<<f.Low
		}
		p.kind, p.host, p.announces = kinds[what], uint64(r.IntN(2)), what == 2
		place("message_type", p.kind)
		place("remote_host", p.host)
		place("notice", block.Bit(p.notice))
		for name, v := range map[string]uint64{
			"move.issue.control": control, "move.issue.segment_bytes": p.segment, "move.issue.chunk_bytes": p.chunk,
			"move.issue.packet_index":   p.index,
			"move.issue.remote_address": p.vaddr, "move.issue.strm": []uint64{0, b.Get("move.issue.strm")}[r.IntN(2)],
			"plan.wire_bytes": p.bytes, "plan.to_network": block.Bit(toNetwork),
			"plan.empty": block.Bit(p.bytes == 0), "plan.wire_log2": wire, "plan.largest_log2": plain,
			"plan.eager": block.Bit(p.eager), "plan.data": block.Bit(p.data),
		} {
			b.Set(name, v)
		}
		b.Set("start", 1)
		b.Set("opened", 0)
		b.Set("take", 0)
		b.Set("forget", 0)
		b.Step()
		b.Set("start", 0)
		if !toNetwork {
			for range 8 {
				if b.Step(); b.Is("pending") || b.Is("open") {
					return errors.New("a packet of a move that sends nothing")
				}
			}
			elsewhere++
			continue
		}
		alone := p.bytes == 0
		forget := r.IntN(4) == 0
		for i, s := range p.packets {
			want := map[string]uint64{
				"ends": block.Bit(s.ends), "open": 0, "pending": 1, "room": s.bytes, "filled": 0,
				"too_large": block.Bit(!alone && !p.data && (s.message > transfer || lossy && s.message > payload)),
			}
			for name, v := range p.opening(s, func(name string) uint64 { return b.Get("move." + name) }, lossy, rdma) {
				want["packet."+name] = v
			}
			for waits := 0; ; waits++ {
				if b.Step(); b.Is("pending") {
					break
				}
				if b.Is("open") || waits > 3 {
					return fmt.Errorf("packet %d of %+v does not come", i, p)
				}
			}
			for opened := false; !opened; {
				opened = opens.Next()
				b.Put("opened", opened)
				b.Step()
				for name, v := range want {
					if got := b.Get(name); got != v {
						return fmt.Errorf("packet %d of %d bytes (%d a chunk, %d a segment): %w", i, p.bytes, p.chunk, p.segment,
							block.Differs(name, got, v))
					}
				}
			}
			b.Set("opened", 0)
			packets++
			large += int(want["too_large"])
			if forget = forget && r.IntN(3) == 0; forget || want["too_large"] != 0 || alone || i > 40 {
				forget = true
			}
			left := s.bytes
			for left > 0 && !(forget && r.IntN(3) == 0) {
				n := min(left, uint64(1+r.IntN(4096)))
				take := takes.Next()
				b.Put("take", take)
				b.Set("take_bytes", n)
				b.Step()
				if !b.Is("open") || b.Is("pending") || b.Get("room") != left || b.Get("filled") != s.bytes-left ||
					b.Get("packet.header.kind") != p.kind {
					return fmt.Errorf("with %d of %d bytes it is open: %t, with room for %d and %d in it", s.bytes-left, s.bytes,
						b.Is("open"), b.Get("room"), b.Get("filled"))
				}
				if take {
					left -= n
				}
			}
			b.Set("take", 0)
			if forget {
				b.Set("forget", 1)
				b.Step()
				b.Set("forget", 0)
				forgotten++
				break
			}
		}
		for range 5 {
			if b.Step(); b.Is("pending") || b.Is("open") {
				return fmt.Errorf("there is another packet than the %d of %+v", len(p.packets), p)
			}
		}
	}
	if large < 3 || packets < 500 || forgotten < 50 || elsewhere < 10 {
		return fmt.Errorf("only %d packets, %d too large, %d moves forgotten", packets, large, forgotten)
	}
	return nil
}
