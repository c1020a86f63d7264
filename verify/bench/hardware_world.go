package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
)

// beatBytes is what moves at a port in a cycle.
const beatBytes = 64

// eagerBytes is a threshold that no message is above.
const eagerBytes = 1 << 30

// bench is a world that is measured.
type bench struct {
	ctx     context.Context
	w       *world.World
	engines []*accl.Engine
	gate    *gate
	ranks   int

	protocol string
	latency  uint32
	maxEager uint32 // of rendezvous

	mu       sync.Mutex
	accounts [][]rtlsim.Account // by rank
}

// open starts a world of so many ranks in lock step.
func open(ctx context.Context, d *design.Design, n int, o *Hardware, so rtlsim.Options) (b *bench, err error) {
	clock := rtlsim.NewLockstep(o.Step)
	b = &bench{ctx: ctx, ranks: n, engines: make([]*accl.Engine, n), gate: newGate(clock),
		accounts: make([][]rtlsim.Account, n), latency: so.Latency}
	so.Clock = clock
	perCard := max(d.Platform.CCLO.Count, 1)
	cards := &rtlsim.Cards{Options: func(card int) rtlsim.Options {
		own := so
		own.OnCall = func(a rtlsim.Account) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if rank := card*perCard + a.Engine; rank < n {
				b.accounts[rank] = append(b.accounts[rank], a)
			}
		}
		return own
	}}
	if b.w, err = world.New(ctx, d, n, world.Options{Maker: cards.Maker}); err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	b.maxEager = uint32(max(p.Limits.MaxEagerBytes, o.RxBytes))
	options := []accl.OpenOption{accl.WithRxBuffers(o.RxCount, o.RxBytes), accl.OwnPeers(true)}
	if o.MaxRendezvous > 0 {
		options = append(options, accl.WithMaxRendezvous(o.MaxRendezvous))
	}
	err = b.each(n, func(i int) (err error) {
		device := &gated{b.w.Device(i), b.gate, i}
		b.engines[i], err = accl.Open(ctx, device, &p, b.w.Ranks(), i, options...)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, b.w.Close())
	}
	return b, nil
}

// each does something on all ranks at the same time.
func (b *bench) each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// prepare makes conditions those of a row.
func (b *bench) prepare(r *row) error {
	if b.latency != r.latency {
		b.latency = r.latency
		for i := range b.ranks {
			e, ok := b.w.Engine(i).(*rtlsim.Engine)
			if !ok {
				return errors.New("an engine that is not simulated")
			}
			if err := e.ShapeMemory(false, rtlsim.MemoryShape{Latency: r.latency}); err != nil {
				return err
			}
		}
	}
	if r.protocol == "" || r.protocol == b.protocol {
		return nil
	}
	b.protocol = r.protocol
	limit := uint32(eagerBytes)
	if r.protocol == Rendezvous {
		limit = b.maxEager
	}
	return b.each(b.ranks, func(i int) error { return b.engines[i].SetMaxEager(b.ctx, limit) })
}

// warm is the size of what is done before anything is measured: it fills what
// remembers, but does not say the same as what is measured.
const warm = 1024

// again is how often a call is made. Firmware does what it remembers from the third one that says
// the same on, and expects what has come after such a call before.
const again = 4

func (b *bench) point(r *row) (hardwarePoint, error) {
	wrap := func(err error) error {
		return fmt.Errorf("%s of %d bytes (%s): %w", r.name, r.bytes, r.protocol, err)
	}
	if err := b.prepare(r); err != nil {
		return hardwarePoint{}, wrap(err)
	}
	small := *r
	small.bytes = warm
	if r.protocol == Rendezvous { // what is eager fills something else
		small.bytes = 2 * int(b.maxEager) * b.ranks
	}
	if small.bytes == r.bytes {
		small.bytes /= 2
	}
	for range 2 { // what the first call has found out, the second one sets
		if _, err := b.run(&small); err != nil {
			return hardwarePoint{}, wrap(err)
		}
	}
	var p hardwarePoint
	var firsts []uint64
	for range again {
		var err error
		if p, err = b.run(r); err != nil {
			return hardwarePoint{}, wrap(err)
		}
		firsts = append(firsts, p.Cycles)
	}
	p.First, p.Second = firsts[0], firsts[1]
	switch {
	case p.Protocol == Eager && p.Bytes <= beatBytes:
		p.FirstAim = r.first[b.ranks]
	case p.Bytes >= aimBytes:
		p.FirstAim = 1.05 * float64(p.Cycles)
	}
	return p, nil
}

// run runs a row once on all ranks that take part in it, and says how long it took:
// from the first word of the first call until the last answer. Its results are right.
func (b *bench) run(r *row) (hardwarePoint, error) {
	element := 0
	if r.shape.Operands() {
		size, ok := b.engines[0].Platform().TypeBytes(r.dtype)
		if !ok {
			return hardwarePoint{}, fmt.Errorf("no type %s", r.dtype)
		}
		element = size
	}
	count, bytes := r.fits(b.ranks, element)
	p := hardwarePoint{Operation: r.name, Protocol: r.protocol, Type: string(r.dtype), Ranks: b.ranks, Bytes: bytes,
		Latency: r.latency}
	engines, members := b.engines, b.ranks
	switch {
	case alone(r.shape):
		engines, members, p.Ranks = b.engines[:1], 1, 1
	case r.shape.Peer == accl.PeerDestination:
		members = 2
	}
	prepared, err := r.of(b.engines[0].Platform(), count).Prepare(b.ctx, engines)
	if err != nil {
		return p, err
	}
	b.mu.Lock()
	for i := range b.accounts {
		b.accounts[i] = nil
	}
	b.mu.Unlock()
	if r.name == "send" {
		// The receive is posted when calls of the sender have come and gone meanwhile.
		b.gate.shut(members, func(rank int) bool { return rank == 1 }, func(ctx context.Context) error {
			for range 3 {
				if _, err := b.engines[0].Nop(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	} else {
		b.gate.shut(members, nil, nil)
	}
	if err := b.each(members, func(i int) error { return prepared.Call(b.ctx, i) }); err != nil {
		return p, err
	}
	if err := prepared.Finish(b.ctx); err != nil {
		return p, err
	}
	return p, b.account(&p, r, members)
}

func (b *bench) account(p *hardwarePoint, r *row, members int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var began, ended uint64
	for i := range members {
		if len(b.accounts[i]) == 0 {
			return fmt.Errorf("rank %d has no account of its call", i)
		}
		a := b.accounts[i][len(b.accounts[i])-1]
		p.Accounts = append(p.Accounts, Account{i, a.Cycles(), a})
		if i == 0 || a.Began < began && r.name != "send" {
			began = a.Began // of a receive the send counts
		}
		ended = max(ended, a.Ended)
	}
	p.Cycles = ended - began
	c, n := float64(p.Bytes)/beatBytes, float64(b.ranks)
	if r.bound != nil {
		p.Bound = c * r.bound(n, r.protocol)
	}
	if r.engine != nil {
		p.Engine = c * r.engine(n, r.protocol)
	}
	switch {
	case p.Bytes <= beatBytes && r.latency == 0 && r.instant > 0:
		p.Aim = r.instant
	case p.Bytes <= beatBytes && r.operation.latency > 0 && r.protocol != Compressed:
		p.Aim = r.operation.latency
	case r.aim != nil && p.Bytes >= aimBytes && r.protocol != Compressed:
		p.Aim = c * r.aim(n, r.protocol)
	}
	return nil
}

// aimBytes is the size that aims for the rate are for.
const aimBytes = 1 << 20
