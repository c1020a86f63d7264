package timeline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Account is where the time of a rank's calls went, in nanoseconds. The time between two events of
// the rank within a call belongs to
//
//   - Moves, while a move is under way that has what it takes, or if the second event is that a
//     packet was sent, a message stored or a move completed;
//   - a wait, if the second event is that something has come from another rank: Wire, since that
//     was sent (the network, and until the engine has taken it in), and before that Waits, for the
//     rank;
//   - a wait as well, for a rank or for what is not known (-1), if the second event is a failure, or
//     if it takes longer than any step of the control processor, which time has woken then;
//   - otherwise Firmware: the control processor's next step is all that there is to wait for.
type Account struct {
	Calls                        int
	Total, Firmware, Moves, Wire int64
	Waits                        map[int]int64 // by rank
	Sent, Arrived                int           // packets
}

// Waiting is the time for which other ranks were waited for.
func (a *Account) Waiting() (ns int64) {
	for _, v := range a.Waits {
		ns += v
	}
	return ns
}

// account splits the time of a rank's calls; parts are the waits and what firmware does.
func (t *Timeline) account(rank int, spans []Span) (a Account, parts []Span) {
	r := &t.Ranks[rank]
	a = Account{Waits: map[int]int64{}}
	for _, p := range r.Packets {
		if p.Sent {
			a.Sent++
		} else {
			a.Arrived++
		}
	}
	for _, s := range spans {
		if s.Kind == CallSpan {
			a.Calls++
		}
	}
	sent := map[arrival]int64{}
	for _, m := range t.Messages {
		if m.To == rank {
			sent[arrival{m.From, m.Arrived}] = m.Sent
		}
	}
	add := func(s Span) {
		s.Rank = rank
		if n := len(parts); n > 0 && parts[n-1].Kind == s.Kind && parts[n-1].For == s.For && parts[n-1].End == s.Begin {
			parts[n-1].End, parts[n-1].wire = s.End, parts[n-1].wire+s.wire
			return
		}
		parts = append(parts, s)
	}
	active, arrived, last := sweep{rest: slices.Clone(spans)}, 0, map[int]int64{} // when the last packet of a rank came
	slices.SortStableFunc(active.rest, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	for i, e := range r.Events {
		for ; arrived < len(r.Packets) && r.Packets[arrived].At <= e.At; arrived++ {
			if p := r.Packets[arrived]; !p.Sent {
				last[p.Peer] = p.At
			}
		}
		if i == 0 {
			continue
		}
		from, to := r.Events[i-1].At, e.At
		if active.next(from, to); !active.call {
			continue
		}
		a.Total += to - from
		peer, came := r.came(e)
		switch {
		case e.failed() && !active.works:
			a.Waits[active.awaits] += to - from
			add(waiting(active.awaits, from, to, "until it has failed"))
		case moves[e.Name], active.works, active.takes && !came:
			a.Moves += to - from
		case came:
			left, known := sent[arrival{peer, last[peer]}]
			if !known {
				left = to
			}
			left = min(max(left, from), to)
			a.Waits[peer] += left - from
			a.Wire += to - left
			s := waiting(peer, from, to, fmt.Sprintf("%s of it since that has sent", micros(to-left)))
			s.wire = to - left
			add(s)
		case to-from > longestStep:
			a.Waits[active.awaits] += to - from
			add(waiting(active.awaits, from, to, "until time has woken the control processor"))
		default:
			a.Firmware += to - from
			add(Span{Kind: BusySpan, Begin: from, End: to, For: -1, Name: "firmware"})
		}
	}
	return a, parts
}

// longestStep is longer than what the control processor does between two events, in nanoseconds, also where it is
// emulated on a busy machine.
const longestStep = 100e6

// moves are events at the end of something that the data path has done.
var moves = map[string]bool{"packet_sent": true, "moves_completed": true,
	"message_stored": true, "message_delivered": true}

// waiting is a wait for a rank, or for what is not known.
func waiting(peer int, from, to int64, text string) Span {
	s := Span{Kind: WaitSpan, Begin: from, End: to, For: peer, Name: "waits in vain", Text: text}
	if peer >= 0 {
		s.Name = fmt.Sprintf("waits for rank %d", peer)
	}
	return s
}

type arrival struct {
	from int
	at   int64
}

// sweep goes over the calls and moves of a rank.
type sweep struct {
	rest, now    []Span // that begin later; that may be under way
	call         bool   // one is
	works, takes bool   // a move is: one that has what it takes; one that takes what other ranks send
	awaits       int    // the rank of the latter, -1 if none is
}

// next goes to a later time, during which nothing begins or ends.
func (s *sweep) next(from, to int64) {
	for len(s.rest) > 0 && s.rest[0].Begin <= from {
		s.now, s.rest = append(s.now, s.rest[0]), s.rest[1:]
	}
	s.now = slices.DeleteFunc(s.now, func(p Span) bool { return p.End < to })
	s.call, s.works, s.takes, s.awaits = false, false, false, -1
	for _, p := range s.now {
		if p.Kind == MoveSpan && p.For >= 0 && s.awaits < 0 {
			s.awaits = p.For
		}
		s.call = s.call || p.Kind == CallSpan
		s.works = s.works || p.Kind == MoveSpan && p.For < 0
		s.takes = s.takes || p.Kind == MoveSpan && p.For >= 0
	}
}

// came tells whether the event is, or is a part of, the arrival of a packet, and from which rank.
func (r *Rank) came(e Event) (peer int, is bool) {
	switch e.Name {
	case "announcement_arrived", "done_arrived", "message_opened":
		return int(e.Argument["rank"]), true
	case "packet_arrived", "packet_held":
		peer = r.peer(e.Argument["session"])
		return peer, peer >= 0 && e.Argument["own"] == 0
	}
	return notMatched, false
}

// costs are the calls of an operation.
type costs struct {
	operation string
	times     []int64
	Account
}

// byOperation are all calls whose begin and end are known, those that took most time together first.
// What goes on at a time counts for the call that was taken last.
func (t *Timeline) byOperation() []*costs {
	known := map[string]*costs{}
	for rank := range t.Ranks {
		var calls, parts []*Span
		for i := range t.Spans {
			switch s := &t.Spans[i]; {
			case s.Rank != rank:
			case s.Kind == CallSpan && !s.Open:
				calls = append(calls, s)
			case s.Kind == WaitSpan || s.Kind == BusySpan:
				parts = append(parts, s)
			}
		}
		first := 0
		for i, s := range calls {
			c := known[s.Name]
			if c == nil {
				c = &costs{operation: s.Name, Account: Account{Waits: map[int]int64{}}}
				known[s.Name] = c
			}
			until := s.End
			if i+1 < len(calls) {
				until = min(until, max(s.Begin, calls[i+1].Begin))
			}
			c.times, c.Total, c.Moves = append(c.times, s.End-s.Begin), c.Total+until-s.Begin, c.Moves+until-s.Begin
			for first < len(parts) && parts[first].End <= s.Begin {
				first++
			}
			for _, p := range parts[first:] {
				if p.Begin >= until {
					break
				}
				within := min(p.End, until) - max(p.Begin, s.Begin)
				var wire int64
				if p.Kind == BusySpan {
					c.Firmware += within
				} else {
					wire = min(p.wire, within)
					c.Wire, c.Waits[p.For] = c.Wire+wire, c.Waits[p.For]+within-wire
				}
				c.Moves -= within
			}
		}
	}
	return slices.SortedFunc(maps.Values(known), func(a, b *costs) int {
		return cmp.Or(cmp.Compare(b.sum(), a.sum()), strings.Compare(a.operation, b.operation))
	})
}

func (c *costs) sum() (ns int64) {
	for _, v := range c.times {
		ns += v
	}
	return ns
}

// calls writes a line for each operation.
func (t *Timeline) calls(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "operation\tcalls\tµs\tmedian µs\tfirmware\tmoves\ton the wire\twaiting\t")
	for _, c := range t.byOperation() {
		slices.Sort(c.times)
		fmt.Fprintf(out, "%s\t%d\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t\n", c.operation, len(c.times), float64(c.sum())/1e3,
			float64(c.times[len(c.times)/2])/1e3, c.share(c.Firmware), c.share(c.Moves), c.share(c.Wire), c.share(c.Waiting()))
	}
	return out.Flush()
}

// Summary writes where the time went, a line for each rank, and a line for each operation.
func (t *Timeline) Summary(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "rank\tcalls\tµs\tfirmware\tmoves\ton the wire\twaiting\tsent\tarrived\t")
	for rank := range t.Accounts {
		a := &t.Accounts[rank]
		fmt.Fprintf(out, "%d\t%d\t%.1f\t%s\t%s\t%s\t%s\t%d\t%d\t\n", rank, a.Calls, float64(a.Total)/1e3, a.share(a.Firmware),
			a.share(a.Moves), a.share(a.Wire), a.share(a.Waiting()), a.Sent, a.Arrived)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for rank := range t.Accounts {
		if text := t.Accounts[rank].waits(); text != "" {
			if _, err := fmt.Fprintf(w, "rank %d waited for %s\n", rank, text); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return t.calls(w)
}

func (a *Account) share(ns int64) string {
	if a.Total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(ns)/float64(a.Total))
}

// waits says for whom a rank has waited.
func (a *Account) waits() string {
	var words []string
	for _, rank := range slices.Sorted(maps.Keys(a.Waits)) {
		if ns := a.Waits[rank]; ns > 0 && rank >= 0 {
			words = append(words, fmt.Sprintf("rank %d %.1f µs", rank, float64(ns)/1e3))
		} else if ns > 0 {
			words = append(words, fmt.Sprintf("what did not come %.1f µs", float64(ns)/1e3))
		}
	}
	return strings.Join(words, ", ")
}
