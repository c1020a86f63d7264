package network

import (
	"context"
	"math/bits"

	"github.com/cclforge/cclforge/driver/layout"
)

type tcp struct {
	*block
	limits
}

// limits are what the TCP stack is built with.
type limits struct {
	boards int // MAC addresses
	ports  int // it listens below
	bits   int // of its network
	buffer int // bytes of each
}

func newTCP(d *layout.Design, in layout.Instance, open Opener) (*tcp, error) {
	b, err := newBlock(d, in, open, tcpNeeds)
	if err != nil {
		return nil, err
	}
	t := &tcp{block: b}
	for name, limit := range map[string]*int{"boards": &t.boards, "listen_ports": &t.ports, "network_bits": &t.bits,
		"buffer_bytes": &t.buffer} {
		fact, ok := b.kernel.Fact(name)
		if !ok || fact == 0 {
			return nil, failure(ErrDesign, in.Name, nil,
				"kernel %s is described without its %s; its platform is older than this driver", b.kernel.Name, name)
		}
		*limit = int(fact)
	}
	return t, nil
}

var tcpNeeds = []string{"control.start", "control.done", "control.idle", "ip_addr", "board_number", "arp",
	"axi00_ptr0", "axi01_ptr0"}

// start gives the stack its addresses. They are taken over by a start, which takes a
// second.
func (t tcp) start(ctx context.Context, c *Config) error {
	k := t.called()
	if err := k.idle(ctx); err != nil {
		return err
	}
	board := c.Local % t.boards
	if c.Board != nil {
		board = *c.Board
	}
	// The stack looks this address up at once, which saves the first packet to it.
	next := number(c.hop(c.Ranks[(c.Local+1)%len(c.Ranks)].IP.Unmap()))
	for _, r := range []struct {
		name  string
		value uint64
	}{
		{"ip_addr", uint64(number(c.own().Addr()))}, {"board_number", uint64(board)}, {"axi00_ptr0", c.Send},
		{"axi01_ptr0", c.Receive},
	} {
		if err := t.keep(ctx, r.name, 0, r.value); err != nil {
			return err
		}
	}
	// Some revisions keep it as packets have it.
	if err := t.keep(ctx, "arp", 0, uint64(next), uint64(bits.ReverseBytes32(next))); err != nil {
		return err
	}
	if err := k.start(ctx); err != nil {
		return err
	}
	return k.done(ctx)
}
