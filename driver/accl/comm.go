package accl

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// Comm is a communicator, a list of ranks that call collectives together. A nil *Comm
// belongs to a rank that is not a member; its operations return ErrNotMember.
type Comm struct {
	engine *Engine
	number int // in the order of creation
	at     uint32
	ranks  []Rank
	local  int
	opened bool // the engine has opened sessions for it
	// broke is the first collective that failed since the last success.
	broke atomic.Pointer[CallError]
}

// Engine is the engine that the communicator belongs to.
func (c *Comm) Engine() *Engine { return c.engine }

// Rank is the index of this engine among the ranks, -1 if it is not a member.
func (c *Comm) Rank() int {
	if c == nil {
		return -1
	}
	return c.local
}

// Size is the number of ranks, 0 if this engine is not a member.
func (c *Comm) Size() int {
	if c == nil {
		return 0
	}
	return len(c.ranks)
}

// Ranks lists the members.
func (c *Comm) Ranks() []Rank {
	if c == nil {
		return nil
	}
	c.engine.setup.Lock() // sessions may be being opened
	defer c.engine.setup.Unlock()
	return slices.Clone(c.ranks)
}

// Address is the offset of the communicator in the exchange memory, in bytes. Kernels that
// call the engine pass it as comm.
func (c *Comm) Address() uint32 { return c.at }

// newComm finds or writes a communicator.
func (e *Engine) newComm(ctx context.Context, ranks []Rank, local int) (*Comm, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	if err := checkRanks(ranks, local); err != nil {
		return nil, err
	}
	if len(e.rx) == 0 {
		return nil, fmt.Errorf("%w: it has no rx buffers", ErrNotConfigured)
	}
	if known := e.find(ranks, local); known != nil {
		return known, nil
	}
	if len(e.comms) == 0 {
		l, err := e.w.plan(&e.p.Exchange, len(e.rx), len(ranks), e.o.configs)
		if err != nil {
			return nil, err
		}
		e.layout = l
	}
	before := e.layout
	before.slots = slices.Clone(e.layout.slots)
	at, err := e.layout.take(e.w, &e.p.Exchange, len(ranks))
	if err != nil {
		return nil, err
	}
	c := &Comm{engine: e, number: len(e.comms), at: at, ranks: slices.Clone(ranks), local: local}
	for i := range c.ranks {
		if c.ranks[i].MaxSegmentBytes == 0 {
			c.ranks[i].MaxSegmentBytes = uint32(e.o.maxSegment)
		}
	}
	if err := c.write(ctx); err != nil {
		e.layout = before
		return nil, err
	}
	e.own.begins(at)
	e.comms = append(e.comms, c)
	e.world.CompareAndSwap(nil, c)
	return c, nil
}

// find returns the communicator of the same ranks in the same order, if there is one:
// engines number messages by list of members.
func (e *Engine) find(ranks []Rank, local int) *Comm {
	for _, c := range e.comms {
		if c.local == local && slices.EqualFunc(c.ranks, ranks, func(a, b Rank) bool { return a.place() == b.place() }) {
			return c
		}
	}
	return nil
}

// write describes the communicator to the engine; sequence numbers begin at 0.
func (c *Comm) write(ctx context.Context) error {
	e, t := c.engine, &c.engine.w.communicators
	header := map[string]uint32{"size": uint32(len(c.ranks)), "local_rank": uint32(c.local)}
	if err := e.writeWords(ctx, c.at, t.header, header); err != nil {
		return err
	}
	for i, r := range c.ranks {
		record := map[string]uint32{
			"ip": r.word(), "port": uint32(r.Port), "session": r.Session, "max_segment_len": r.MaxSegmentBytes,
		}
		if err := e.writeWords(ctx, t.place(c.at, i), t.record, record); err != nil {
			return err
		}
	}
	return nil
}

// word is the address of a word in a rank's record.
func (c *Comm) word(rank int, name string) uint32 {
	t := &c.engine.w.communicators
	return t.place(c.at, rank) + 4*uint32(slices.Index(t.record, name))
}

// Split returns a communicator of some members of this one, given by index, in this
// order. All of them call it with the same indices. On a rank that is not among them, it
// returns nil. For a list of ranks that already has a communicator, it returns that one.
func (c *Comm) Split(ctx context.Context, indices []int) (*Comm, error) {
	if c == nil {
		return nil, fmt.Errorf("split a communicator: %w", ErrNotMember)
	}
	ranks := make([]Rank, len(indices))
	for i, index := range indices {
		if index < 0 || index >= len(c.ranks) {
			return nil, fmt.Errorf("split a communicator: %w: %d of %d", ErrRank, index, len(c.ranks))
		}
		if slices.Contains(indices[:i], index) {
			return nil, fmt.Errorf("split a communicator: %w: %d is there twice", ErrRank, index)
		}
		ranks[i] = c.ranks[index]
	}
	local := slices.Index(indices, c.local)
	if local < 0 && len(indices) > 0 {
		return nil, nil
	}
	made, err := c.engine.communicator(ctx, ranks, local)
	if err != nil {
		return nil, fmt.Errorf("split a communicator: %w", err)
	}
	return made, nil
}

// Communicator returns a communicator of any ranks; local is the index of this engine
// among them. If local is -1, the engine is not a member, and the communicator is nil.
// Call OpenCon of the communicator if it has ranks that the engine has no session to.
func (e *Engine) Communicator(ctx context.Context, ranks []Rank, local int) (*Comm, error) {
	if local == -1 {
		return nil, nil
	}
	c, err := e.communicator(ctx, ranks, local)
	if err != nil {
		return nil, fmt.Errorf("make a communicator: %w", err)
	}
	return c, nil
}

// communicator makes a communicator, with the sessions that its ranks have in others.
func (e *Engine) communicator(ctx context.Context, ranks []Rank, local int) (*Comm, error) {
	e.setup.Lock()
	defer e.setup.Unlock()
	if err := e.usable(); err != nil {
		return nil, err
	}
	if err := checkRanks(ranks, local); err != nil {
		return nil, err
	}
	known, opened, err := e.sessions(ctx)
	if err != nil {
		return nil, err
	}
	ranks = slices.Clone(ranks)
	all := true
	for i := range ranks {
		session, has := known[ranks[i].place()]
		if has {
			ranks[i].Session = session
		}
		all = all && (has || i == local)
	}
	c, err := e.newComm(ctx, ranks, local)
	if err == nil && all && opened {
		c.opened = true
	}
	return c, err
}
