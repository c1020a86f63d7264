package accl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

// Report is what an engine tells of itself by words that need no control processor: what it does, for
// whom it waits, and what it has sent and received. Causes are derived from the reports of ranks.
type Report struct {
	Rank int // in the first communicator of the engine; -1 if it has none
	// Unwell says why the control processor does not run; "" if it does, or if the engine does not tell.
	Unwell string
	Busy   bool // calls are under way
	// Calls are the operations under way, as far as the engine's trace tells; those that were answered in
	// another order than taken may be among them in place of others.
	Calls []string
	// Last is the operation that was answered last, "" if the trace does not tell, and LastCode its return code.
	Last     string
	LastCode ReturnCode
	// Unknown says that events since the last call that the trace tells of, if any, are not known.
	Unknown bool
	Waits   []Wait
	Stands  []Stall // of those that a call's end may depend on: what has stood for StuckCycles
	// RxBuffersFull says that no message goes in any more, other than one that is waited for.
	RxBuffersFull bool
	Dropped       uint32 // packets, since power-up or reset, for which no rx buffer was free
	// GivenUp are sessions to which nothing is sent any more, and GivenUpSession the last of them.
	GivenUp, GivenUpSession uint32

	Communicators []CommDump
	Messages      []RxBufferDump // that no receive has taken
	// Rendezvous are those that the trace tells of, on networks that may lose packets. Partial says that events before
	// the first one it has are not known.
	Rendezvous []Rendezvous
	Partial    bool

	// Fault describes the last call that failed in a communicator at FaultComm; nil if none did, or if the engine
	// does not tell.
	Fault     *Fault
	FaultComm uint32
	// Awaited is the rank, in its communicator, whose message the move was to take that failed last, or that was in
	// front when another rank told of its failure; -1 if the trace does not tell.
	Awaited int
	// Unsent is the rank, in its communicator, to which that move was to send; -1 likewise.
	Unsent int
	// Limit is that of waits for other ranks.
	Limit time.Duration
}

// Wait is a wait for a message of another rank.
type Wait struct {
	Rank int // in the communicator
	// Comm is the address of the communicator; 0 if not known: then Rank is the one with this Session.
	Comm, Session uint32
	Time          time.Duration
	Sequence      *uint32 // of the message, if known
	Told          bool    // no message is waited for: the rank has told that its call has failed
}

// looked are the events that Report reads at least; it reads more until a call is among them, and all if packets may be
// lost.
const looked = 16

// Report reads what an engine tells of itself. Errors are those of r. Others must not read the Activity or the Trace
// at the same time.
func (p *Platform) Report(ctx context.Context, r Registers) (Report, error) {
	return p.report(ctx, r, nil)
}

// report is Report of an engine with communicators at some places.
func (p *Platform) report(ctx context.Context, r Registers, places []uint32) (Report, error) {
	out := Report{Rank: -1, Awaited: -1, Unsent: -1,
		Limit: time.Duration(p.Limits.RemoteTimeoutMilliseconds) * time.Millisecond}
	w, err := newWire(p)
	if err != nil {
		return out, err
	}
	if err := out.processor(ctx, p, r); err != nil && !errors.Is(err, ErrNoInspection) {
		return out, err
	}
	x := &exchangeReader{ctx: ctx, r: r, p: p, w: w}
	if out.Communicators = x.communicators(places); len(out.Communicators) > 0 {
		out.Rank = out.Communicators[0].Local
	}
	out.Messages = x.messages()
	out.Fault, out.FaultComm, _ = x.fault()
	return out, x.err
}

// processor reads what engines of this project tell of what they do.
func (out *Report) processor(ctx context.Context, p *Platform, r Registers) error {
	in, d, err := p.details(ctx, r)
	if in.Version == 0 {
		return err
	}
	if in.Halted || in.Restarting || !in.Started {
		out.Unwell = in.Processor(Inspection{})
	}
	out.GivenUp, out.GivenUpSession = in.GivenUp, in.GivenUpSession
	if err != nil || !in.Counts {
		return err
	}
	if out.activity(p, d); d.err != nil {
		return d.failed()
	}
	whole, called := p.lossy() && !out.Busy, false
	t, err := p.trace(d, func(read int, e Event) bool { // what happens meanwhile is not in it
		called = called || e.Name == callTaken
		return read >= looked && called && !whole
	})
	if err != nil {
		return err
	}
	out.follow(p, t)
	if p.lossy() {
		out.Partial = int(t.Written) > len(t.Events)
		out.meet(t.Events)
	}
	return nil
}

// activity reads what the causes of waits are found by: on simulated engines each word takes long.
func (out *Report) activity(p *Platform, d *details) {
	w := &p.Inspection
	for i, word := range w.Stalls.Words {
		at := slices.IndexFunc(w.Remotes.Words, func(r DetailWord) bool { return r.Name == word.Name })
		if _, holds := holdsUp[word.Name]; at < 0 && word.Name != "calls" && !holds {
			continue
		}
		var remote map[string]uint32
		if at >= 0 {
			if remote = fieldsOf(w.RemoteWait, d.read(w.Remotes.At+uint32(at))); remote["waits"] == 0 {
				continue
			}
		}
		cycles := d.read(w.Stalls.At + uint32(i))
		switch {
		case word.Name == "calls":
			out.Busy = cycles > 0
		case remote != nil:
			out.Waits = append(out.Waits, Wait{Rank: int(remote["rank"]), Session: remote["session"], Time: p.lasted(cycles)})
		case cycles >= StuckCycles:
			out.Stands = append(out.Stands, Stall{Name: word.Name, Doc: word.Doc, Cycles: cycles})
		}
	}
	word := func(of DetailWords, name string) uint32 {
		i := slices.IndexFunc(of.Words, func(word DetailWord) bool { return word.Name == name })
		if i < 0 {
			return 0
		}
		return d.read(of.At + uint32(i))
	}
	out.RxBuffersFull = fieldsOf(w.QueueLevel, word(w.Queues, "rx_buffers"))["full"] != 0
	out.Dropped = word(w.Counters, "no_buffer")
}

// lasted is how long cycles of the engine's clock take.
func (p *Platform) lasted(cycles uint32) time.Duration {
	return time.Duration(cycles) * time.Microsecond / time.Duration(max(p.ClockMHz, 1))
}

const callTaken = "call_taken"

// follow derives calls from events.
func (out *Report) follow(p *Platform, t Trace) {
	out.forget()
	out.Unknown = int(t.Written) > len(t.Events)
	type ends struct{ from, to int } // whose message a move takes, and to whom it sends; -1 for nobody
	moves := map[uint32][]ends{}     // by queue
	for _, e := range t.Events {
		if e.AfterLoss {
			out.forget()
			clear(moves)
			out.Unknown = true
		}
		switch e.Name {
		case "move_issued":
			q, m := e.Argument["queue"], ends{-1, -1}
			if e.Names["op0"] == "message" || e.Names["op1"] == "message" {
				m.from = int(e.Argument["source"])
			}
			if e.Sends() {
				m.to = int(e.Argument["destination"])
			}
			moves[q] = append(moves[q], m)
		case "moves_completed", "moves_failed":
			for set := e.Argument["queues"]; set != 0; set &= set - 1 {
				q := uint32(bits.TrailingZeros32(set))
				switch {
				case len(moves[q]) == 0:
				case e.Name == "moves_failed":
					out.Awaited, out.Unsent, moves[q] = moves[q][0].from, moves[q][0].to, nil
				default:
					moves[q] = moves[q][1:]
				}
			}
		case callTaken:
			out.Calls = append(out.Calls, e.Names["operation"])
			out.Unknown = out.Unknown && e.Names["operation"] == configOperation
		case "call_answered":
			op := ""
			if len(out.Calls) > 0 {
				op, out.Calls = out.Calls[0], out.Calls[1:]
			}
			if op != configOperation && op != "" {
				out.Last, out.LastCode = op, ReturnCode(e.Argument["return_code"]|e.Argument["not_ready"]<<notReadyBit)
			}
			if len(out.Calls) > 0 {
				break
			}
			if p.has(out.LastCode, collectiveMismatch) {
				for _, q := range slices.Sorted(maps.Keys(moves)) {
					if len(moves[q]) > 0 && out.Awaited < 0 {
						out.Awaited = moves[q][0].from
					}
				}
			}
			clear(moves)
		}
	}
	out.Busy = out.Busy || len(out.Calls) > 0
}

// has tells whether a named bit of a return code is set.
func (p *Platform) has(code ReturnCode, name string) bool {
	return slices.ContainsFunc(p.Describe(code), func(b Bit) bool { return b.Name == name })
}

func (out *Report) forget() {
	out.Calls, out.Last, out.LastCode, out.Awaited, out.Unsent = nil, "", 0, -1, -1
}

// notReadyBit is the bit of the return code that has a field of its own in answers.
const notReadyBit = 31

// In says what the engine does, in a few words.
func (out *Report) In(p *Platform) string {
	switch {
	case out.Unwell != "":
		return "its control processor does not run: " + out.Unwell
	case len(out.Calls) > 0:
		return "it is in " + strings.Join(out.Calls, ", ")
	case out.Busy:
		return "it is in a call"
	case out.Last == "":
		return "it is in no call"
	case out.LastCode != 0:
		return fmt.Sprintf("it is in no call; its last one, %s, has failed with %s", out.Last,
			names(p.Describe(out.LastCode)))
	}
	return fmt.Sprintf("it is in no call; its last one, %s, has ended", out.Last)
}

// Doing says in a line what the engine does, and for whom it waits.
func (out *Report) Doing(p *Platform) string {
	text := strings.TrimPrefix(out.In(p), "it is ")
	for i, w := range out.Waits {
		rank := out.world(w)
		if rank < 0 || slices.ContainsFunc(out.Waits[:i], func(b Wait) bool { return out.world(b) == rank }) {
			continue
		}
		text += fmt.Sprintf("; it has waited for rank %d for %v", rank, w.Time.Round(time.Millisecond))
	}
	return text
}

// exchangeReader reads the exchange memory until an access fails.
type exchangeReader struct {
	ctx context.Context
	r   Registers
	p   *Platform
	w   *wire
	err error
}

func (x *exchangeReader) words(at uint32, names []string) map[string]uint32 {
	words := map[string]uint32{}
	for i, name := range names {
		if x.err != nil {
			break
		}
		off := at + 4*uint32(i)
		if words[name], x.err = x.r.ReadReg(x.ctx, off); x.err != nil {
			x.err = fmt.Errorf("read 0x%X of the exchange memory: %w", off, x.err)
		}
	}
	return words
}

// communicators are those at the places where the driver puts them, the world first, and at some further ones.
func (x *exchangeReader) communicators(places []uint32) (out []CommDump) {
	buffers := int(x.words(x.w.rx.at, x.w.rx.header)["count"])
	at, limit := uint64(x.w.rx.at)+x.w.rx.bytes(buffers), uint64(x.p.Exchange.Limit)
	if x.err != nil || buffers < 1 || at+x.w.communicators.bytes(1) > limit {
		return nil
	}
	world := int(x.words(uint32(at), x.w.communicators.header)["size"])
	if x.err != nil || world < 1 || at+x.w.communicators.bytes(world) > limit {
		return nil
	}
	l, err := x.w.plan(&x.p.Exchange, buffers, world, x.p.withMoves(x.p.Configs))
	if err != nil {
		return nil
	}
	for _, slot := range l.slots {
		size := int(x.words(slot.at, x.w.communicators.header)["size"])
		if size < 1 || size > slot.ranks {
			break
		}
		out = append(out, x.communicator(len(out), slot.at, size))
	}
	for _, at := range places {
		if !slices.ContainsFunc(out, func(d CommDump) bool { return d.Address == at }) {
			out = append(out, x.communicator(len(out), at, world))
		}
	}
	return out
}

// communicator is the one at an offset, of most ranks at most.
func (x *exchangeReader) communicator(number int, at uint32, most int) CommDump {
	header := x.words(at, x.w.communicators.header)
	d := CommDump{Number: number, Address: at, Local: int(header["local_rank"])}
	for i := range min(int(header["size"]), most) {
		w := x.words(x.w.communicators.place(at, i), x.w.communicators.record)
		d.Ranks = append(d.Ranks, RankDump{
			Rank: Rank{IP: addressOf(w["ip"]), Port: uint16(w["port"]), Session: w["session"],
				MaxSegmentBytes: w["max_segment_len"]},
			Inbound: w["inbound_seq"], Outbound: w["outbound_seq"],
		})
	}
	return d
}

// rxBuffer is an rx buffer, by its number, and the message in it.
func (x *exchangeReader) rxBuffer(i int) RxBufferDump {
	w := x.words(x.w.rx.place(x.w.rx.at, i), x.w.rx.record)
	return RxBufferDump{
		Index: i, State: nameOf(x.p.RxStates, w["status"]), Address: uint64(w["addrh"])<<32 | uint64(w["addrl"]),
		Size: int(w["max_len"]), Tag: Tag(w["rx_tag"]), Length: int(w["rx_len"]), Source: int(w["rx_src"]),
		Sequence: w["seq"],
	}
}

// messages are those in rx buffers that nobody has asked for yet.
func (x *exchangeReader) messages() (out []RxBufferDump) {
	buffers := int(x.words(x.w.rx.at, x.w.rx.header)["count"])
	if uint64(x.w.rx.at)+x.w.rx.bytes(buffers) > uint64(x.p.Exchange.Limit) {
		return nil
	}
	for i := range buffers {
		status := x.w.rx.place(x.w.rx.at, i) + 4*uint32(slices.Index(x.w.rx.record, "status"))
		if state := nameOf(x.p.RxStates, x.words(status, []string{"status"})["status"]); state == "reserved" {
			out = append(out, x.rxBuffer(i))
		}
	}
	return out
}

// fault is why a call failed last: of which communicator, and with which bits; nil if none has, or if there is no
// such word.
func (x *exchangeReader) fault() (f *Fault, comm uint32, code ReturnCode) {
	at, there := x.w.words["fault"]
	if !there || len(x.p.Fault) == 0 {
		return nil, 0, 0
	}
	words := x.words(at, x.p.Fault)
	if x.err != nil || words["code"] == 0 {
		return nil, 0, 0
	}
	return x.p.faultOf(words), words["comm"], ReturnCode(words["code"])
}

// witness lets the reports of an engine be read one after the other.
type witness struct {
	p      *Platform
	r      Registers
	turn   chan struct{} // held by who reads
	closed bool

	mu     sync.Mutex
	resets int
	calls  map[uint32]*calls // by communicator
}

// calls are the last collectives of a communicator. No message says all that ranks must agree on, and the exchange
// memory of some interfaces has no place for what messages say.
type calls struct {
	from, made int           // resets of the engine before the communicator or its last Recover; calls since
	last       [32]OtherCall // a round, of which one may be taken back
}

// mostCalled are told in a report, which has to fit into an answer between processes.
const mostCalled = 256

func newWitness(p *Platform, r Registers) *witness {
	return &witness{p: p, r: r, turn: make(chan struct{}, 1), calls: map[uint32]*calls{}}
}

// called notes a collective that the program calls.
func (w *witness) called(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.calls[c.comm.at]; of != nil && c.spec.Collective {
		of.last[of.made%len(of.last)] = c.own
		of.made++
		c.own.Number = CollectiveNumber(of.made)
	}
}

// uncalled takes back the last one, which was not placed.
func (w *witness) uncalled(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.calls[c.comm.at]; of != nil && c.spec.Collective {
		of.made = max(0, of.made-1) // the engine may have been reset since
	}
}

// begins has the ranks of a communicator count from here, however often their engines were reset.
func (w *witness) begins(comm uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[comm] = &calls{from: w.resets}
}

// reset has all ranks count from here if all do it.
func (w *witness) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resets++
	for _, c := range w.calls {
		c.made = 0
	}
}

// alone reads something, when nobody else does.
func (w *witness) alone(ctx context.Context, read func() error) error {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("others read from the engine: %w", context.Cause(ctx))
	}
	defer func() { <-w.turn }()
	if w.closed {
		return ErrClosed
	}
	return read()
}

func (w *witness) report(ctx context.Context) (r Report, err error) {
	w.mu.Lock()
	places := slices.Sorted(maps.Keys(w.calls))
	w.mu.Unlock()
	err = w.alone(ctx, func() error { r, err = w.p.report(ctx, w.r, places); return err })
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range r.Communicators {
		d := &r.Communicators[i]
		c := w.calls[d.Address]
		if c == nil {
			continue // of a program before this one
		}
		last := min(len(c.last)-1, max(1, mostCalled/len(w.calls)))
		d.Called = &Called{Resets: w.resets - c.from, Before: max(0, c.made-last)}
		for n := d.Called.Before; n < c.made; n++ {
			d.Called.Calls = append(d.Called.Calls, c.last[n%len(c.last)].what())
		}
	}
	return r, err
}

// close waits until nobody reads: the device may be closed then.
func (w *witness) close() {
	w.turn <- struct{}{}
	w.closed = true
	<-w.turn
}
