package accl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// CauseKind says what a Cause is.
type CauseKind string

// Kinds of causes.
const (
	NotCalled   CauseKind = "not called"     // the rank is in no call
	NotSent     CauseKind = "not sent"       // the rank is in a call, and has not sent yet
	CallsDiffer CauseKind = "calls differ"   // of the rank and of another one
	CallFailed  CauseKind = "call failed"    // the last call of the rank has failed for a reason of its own
	MessageLost CauseKind = "message lost"   // on its way to the rank
	OtherTag    CauseKind = "other tag"      // the message is there, and the receive of the rank asks for another
	BuffersFull CauseKind = "rx buffers"     // of the rank are full
	NoAnswer    CauseKind = "no answer"      // of the rank, to the host or on the network
	Halted      CauseKind = "halted"         // the control processor of the rank does not run
	StreamHeld  CauseKind = "stream"         // of the rank's card: a kernel, a plugin, memory or the stack holds it
	InCircle    CauseKind = "wait in circle" // the rank and another one wait for each other
)

// Cause is why a call does not end, or has failed.
type Cause struct {
	Kind CauseKind
	Rank int // of the world, that it is about
	Text string
}

// String is the text, which names the rank.
func (c Cause) String() string { return c.Text }

// Reports tells what the engine of a rank of the world says of itself. Its error is the cause that is named, unless it
// matches ErrNotAsked.
type Reports func(ctx context.Context, rank int) (Report, error)

// WithReports sets how the engine asks for the reports of ranks that other processes host, to name the cause of a
// call that has failed. tell, if not nil, gets what reads the report of this engine, for others: ErrClosed after Close.
// Package bringup has both (World.Reports). Engines of one process ask each other (Beside).
func WithReports(ask Reports, tell func(own func(context.Context) (Report, error))) OpenOption {
	return func(o *openOptions) { o.reports, o.tell = ask, tell }
}

// Beside returns options for engines of the devices of all ranks, one for each, which then name causes at each other.
// OpenAll has them.
func Beside(p *Platform, devices []Device) []OpenOption {
	all := make([]*witness, len(devices))
	options := make([]OpenOption, len(devices))
	for i, dev := range devices {
		all[i] = newWitness(p, dev)
		options[i] = func(o *openOptions) { o.own, o.beside = all[i], all }
	}
	return options
}

// NoCauses leaves causes out of errors: for programs to which timeouts are nothing unusual, or engines whose registers
// take long to read.
func NoCauses() OpenOption {
	return func(o *openOptions) { o.noCauses = true }
}

// ErrNotAsked is the error of ranks whose reports nothing gives.
var ErrNotAsked = errors.New("its host cannot be asked from here")

// ask reads a report: that of this engine, of one that OpenAll has opened with it, or of another process.
func (e *Engine) ask(ctx context.Context, rank int) (Report, error) {
	switch {
	case rank == e.Rank():
		return e.own.report(ctx)
	case rank < len(e.o.beside):
		return e.o.beside[rank].report(ctx)
	case e.o.reports != nil:
		return e.o.reports(ctx, rank)
	}
	return Report{}, ErrNotAsked
}

// Report reads what the engine tells of itself. The error is ErrClosed after Close.
func (e *Engine) Report(ctx context.Context) (Report, error) { return e.own.report(ctx) }

// Activity reads how the engine is, and what it does, between the reports that other ranks ask for: what has one of
// some names, as each word takes long on simulated engines, or all. Errors are those of Platform.Activity, and
// ErrClosed.
func (e *Engine) Activity(ctx context.Context, names ...string) (in Inspection, a Activity, err error) {
	err = e.own.alone(ctx, func() error { in, a, err = e.p.activity(ctx, e.dev, names); return err })
	return in, a, err
}

// Trace is Platform.Trace, between the reports that other ranks ask for.
func (e *Engine) Trace(ctx context.Context, last int) (t Trace, err error) {
	err = e.own.alone(ctx, func() error { t, err = e.p.Trace(ctx, e.dev, last); return err })
	return t, err
}

// Causes says why calls of this engine do not end, if they have waited for another rank for a quarter of the limit for
// remote ranks, or stand for a reason of its own. It asks the ranks that are waited for, as far as they can be
// reached, and is empty if all is well.
func (e *Engine) Causes(ctx context.Context) ([]Cause, error) {
	own, err := e.own.report(ctx)
	if err != nil {
		return nil, err
	}
	return Causes(ctx, e.p, own, e.ask), nil
}

// why names the causes of a failed call, or of one without an answer; at is its communicator, and err what is known
// of its failure. Collectives are compared up to the call, if it is one.
func (e *Engine) why(ctx context.Context, at uint32, err *CallError, call *OtherCall) []Cause {
	if e.World() == nil || e.o.noCauses {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.o.waitLimit)
	defer cancel()
	own, unread := e.own.report(ctx)
	if unread != nil {
		return nil // the error of the call says more
	}
	own.Fault, own.FaultComm = err.Fault, at
	if own.Awaited < 0 && call.known != nil && call.known.Peer == PeerSource {
		own.Awaited = call.Root // the engine records no events while they are read
	}
	if own.LastCode == 0 {
		own.LastCode = err.Code
	}
	if own.Unsent < 0 && call.known != nil && call.known.Peer == PeerDestination {
		own.Unsent = call.Root
	}
	if err.Fault != nil || own.Awaited >= 0 && !err.Has(packTimeout) {
		w := own.waited()
		w.Comm = at
		own.Waits = []Wait{w}
	}
	if err.Fault != nil && err.Fault.Limit != 0 {
		own.Limit = err.Fault.Limit // that of the engine
	}
	i := &inquiry{ctx: ctx, p: e.p, ask: e.ask, own: &own}
	for c := range own.Communicators {
		if d := &own.Communicators[c]; d.Address == at && call.Number > 0 {
			i.comm, i.number, i.most, i.by = d, int(call.Number), *d.Called, own.Rank
		}
	}
	if err.Has(collectiveMismatch) && i.others(false) || err.Refused {
		return i.found
	}
	i.look(&own, nil)
	// A rank that is not among those that wait may be missing all the same: each awaits one of several at a time.
	found, vague := i.found, []CauseKind{InCircle, NotSent, CallFailed}
	i.found = nil
	if slices.ContainsFunc(found, func(c Cause) bool { return !slices.Contains(vague, c.Kind) }) || !i.others(true) {
		return found
	}
	return i.found
}

// others tells whether differ does of any rank: first that which was met, or which has told of its failure.
func (i *inquiry) others(missing bool) bool {
	first := max(0, i.own.Awaited)
	if f := i.own.Fault; f != nil {
		first = f.Rank
		if o := f.Other; !missing && o != nil && o.Code != 0 && !i.p.has(o.Code, collectiveMismatch) {
			return false
		}
	}
	for n := 0; i.comm != nil && n < len(i.comm.Ranks); n++ {
		rank := i.own.world(Wait{Rank: (first + n) % len(i.comm.Ranks), Comm: i.comm.Address})
		if rank < 0 || rank == i.own.Rank {
			continue
		}
		if x, err := i.ask(i.ctx, rank); err == nil && i.differ(&x, rank, missing) {
			return true
		}
	}
	return false
}

// differ tells whether a rank has called another collective than those asked before, or, if that is looked for, has not
// made the call that has failed here, whatever its other calls are.
func (i *inquiry) differ(x *Report, rank int, missing bool) bool {
	if i.comm == nil || i.comm.index(i.own.Communicators[0].Ranks[rank].place()) < 0 || len(x.Communicators) == 0 ||
		x.Communicators[0].Called == nil {
		return false
	}
	a, b := &i.most, &Called{Resets: i.most.Resets}
	if at := slices.IndexFunc(x.Communicators, i.comm.same); at >= 0 && x.Communicators[at].Called != nil {
		b = x.Communicators[at].Called
	}
	if a.Resets != b.Resets {
		return false
	}
	for n := max(a.Before, b.Before); n < min(a.end(), b.end()); n++ {
		if one, other := a.Calls[n-a.Before], b.Calls[n-b.Before]; one != other {
			i.add(CallsDiffer, rank, "rank %d called %s; rank %d called %s: collective %d of both", rank, other, i.by, one, n+1)
			return true
		}
	}
	if failed := min(i.number, a.end()) - 1; missing && b.end() <= failed {
		i.add(NotCalled, rank, "rank %d has not called %s: %s", rank, a.Calls[max(0, failed-a.Before)], x.In(i.p))
		return true
	}
	if b.end() > a.end() {
		i.most, i.by = *b, rank
	}
	return false
}

// waited is the wait of the last call, which has failed.
func (r *Report) waited() Wait {
	if r.Fault == nil {
		return Wait{Rank: r.Awaited, Comm: r.first(), Time: r.Limit}
	}
	w := Wait{Rank: r.Fault.Rank, Comm: r.FaultComm, Time: r.Limit, Told: r.Fault.Limit == 0}
	if !w.Told {
		w.Sequence = &r.Fault.Sequence
	}
	return w
}

// first is the address of the first communicator.
func (r *Report) first() uint32 {
	if len(r.Communicators) == 0 {
		return 0
	}
	return r.Communicators[0].Address
}

// Causes follows the waits of a rank to the ranks that hold it up. Reports of others are asked for one after the other.
func Causes(ctx context.Context, p *Platform, of Report, ask Reports) []Cause {
	i := &inquiry{ctx: ctx, p: p, ask: ask}
	i.look(&of, nil)
	return i.found
}

// inquiry looks for causes.
type inquiry struct {
	ctx   context.Context
	p     *Platform
	ask   Reports
	found []Cause

	// The collective that has failed: its rank, communicator, nil for none, and number.
	own    *Report
	comm   *CommDump
	number int
	// most are the collectives, by a rank, that those of others are compared with.
	most Called
	by   int
}

// mostCauses are told: each further one is most often of the same kind.
const mostCauses = 3

func (i *inquiry) add(kind CauseKind, rank int, format string, a ...any) {
	c := Cause{kind, rank, fmt.Sprintf(format, a...)}
	if len(i.found) < mostCauses && !slices.Contains(i.found, c) {
		i.found = append(i.found, c)
	}
}

// look finds why a rank does not go on, after the ranks that wait for it, each for the next one.
func (i *inquiry) look(r *Report, behind []*Report) {
	if i.unwell(r) {
		return
	}
	for _, s := range r.Stands {
		if (r.Busy || len(behind) == 0) && (holdsUp[s.Name] || i.p.lasted(s.Cycles) >= r.Limit/4) {
			i.add(StreamHeld, r.Rank, "rank %d: %s", r.Rank, s.Doc)
			return
		}
	}
	waits := r.Waits
	if len(waits) == 0 && !r.Busy && r.failedWaiting(i.p) {
		waits = []Wait{r.waited()}
	}
	if len(waits) == 0 && i.p.has(r.LastCode, packTimeout) && i.unsent(r, nil) {
		return
	}
	holder := ""
	switch {
	case len(waits) > 0 || r.Busy:
	case i.p.has(r.LastCode, kernelTimeout):
		holder = "its user kernel"
	case i.p.has(r.LastCode, dmaTimeout):
		holder = "its memory, a plugin or its user kernel"
	}
	if holder != "" {
		i.add(StreamHeld, r.Rank, "rank %d: %s has not given, or not taken, the data of %s within the limit", r.Rank,
			holder, cmp.Or(r.Last, "its last call"))
		return
	}
	long := slices.DeleteFunc(slices.Clone(waits), func(w Wait) bool { return w.Time < r.Limit/4 })
	for _, w := range long {
		i.follow(r, w, append(behind, r))
	}
	switch {
	case len(waits) > 0 || len(behind) == 0 || r.Unknown && !r.Busy:
	case r.Busy:
		i.add(NotSent, r.Rank, "rank %d has not sent what is waited for: %s", r.Rank, r.In(i.p))
	case r.LastCode != 0:
		i.add(CallFailed, r.Rank, "rank %d: %s", r.Rank, r.In(i.p))
	default:
		i.add(NotCalled, r.Rank, "rank %d has not called: %s", r.Rank, r.In(i.p))
	}
}

// unwell tells whether the control processor of a rank does not run.
func (i *inquiry) unwell(r *Report) bool {
	if r.Unwell != "" {
		i.add(Halted, r.Rank, "rank %d: its control processor does not run: %s", r.Rank, r.Unwell)
	}
	return r.Unwell != ""
}

// holdsUp are the stalls that a call's end may depend on, not those of a kernel that has nothing to do with it. True
// are those that no healthy world has for StuckCycles; the others come with a slow network or memory, too, and are
// causes after a quarter of the limit for remote ranks.
var holdsUp = map[string]bool{
	"kernel": true, "kernel_out": true, "arith_op0": true, "arith_op1": true,
	"compression0_operand": true, "compression1_operand": true, "compression2_operand": true,
	"memory": false, "eth_tx_data": false, "eth_tx_meta": false, "rdma_sq": false, "op0_command": false,
	"op1_command": false, "result_command": false, "result": false, "inbound_command": false, "inbound": false,
}

// failedWaiting tells whether the last call has failed because another rank did not send, or has told of a failure.
func (r *Report) failedWaiting(p *Platform) bool {
	return (r.Fault != nil || r.Awaited >= 0) &&
		(p.has(r.LastCode, receiveTimeout) || p.has(r.LastCode, collectiveMismatch))
}

// before is the wait of a call that has ended because another rank told of its failure.
func (r *Report) before(p *Platform) (w Wait, is bool) {
	is = !r.Busy && r.Awaited >= 0 && r.Fault != nil && p.has(r.LastCode, collectiveMismatch)
	return Wait{Rank: r.Awaited, Comm: r.FaultComm, Time: r.Limit}, is
}

// follow looks at the rank that another one waits for.
func (i *inquiry) follow(r *Report, w Wait, behind []*Report) {
	rank := r.world(w)
	if rank < 0 {
		return
	}
	if at := slices.IndexFunc(behind, func(b *Report) bool { return b.Rank == rank }); at >= 0 {
		i.circle(behind, at)
		return
	}
	x, err := i.ask(i.ctx, rank)
	switch {
	case errors.Is(err, ErrNotAsked), i.ctx.Err() != nil:
		return // it is not known, or takes too long here
	case err != nil:
		i.add(NoAnswer, rank, "rank %d does not answer: %v", rank, err)
		return
	}
	x.Rank = rank // also if it has no communicator yet
	x.Limit = min(x.Limit, r.Limit)
	if i.differ(&x, rank, !x.Busy) {
		return
	}
	if (w.Told || !i.missing(r, &x, w) && !i.astray(r, &x)) && !i.unsent(&x, r) {
		i.look(&x, behind)
	}
}

// world is the rank of the world that a rank waits for; -1 if not known.
func (r *Report) world(w Wait) int {
	if len(r.Communicators) == 0 {
		return -1
	}
	world := &r.Communicators[0]
	if w.Comm == 0 {
		return slices.IndexFunc(world.Ranks, func(d RankDump) bool { return d.Session == w.Session })
	}
	for c := range r.Communicators {
		if d := &r.Communicators[c]; d.Address == w.Comm && w.Rank >= 0 && w.Rank < len(d.Ranks) {
			return world.index(d.Ranks[w.Rank].place())
		}
	}
	return -1
}

// missing tells whether the awaited message was sent and is not where the wait takes it from.
func (i *inquiry) missing(r, x *Report, w Wait) bool {
	for c := range r.Communicators {
		d := &r.Communicators[c]
		if w.Comm != 0 && d.Address != w.Comm || r.Rank < 0 || d.Local < 0 || d.Local >= len(d.Ranks) {
			continue
		}
		at := slices.IndexFunc(x.Communicators, d.same)
		from := d.index(r.Communicators[0].Ranks[x.Rank].place())
		if at < 0 || from < 0 {
			continue
		}
		next := d.Ranks[from].Inbound
		if w.Sequence != nil {
			next = *w.Sequence
		}
		if int32(x.Communicators[at].Ranks[d.Local].Outbound-next) <= 0 {
			continue
		}
		held := slices.IndexFunc(r.Messages, func(m RxBufferDump) bool { return m.Source == from && m.Sequence == next })
		switch {
		case held >= 0 && w.Comm == 0:
			continue // of another communicator, maybe
		case held >= 0 && r.RxBuffersFull:
			i.add(BuffersFull, r.Rank, "the rx buffers of rank %d are full of messages with other tags than it waits for; "+
				"further ones of rank %d have no place", r.Rank, x.Rank)
		case held >= 0:
			m := r.Messages[held]
			i.add(OtherTag, r.Rank, "rank %d has the message %d of rank %d in rx buffer %d, with tag %d and %d bytes: "+
				"it waits for another tag", r.Rank, next, x.Rank, m.Index, m.Tag, m.Length)
		case r.RxBuffersFull:
			i.add(BuffersFull, r.Rank, "the rx buffers of rank %d are full: it has to receive what they hold; "+
				"message %d of rank %d has no place", r.Rank, next, x.Rank)
		case r.Dropped > 0:
			i.add(BuffersFull, r.Rank, "message %d of rank %d to rank %d was lost: rank %d has dropped %d packets "+
				"because no rx buffer was free", next, x.Rank, r.Rank, r.Rank, r.Dropped)
		default:
			i.add(MessageLost, r.Rank, "message %d of rank %d to rank %d was sent and has not arrived", next, x.Rank, r.Rank)
		}
		return true
	}
	return false
}

// Bits of calls of which something could not be sent, and whose user kernel, or anything on the card, did not do its
// part.
const (
	packTimeout   = "PACK_TIMEOUT_STS"
	kernelTimeout = "KRNL_TIMEOUT_STS"
	dmaTimeout    = "DMA_TIMEOUT"
)

// unsent tells whether packets of a rank to another, or to any if that is nil, were not taken for too long.
func (i *inquiry) unsent(from, to *Report) bool {
	rank := -1
	switch {
	case from.GivenUp > 0:
		rank = from.world(Wait{Session: from.GivenUpSession})
	case !i.p.has(from.LastCode, packTimeout):
	case from == i.own:
		rank = from.world(Wait{Rank: from.Unsent, Comm: from.FaultComm})
	case len(from.Communicators) == 1: // else it is not known in which one
		rank = from.world(Wait{Rank: from.Unsent, Comm: from.first()})
	}
	if rank < 0 || to != nil && to.Rank != rank {
		return false
	}
	if to == nil {
		x, err := i.ask(i.ctx, rank)
		switch {
		case err == nil:
			x.Rank, to = rank, &x
		case !errors.Is(err, ErrNotAsked) && i.ctx.Err() == nil:
			i.add(NoAnswer, rank, "rank %d does not answer: %v", rank, err)
			return true
		}
	}
	switch {
	case to != nil && i.unwell(to):
	case to != nil && to.RxBuffersFull:
		i.add(BuffersFull, rank, "the rx buffers of rank %d are full: it has to receive what they hold; "+
			"packets of rank %d to it have no place", rank, from.Rank)
	default:
		i.add(NoAnswer, rank, "rank %d does not answer on the network: packets of rank %d to it were refused for too long",
			rank, from.Rank)
	}
	return true
}

// circle says that ranks wait for each other, from one on, unless the network has lost what one of them waits for, or
// one was told of the failure of another, and has waited for a rank outside.
func (i *inquiry) circle(behind []*Report, at int) {
	ranks := behind[at:]
	for n, r := range ranks {
		if i.astray(r, ranks[(n+1)%len(ranks)]) {
			return
		}
	}
	for _, r := range ranks {
		w, told := r.before(i.p)
		within := func(b *Report) bool { return b.Rank == r.world(w) }
		if told && r.world(w) >= 0 && !slices.ContainsFunc(ranks, within) {
			i.follow(r, w, behind)
			return
		}
	}
	var text []string
	for n, r := range ranks {
		text = append(text, fmt.Sprintf("rank %d for rank %d (%s)", r.Rank, ranks[(n+1)%len(ranks)].Rank, r.In(i.p)))
	}
	i.add(InCircle, ranks[0].Rank, "ranks wait for each other: %s", strings.Join(text, ", "))
}

// index is the rank at an address, -1 if there is none.
func (d *CommDump) index(place netip.AddrPort) int {
	return slices.IndexFunc(d.Ranks, func(r RankDump) bool { return r.place() == place })
}

// same tells whether two communicators have the same ranks in the same order.
func (d *CommDump) same(other CommDump) bool {
	return slices.EqualFunc(d.Ranks, other.Ranks, func(a, b RankDump) bool { return a.place() == b.place() })
}
