// Package cluster brings up a rank of a world of cards: the processes that mpirun or
// srun has started find each other (package bringup), each opens its card (xrt, or coyote
// for RDMA platforms), sets up its network (network) and configures its engine (accl). All
// are ready then, or all say the same error.
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
// # What goes where
//
// The n-th process of a host has engine n of the host: that of card n if cards have one
// engine each. Rank r has the r-th address from that of Options.Network on.
//
// # TCP
//
// The TCP stack of a card goes on when a program ends, with its port and its
// connections, and the card is not loaded anew for the next program. So Open refuses a
// TCP stack that is not fresh, with ErrStale.
//
// # RDMA
//
// Platforms in the Coyote shell need no file: their cards were loaded before the shell's
// driver was. Ranks open them first, and tell each other of their queue pairs when they
// meet. What the shell knows of the network is little, so that in the end a message goes
// from each rank to each other one; if one does not arrive, all ranks get the same error,
// which matches ErrMessages.
package cluster

import (
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

// Errors of this package; others are those of the packages that it uses.
var (
	ErrAddress = errors.New("the network has no address for the rank")
	ErrStale   = errors.New("the TCP stack has been used since the card was loaded")
	// ErrMessages says that all ranks are ready, but their first messages do not arrive.
	ErrMessages = errors.New("the first messages do not arrive")
)

// What options are if they are zero.
var (
	DefaultNetwork        = netip.MustParsePrefix("10.10.10.1/24")
	DefaultPort    uint16 = 5500
)

// Options say which rank is opened, and on what.
type Options struct {
	Platform *accl.Platform
	Design   *layout.Design
	// Bringup is who the rank is and how it finds the others; Self is filled in.
	Bringup bringup.Options
	// Card has the file. Its Card, if there is one, is the card of this process, else
	// Process counts.
	Card xrt.Options
	// Shell is the card of this process, if the platform is in a shell; nil if Process
	// counts.
	Shell *coyote.Options
	// Process is the number of this process on its host: it chooses the engine among those
	// of all cards. 0 is the number that the launcher says, if there is one.
	Process int
	// Network is where the engines are: the address of rank 0 with the bits of the
	// network. Zero is DefaultNetwork.
	Network netip.Prefix
	Port    uint16 // of all engines, on TCP and UDP; 0 is DefaultPort
	// Stack is what the network shall be, apart from ranks and addresses.
	Stack network.Config
	// Open are options for the engine.
	Open []accl.OpenOption
}

// Rank is a rank that is ready.
type Rank struct {
	Engine  *accl.Engine
	World   *bringup.World
	Card    Card
	Network *network.Stack
}

// Open brings up a rank, which all ranks do at about the same time. The error is the
// same on all of them: see package bringup.
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
	open = append(open, accl.OwnPeers(true)) // they are opened by this package, too
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

// Addresses are those of n ranks, one behind the other from that of rank 0 on.
func Addresses(from netip.Prefix, port uint16, n int) ([]accl.Rank, error) {
	if !from.IsValid() {
		from = DefaultNetwork
	}
	if port == 0 {
		port = DefaultPort
	}
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
