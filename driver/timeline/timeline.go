// Package timeline shows what has happened in the engines of a world: from the events of the
// trace of each rank (accl.Trace, or more of them where an emulated engine tells all) it derives
// calls, moves, messages and what has been waited for, and writes them as a trace for Perfetto, as
// lines of JSON, and as a page with a sequence diagram.
//
// Times are in nanoseconds. What is derived:
//
//   - A call is from call_taken to call_answered. Events do not tell its arguments: they are those of the host.
//   - A move is from when it is the first of its queue, which runs one after the other, to when it
//     has completed or failed. The DMA engines and plugins that it uses have it from its first slice on.
//     Slices belong to the first move of their queue that they fit and that has not had its last one.
//   - A message is a packet from its sender to its receiver. Where packets themselves are known
//     they are matched by their contents; otherwise by their kind and the lower bits of their sequence
//     number. Of several alike the last one that was sent is the last one that has arrived, and so on
//     backwards, as long as neither rank has lost events: if the network has lost one of them, another
//     one is taken for it. Alike are notices, done messages, clear-to-send but on UDP,
//     data at the same place of several buffers, and messages of several communicators, or of which
//     others have come meanwhile that take all values of those bits. What has no header is not matched.
//   - The time of a call is split at each event: see Account.
package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// Rank is what is known of a rank.
type Rank struct {
	Events  []Event  // in the order in which they were
	Packets []Packet // at its port; nil if Events alone say what was sent and has arrived
	Calls   []Call   // by the host
	// Called are the last calls in words, which begin with the name of the operation, if they are known in their order:
	// those of the host, if nobody else has made any.
	Called   []string
	Sessions map[uint32]int // ranks by the number of the network's session
	// Missing are events that the ring has not kept, or lost.
	Missing uint64
	// MissingPackets are those of Packets that were not kept, before the others.
	MissingPackets uint64
	// OwnClock is set if the times of all ranks have no common zero. Messages set it then.
	OwnClock bool
	ring     bool // Packets are those that Events tell of
}

// Event is an event and its time.
type Event struct {
	At int64
	accl.Event
}

// Call is what a host has called, and when.
type Call struct {
	Begin, End  int64
	Name, Error string // "" if it was well
}

// Packet is a packet that a rank has sent or received.
type Packet struct {
	At    int64
	Sent  bool
	Peer  int    // the other rank, -1 if not known
	Kind  string // what it carries: one of the constants
	Bytes int    // of payload; 0 also if not known
	Text  string // the same in words
	Key   string // equal at sender and receiver; "" if not known: it is not matched
}

// What packets carry.
const (
	Eager        = "message"
	Data         = "data"
	ClearToSend  = "clear-to-send"
	Done         = "done"
	Notice       = "notice"
	Filler       = "filler"
	SomePacket   = "packet"
	notMatched   = -1
	noCompletion = "its end is not known"
)

var kinds = map[string]string{
	"eager": Eager, "rendezvous_data": Data, "rendezvous_announcement": ClearToSend, "rendezvous_done": Done,
	"notice": Notice, "filler": Filler,
}

// KindOf is what packets carry whose type has a name in the enums message_type or packet_kind.
func KindOf(name string) string { return cmp.Or(kinds[name], SomePacket) }

// Timeline is what is derived of all ranks.
type Timeline struct {
	Title    string
	Ranks    []Rank
	Spans    []Span    // by their begin
	Units    []Span    // of DMA engines, plugins and kernel streams, likewise
	Messages []Message // by when they were sent
	// NotArrived are packets that were sent, and of which the events of their receiver, which go on after that, do not
	// tell: the network has lost them, or keeps them because the receiver has no room. Arrived is 0.
	NotArrived []Message
	Accounts   []Account // by rank
	// Aligned says that ranks have clocks of their own, which messages have aligned.
	Aligned    bool
	Notes      []string // what readers of the page have to know
	Begin, End int64
}

// Kind is what a span is.
type Kind string

// Kinds of spans.
const (
	HostCall Kind = "host call"
	CallSpan Kind = "call"
	MoveSpan Kind = "move"
	WaitSpan Kind = "wait"     // for another rank, within a call
	BusySpan Kind = "firmware" // within a call
	UnitSpan Kind = "unit"     // that a move uses
)

// Span is something that has lasted.
type Span struct {
	Rank       int
	Kind       Kind
	Queue      int    // of a move
	Unit       string // of a UnitSpan
	Begin, End int64
	Name, Text string
	For        int    // the rank that a wait is for, or whose message a move takes; -1 if none
	Open       bool   // the End is where the events end
	wire       int64  // of a wait: since the other rank has sent
	Error      string // names of the return code of a call that has failed
	Issued     int64  // of a move; its Begin is when it is the first of its queue
	First      int64  // of a move with Slices: when the first one was begun
	Slices     uint32
	Bytes      uint32 // of these
}

// Message is a packet between two ranks.
type Message struct {
	From, To      int
	Sent, Arrived int64
	Kind, Text    string
	Bytes         int
}

// Of are the events of a rank whose ring has kept the trace, with the clock of its platform.
// Sessions are ranks by the network's session.
func Of(t accl.Trace, clockMHz int, sessions map[uint32]int) Rank {
	r := Rank{Sessions: sessions, OwnClock: true, Missing: uint64(t.Written) - uint64(len(t.Events)) + uint64(t.Lost)}
	for _, e := range t.Events {
		r.Events = append(r.Events, Event{int64(e.Cycles * 1000 / uint64(max(clockMHz, 1))), e})
	}
	return r
}

// New derives a timeline. The ranks' slices must not change any more.
func New(title string, ranks []Rank) *Timeline {
	t := &Timeline{Title: title, Ranks: slices.Clone(ranks)}
	for i := range t.Ranks {
		r := &t.Ranks[i]
		t.Aligned = t.Aligned || r.OwnClock
		if r.Packets == nil {
			r.Packets, r.ring = packetsOf(r), true
		}
	}
	matches := t.match()
	if t.Aligned {
		t.align(matches)
	}
	t.limits()
	for _, m := range matches {
		sent, got := t.Ranks[m.from].Packets[m.sent], t.Ranks[m.to].Packets[m.arrived]
		t.Messages = append(t.Messages, Message{m.from, m.to, sent.At, got.At, sent.Kind, sent.Text, sent.Bytes})
	}
	t.NotArrived = t.notArrived(matches)
	for rank := range t.Ranks {
		spans, units := t.spans(rank)
		t.Units = append(t.Units, units...)
		account, parts := t.account(rank, spans)
		t.Spans = append(append(t.Spans, spans...), parts...)
		t.Accounts = append(t.Accounts, account)
	}
	slices.SortStableFunc(t.Messages, func(a, b Message) int { return cmp.Compare(a.Sent, b.Sent) })
	for _, spans := range [][]Span{t.Spans, t.Units} {
		slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	}
	return t
}

// times are all that a rank has.
func (r *Rank) times(do func(at *int64)) {
	for i := range r.Events {
		do(&r.Events[i].At)
	}
	for i := range r.Packets {
		do(&r.Packets[i].At)
	}
	for i := range r.Calls {
		do(&r.Calls[i].Begin)
		do(&r.Calls[i].End)
	}
}

// limits sets Begin and End.
func (t *Timeline) limits() {
	first := true
	for i := range t.Ranks {
		t.Ranks[i].times(func(at *int64) {
			if first {
				t.Begin, t.End, first = *at, *at, false
			}
			t.Begin, t.End = min(t.Begin, *at), max(t.End, *at)
		})
	}
}

// Missing says in a line what the timeline lacks; "" if nothing.
func (t *Timeline) Missing() string {
	total, where := uint64(0), []int(nil)
	for rank := range t.Ranks {
		if n := t.Ranks[rank].Missing; n > 0 {
			total, where = total+n, append(where, rank)
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d events before or between these were not kept by the rings of ranks %v", total, where)
}
