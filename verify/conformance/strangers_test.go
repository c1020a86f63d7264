package conformance_test

import (
	"context"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
)

// strangers have hosts that do not say what their peers are, as clients of other makes:
// engines find out.
type strangers struct{ way }

func (s strangers) open(ctx context.Context, t *testing.T, d *design.Design, o *setup) (*reach, error) {
	o.open = append(o.open, accl.OwnPeers(false))
	return s.way.open(ctx, t, d, o)
}

// TestStrangers has engines find out what their peers are while messages of all sizes are
// on their way in any order, and again after a reset.
func TestStrangers(t *testing.T) {
	on := goesBy(t, "process")
	on.way, on.share = strangers{on.way}, 0.3
	for _, part := range parts {
		on.platforms = []string{"u55c_tcp", "u55c_udp", "u55c_rdma"}
		switch part.name {
		case "operations":
			on.platforms = []string{"u55c_tcp", "u55c_rdma"} // on UDP, large eager messages are lost that rx buffers do not hold
		case "mixed sends", "communicators at once", "receives before sends",
			"reset in the middle":
		default:
			continue
		}
		t.Run(part.name, func(t *testing.T) { part.run(t, on) })
	}
}

// TestStrangersOnVerilatedCards is a part of it on simulated hardware.
func TestStrangersOnVerilatedCards(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	on := goesBy(t, "verilated")
	cards := on.way.(hardware)
	cards.by = strangers{cards.by}
	on.way, on.share, on.platforms = cards, 0.01, []string{"u55c_tcp"}
	mixedSends(t, on)
}
