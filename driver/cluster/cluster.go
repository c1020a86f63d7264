// Package cluster brings up a rank of a world of cards. The processes that mpirun or srun
// has started find each other (package bringup), and each opens its card (xrt, or coyote
// for RDMA platforms), sets up its network (network) and configures its engine (accl).
// Then all ranks are ready, or all return the same error.
//
//	env := bringup.Flags(flag.CommandLine, os.LookupEnv) // before flag.Parse
//	meet, err := bringup.FromEnv(env)
//	rank, err := cluster.Open(ctx, cluster.Options{
//		Platform: &u55c_tcp.Platform, Design: &u55c_tcp.Card,
//		Card: xrt.Options{Xclbin: "u55c_tcp.xclbin"}, Bringup: meet,
//	})
//	defer rank.Close(ctx)
//	src, err := accl.Alloc[float32](ctx, rank.Engine, 1000)
//
// # Placement
//
// The n-th process of a host has engine n of the host, which is that of card n if cards
// have one engine each. Rank r has the r-th address from that of Options.Network on.
//
// # TCP
//
// The TCP stack of a card keeps its port and connections when a program ends, and the
// card is not loaded again for the next program. Open returns ErrStale for a TCP stack
// that was used before.
//
// # RDMA
//
// Platforms in the Coyote shell need no file: their cards are loaded before the shell's
// driver. Ranks open their cards first, and exchange their queue pairs when they meet.
// The shell reports little about the network, so at the end each rank sends a message to
// each other rank. If one does not arrive, all ranks get the same error, which matches
// ErrMessages.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/driver/xrt"
)

// Errors of this package, for errors.Is. Others are those of the packages that it uses.
var (
	ErrAddress = errors.New("the network has no address for the rank")
	ErrStale   = errors.New("the TCP stack has been used since the card was loaded")
	// ErrMessages matches the error if all ranks are ready, but their first messages do not
	// arrive.
	ErrMessages = errors.New("the first messages do not arrive")
)

// Defaults of Options.
var (
	DefaultNetwork        = netip.MustParsePrefix("10.10.10.1/24")
	DefaultPort    uint16 = 5500
)

// Options choose the rank and its card.
type Options struct {
	Platform *accl.Platform
	Design   *layout.Design
	// Bringup identifies the rank and the meeting point of all ranks. Open fills in Self.
	Bringup bringup.Options
	// Card names the file, and optionally the card of this process; otherwise Process
	// chooses the card.
	Card xrt.Options
	// Shell is the card of this process, for a platform in a shell; if nil, Process chooses
	// the card.
	Shell *coyote.Options
	// Process is the number of this process on its host. It chooses the engine among those
	// of all cards. 0 is the number from the launcher, if there is one.
	Process int
	// Network is the address of rank 0 with the prefix length of the network. Zero is
	// DefaultNetwork.
	Network netip.Prefix
	Port    uint16 // of all engines, on TCP and UDP; 0 is DefaultPort
	// Stack is the configuration of the network, apart from ranks and addresses.
	Stack network.Config
	// Open are options for the engine.
	Open []accl.OpenOption
}

// Rank is a rank that is ready for calls.
type Rank struct {
	Engine  *accl.Engine
	World   *bringup.World
	Card    Card
	Network *network.Stack
}

// Open brings up a rank. All ranks call it at about the same time, and get the same
// error; see package bringup.
func Open(ctx context.Context, o Options) (*Rank, error) {
	all, err := Addresses(o.Network, o.Port, o.Bringup.Size)
	if err != nil {
		return nil, err
	}
	if o.Bringup.Rank < 0 || o.Bringup.Rank >= len(all) {
		return nil, fmt.Errorf("%w: rank %d of %d", ErrAddress, o.Bringup.Rank, len(all))
	}
	if launched, err := accl.LaunchOf(os.LookupEnv); err == nil && o.Process == 0 {
		o.Process = launched.LocalRank
	}
	o.Bringup.Self = bringup.Describe(o.Platform, all[o.Bringup.Rank])
	r := &Rank{}
	var early *Part
	var failed error
	if len(o.Design.Driver) > 0 {
		if early, o.Bringup.Self.Data, failed = shell(ctx, &o, all); early != nil {
			r.Card, r.Network = early.Card, early.Network
		}
	}
	if r.World, err = bringup.Join(ctx, o.Bringup); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	watched, cancel := r.World.Context(ctx)
	defer cancel()
	if failed == nil {
		failed = r.configure(watched, &o, early)
	}
	if err = r.World.Ready(ctx, failed); err == nil && early != nil {
		err = GreetAll(watched, r.World, r.Engine)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// configure opens the card, unless it is open, and sets up network and engine.
func (r *Rank) configure(ctx context.Context, o *Options, part *Part) (err error) {
	stack := o.Stack
	if part == nil {
		if part, err = Take(ctx, o.Platform, o.Design, o.Card, o.Process); err != nil {
			return err
		}
	} else if stack.Said, err = Said(ctx, r.World); err != nil {
		return err
	}
	r.Card, r.Network = part.Card, part.Network
	ranks, open, err := part.Setup(ctx, r.World.Ranks(), r.World.Rank(), stack)
	if err != nil {
		return err
	}
	open = append(open, accl.OwnPeers(true), r.World.Reports()) // they are opened by this package, too
	r.Engine, err = accl.Open(ctx, part.Device, o.Platform, ranks, r.World.Rank(), append(open, o.Open...)...)
	return err
}

// Close closes the engine and the card, and leaves the world.
func (r *Rank) Close(ctx context.Context) error {
	var errs []error
	if r.Engine != nil {
		errs = append(errs, r.Engine.Close(ctx))
	}
	if r.Card != nil {
		errs = append(errs, r.Card.Close())
	}
	if r.World != nil {
		errs = append(errs, r.World.Close())
	}
	return errors.Join(errs...)
}

// Addresses returns n ranks with consecutive addresses; from is the address of rank 0.
func Addresses(from netip.Prefix, port uint16, n int) ([]accl.Rank, error) {
	if !from.IsValid() {
		from = DefaultNetwork
	}
	port = cmp.Or(port, DefaultPort)
	if n < 1 || n > bringup.MaxSize {
		return nil, fmt.Errorf("%w: a world has 1 to %d ranks, not %d", ErrAddress, bringup.MaxSize, n)
	}
	out := make([]accl.Rank, n)
	at := from.Addr()
	for i := range out {
		if !at.Is4() || !from.Contains(at) || at.IsMulticast() {
			return nil, fmt.Errorf("%w: rank %d of %d, from %s on", ErrAddress, i, n, from)
		}
		out[i] = accl.Rank{IP: at, Port: port, Session: uint32(i)}
		at = at.Next()
	}
	return out, nil
}
