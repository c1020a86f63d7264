package rx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var messageSet = block.NewSet(
	block.Module{Name: "sender_table"},
	block.Module{Name: "rx_buffers"},
	block.Module{Name: "message_matcher"},
	block.Module{Name: "message_matcher", As: "message_matcher_udp", Platform: "u55c_udp"},
	block.Module{Name: "message_wants"},
	block.Module{Name: "message_source"},
	block.Module{Name: "message_recorder"},
	block.Module{Name: "messages", Parts: []string{"message_table"}},
	block.Module{Name: "messages", As: "messages_udp", Platform: "u55c_udp"},
	block.Module{Name: "announcements"},
	block.Module{Name: "announcements", As: "announcements_udp", Platform: "u55c_udp"},
)

func TestSenderTable(t *testing.T) { messageSet.Check(t, "sender_table", senderTable) }
func TestRxBuffers(t *testing.T)   { messageSet.Check(t, "rx_buffers", rxBuffers) }

// pulse raises an input for a cycle.
func pulse(b *block.Bench, name string) {
	b.Set(name, 1)
	b.Step()
	b.Set(name, 0)
}

// until steps until an output is 1, at least once.
func until(b *block.Bench, name string, limit int) error {
	for range limit {
		b.Step()
		if b.Is(name) {
			return nil
		}
	}
	return fmt.Errorf("%s does not come in %d cycles", name, limit)
}

// few returns one of a few numbers, which meet often, or of many.
func few(r *rand.Rand, n int) uint64 {
	if r.IntN(3) > 0 {
		return uint64(r.IntN(n))
	}
	return uint64(r.IntN(n)) << (8 * r.IntN(4))
}
