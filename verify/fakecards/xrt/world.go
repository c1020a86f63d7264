package xrt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Host is a host with modelled cards: the ranks of a world are their engines, card by card.
type Host struct {
	*Server
	World    *world.World
	Networks []*Networks // of the cards
	// Xclbin is the path of the design's .xclbin.
	Xclbin string
}

// HostOptions change a host.
type HostOptions struct {
	World world.Options
	// Empty cards have no .xclbin at the beginning.
	Empty bool
	// Foreign host controllers, of another make, take no posts.
	Foreign bool
	// Wire connects the network kernels; nil for a wire of the host's own.
	Wire *kernels.Wire
	// Registers returns models of instances of a card, by their names, in the place of the
	// host's own; nil for none.
	Registers func(number int) map[string]layout.Registers
}

// NewHost starts ranks of a design behind cards, each with as many engines as the
// design has; the last card may have engines that no rank uses.
func NewHost(ctx context.Context, d *design.Design, ranks int, o HostOptions) (*Host, error) {
	image, err := Image(d, "")
	if err != nil {
		return nil, err
	}
	count := max(d.Platform.CCLO.Count, 1)
	cards, on := make([]Card, (ranks+count-1)/count), o.Wire
	networks := make([]*Networks, len(cards))
	if on == nil {
		on = kernels.NewWire(false)
	}
	for i := range networks {
		networks[i] = onWire(on, d)
	}
	var numbering kernels.Numbering
	o.World.Port = func(rank int, port fabric.Port) fabric.Port {
		stack := networks[rank/count].tcp(d, rank%count)
		if stack == nil {
			return port
		}
		return numbering.Port(uint32(rank), port, stack)
	}
	w, err := world.New(ctx, d, ranks, o.World)
	if err != nil {
		return nil, err
	}
	for i := range cards {
		cards[i] = Card{Platform: Shell(d), Design: d, Foreign: o.Foreign,
			Engines: engines(w, i*count, min((i+1)*count, ranks))}
		if !o.Empty {
			cards[i].Loaded = image
		}
		var others map[string]layout.Registers
		if o.Registers != nil {
			others = o.Registers(i)
		}
		cards[i].Registers = networks[i].registers(others)
	}
	s, err := Serve(ctx, cards)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	h := &Host{Server: s, World: w, Networks: networks, Xclbin: filepath.Join(s.Dir(), d.Platform.Name+".xclbin")}
	if err := os.WriteFile(h.Xclbin, image, 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("write the .xclbin: %w", err), h.Close())
	}
	return h, nil
}

func engines(w *world.World, from, to int) []engine.Engine {
	var out []engine.Engine
	for rank := from; rank < to; rank++ {
		out = append(out, w.Engine(rank))
	}
	return out
}

// Ranks are the addresses of all ranks, as Open takes them.
func (h *Host) Ranks() []accl.Rank { return h.World.Ranks() }

// Close ends the server and the ranks.
func (h *Host) Close() error { return errors.Join(h.Server.Close(), h.World.Close()) }
