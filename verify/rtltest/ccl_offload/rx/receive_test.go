package rx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var packetSet = block.NewSet(
	block.Module{Name: "partial_table"},
	block.Module{Name: "header_parts"},
	block.Module{Name: "rx_shift"},
	block.Module{Name: "put_joiner"},
	block.Module{Name: "packet_table"},
	block.Module{Name: "packet_table", As: "packet_table_64", Params: map[string]string{"SLOTS": "64",
		"TAG": "10", "LIMIT": "64"}},
	block.Module{Name: "slot_memory"},
	block.Module{Name: "slot_reader", Params: map[string]string{"SIDE": "5"}},
	block.Module{Name: "slot_writer"},
	block.Module{Name: "rx_fill"},
	block.Module{Name: "rx_stream"},
	block.Module{Name: "rx_stream", As: "rx_stream_loop", Params: map[string]string{"LOOP": "1'b1"}},
	block.Module{Name: "rx_tcp"},
	block.Module{Name: "rx_rdma", Platform: "u55c_rdma"},
	block.Module{Name: "rx_offer"},
	block.Module{Name: "rx_packets"},
	block.Module{Name: "rx_packets", As: "rx_packets_udp", Platform: "u55c_udp"},
	block.Module{Name: "inbound_payload"},
	block.Module{Name: "network_receive"},
	block.Module{Name: "network_receive", As: "network_receive_udp", Platform: "u55c_udp"},
	block.Module{Name: "network_receive", As: "network_receive_rdma", Platform: "u55c_rdma"},
)

func TestPartialTable(t *testing.T)  { packetSet.Check(t, "partial_table", partialTable) }
func TestPacketTable(t *testing.T)   { packetSet.Check(t, "packet_table", packetTable(32, 11, 4)) }
func TestPacketTable64(t *testing.T) { packetSet.Check(t, "packet_table_64", packetTable(64, 10, 64)) }
func TestSlotMemory(t *testing.T)    { packetSet.Check(t, "slot_memory", slotMemory) }
func TestSlotReader(t *testing.T)    { packetSet.Check(t, "slot_reader", slotReader) }
func TestSlotWriter(t *testing.T)    { packetSet.Check(t, "slot_writer", slotWriter) }

const beat = 64

// length is one of a packet or slice: often short, or around the ends of beats
// or of a slot.
func length(r *rand.Rand, most int) int {
	switch r.IntN(4) {
	case 0:
		return 1 + r.IntN(min(200, most))
	case 1:
		return min(most, max(1, beat*(1+r.IntN(most/beat))+r.IntN(3)-1))
	case 2:
		return most - r.IntN(min(3, most))
	}
	return 1 + r.IntN(most)
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// partialTable keeps something by session.
func partialTable(b *block.Bench, r *rand.Rand) error {
	type key struct{ loop, session uint64 }
	type entry struct{ mode, known, left, address, buffer, host, index, total uint64 }
	known := map[key]entry{}
	sessions := int(b.Const("engine_pkg::SESSIONS"))
	for range 6000 {
		k := key{r.Uint64N(2), uint64(r.IntN(sessions))}
		if r.IntN(2) == 0 {
			k.session %= 8
		}
		b.Set("loop", k.loop)
		b.Set("session", k.session)
		b.Scramble(r, "new_mode", "new_known", "new_left", "new_address", "new_buffer", "new_host", "new_index", "new_total")
		write := r.IntN(2) == 0
		var e entry
		if write {
			e = entry{r.Uint64N(8), r.Uint64N(64), r.Uint64() & 0xFFFFFFFF, r.Uint64(), r.Uint64() & 0xFF, r.Uint64N(2),
				r.Uint64N(64), r.Uint64N(8192)}
			b.Set("new_known", e.known)
			b.Set("new_host", e.host)
			b.Set("new_index", e.index)
			b.Set("new_total", e.total)
			b.Set("new_mode", e.mode)
			b.Set("new_left", e.left)
			b.Set("new_address", e.address)
			b.Set("new_buffer", e.buffer)
		}
		was, there := known[k]
		b.Put("write", write)
		b.Step()
		b.Set("write", 0)
		if write {
			known[k] = e
		}
		b.Scramble(r, "session", "loop")
		b.Settle()
		if got := (entry{b.Get("mode"), b.Get("known"), b.Get("left"), b.Get("address"), b.Get("buffer_"), b.Get("host"),
			b.Get("index"), b.Get("total")}); there && !write && got != was {
			return fmt.Errorf("%v has %v, not %v", k, got, was)
		}
	}
	return nil
}
