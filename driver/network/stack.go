package network

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// Kinds of stacks.
const (
	KindUDP  = "udp"
	KindTCP  = "tcp"
	KindCard = "axis" // switch between the engines of one card: nothing to set up
	KindRDMA = "rdma" // of the Coyote shell
)

// Opener returns the registers of an instance of a card, by its name.
type Opener func(instance string) (layout.Registers, error)

// Stack is the network of an engine. Its methods may be called concurrently.
type Stack struct {
	kind     string
	poe      string // instance
	banks    []layout.Banks
	udp      *udp
	tcp      *tcp
	mac      *mac   // nil where the MAC has no registers
	shell    Shell  // nil where no driver of one was given
	sessions *block // the session handler; nil where the engine opens sessions, or nobody does

	setup     chan struct{} // held by Setup
	turn      chan struct{} // held by whoever uses the session handler
	pending   *request      // that it had not answered when its time was over
	mu        sync.Mutex
	opened    map[netip.AddrPort]uint32 // guarded by mu
	listening map[uint16]bool           // likewise
}

// Of returns the network of an engine. The error is an *Error: ErrDesign or ErrAccess.
func Of(d *layout.Design, cclo int, open Opener) (*Stack, error) {
	kind, poe, err := find(d, cclo)
	if err != nil {
		return nil, err
	}
	s := &Stack{kind: kind, poe: poe.Name, banks: slices.Clone(poe.Banks), setup: make(chan struct{}, 1),
		turn: make(chan struct{}, 1), opened: map[netip.AddrPort]uint32{}, listening: map[uint16]bool{}}
	switch kind {
	case KindUDP:
		var b *block
		if b, err = newBlock(d, poe, open, udpNeeds); err == nil {
			s.udp = &udp{b}
		}
	case KindTCP:
		s.tcp, err = newTCP(d, poe, open)
		if in, ok := instance(d, cclo, layout.Sessions); ok && err == nil {
			s.sessions, err = newBlock(d, in, open, sessionNeeds)
		}
	default:
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if in, ok := instance(d, cclo, layout.MAC); ok {
		if k, _ := d.Kernel(in.Kernel); has(k, "stat_rx_status") {
			b, err := newBlock(d, in, open, macNeeds)
			if err != nil {
				return nil, err
			}
			s.mac = &mac{b, &looks{}}
		}
	}
	return s, nil
}

// Find returns the kind of an engine's network and the instance of its stack, which
// several engines may share, without access to the card. The error is an *Error:
// ErrDesign.
func Find(d *layout.Design, cclo int) (kind, instance string, err error) {
	kind, poe, err := find(d, cclo)
	return kind, poe.Name, err
}

func find(d *layout.Design, cclo int) (string, layout.Instance, error) {
	poe, ok := instance(d, cclo, layout.Network)
	if !ok {
		return "", poe, failure(ErrDesign, "", nil, "engine %d of platform %s has no network", cclo, d.Platform)
	}
	switch k, _ := d.Kernel(poe.Kernel); {
	case has(k, "udp_number_sockets"):
		return KindUDP, poe, nil
	case has(k, "axi00_ptr0"):
		return KindTCP, poe, nil
	case poe.Kernel == "network_krnl":
		return KindCard, poe, nil
	}
	return KindRDMA, poe, nil
}

func has(k layout.Kernel, register string) bool {
	_, ok := k.Register(register)
	return ok
}

// instance is that of an engine in a role, or the only one of the card.
func instance(d *layout.Design, cclo int, role string) (layout.Instance, bool) {
	if own := d.Of(cclo, role); len(own) > 0 {
		return own[0], true
	}
	if all := d.Of(-1, role); len(all) == 1 {
		return all[0], true
	}
	return layout.Instance{}, false
}

// Kind is one of the Kind constants.
func (s *Stack) Kind() string { return s.kind }

// Banks are the memories for Config.Send and Config.Receive of a TCP stack, in this
// order; none for other stacks.
func (s *Stack) Banks() []layout.Banks {
	if s.tcp == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(s.banks),
		func(a, b layout.Banks) int { return strings.Compare(a.Port, b.Port) })
}

// BufferBytes is the size of Config.Send and of Config.Receive of a TCP stack.
func (s *Stack) BufferBytes() int {
	if s.tcp == nil {
		return 0
	}
	return s.tcp.buffer
}

// Setup configures the network of a rank, and waits until it reaches all other ranks,
// which must be set up at about the same time. It returns the ranks with the sessions to
// them, for accl.Open with accl.GivenSessions. It can be called again, also after an
// error. Errors are *Error, joined if there are several.
func (s *Stack) Setup(ctx context.Context, c Config) ([]accl.Rank, error) {
	var of *limits
	if s.tcp != nil {
		of = &s.tcp.limits
	}
	full, err := c.complete(s.kind, of)
	if err != nil {
		return nil, err
	}
	if s.kind == KindRDMA && s.shell == nil {
		return nil, s.unsupported("set up")
	}
	ctx, cancel := context.WithTimeout(ctx, full.Timeout)
	defer cancel()
	select {
	case s.setup <- struct{}{}:
	case <-ctx.Done():
		return nil, own(failure(ErrBusy, s.poe, context.Cause(ctx), "it is being set up"), full)
	}
	defer func() { <-s.setup }()
	ranks, err := s.setUp(ctx, full)
	return ranks, own(err, full)
}

func (s *Stack) setUp(ctx context.Context, c *Config) ([]accl.Rank, error) {
	switch s.kind {
	case KindCard:
		return c.Ranks, nil
	case KindRDMA:
		return s.rdma(ctx, c)
	}
	if s.mac != nil {
		c.Progress(StepLink)
		if err := s.mac.bringUp(ctx, c.FEC); err != nil {
			return nil, err
		}
	}
	if s.udp != nil {
		return s.udp.setUp(ctx, s.mac, c)
	}
	c.Progress(StepStart)
	if err := s.tcp.start(ctx, c); err != nil {
		return nil, err
	}
	return s.connect(ctx, c)
}

// own names the own rank in errors without a rank.
func own(err error, c *Config) error {
	each(err, func(e *Error) {
		if e.Rank < 0 {
			e.Rank, e.Address = c.Local, c.own()
		}
	})
	return err
}

// each calls f with an *Error, or with all that are joined.
func each(err error, f func(*Error)) {
	switch e := err.(type) {
	case *Error:
		f(e)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			each(one, f)
		}
	}
}

func (s *Stack) unsupported(what string) error {
	if s.kind == KindRDMA {
		return failure(ErrUnsupported, s.poe, nil,
			"%s: queue pairs are written by the driver of the Coyote shell; see Within", what)
	}
	return failure(ErrUnsupported, s.poe, nil, "%s: a network of kind %s has no such thing", what, s.kind)
}
