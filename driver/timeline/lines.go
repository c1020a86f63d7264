package timeline

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
)

// line is one of the JSON lines; what does not belong to its kind is left out.
type line struct {
	Kind    string            `json:"kind"` // timeline, event, packet, not arrived, or one of a Span
	At      int64             `json:"ns"`   // since the first event
	End     int64             `json:"end_ns,omitempty"`
	Issued  *int64            `json:"issued_ns,omitempty"` // of a move: At is when it is the first of its queue
	First   *int64            `json:"first_ns,omitempty"`  // of a move: its first slice
	Slices  uint32            `json:"slices,omitempty"`
	Bytes   uint32            `json:"bytes,omitempty"`
	Rank    *int              `json:"rank,omitempty"` // packets: the sender
	To      *int              `json:"to,omitempty"`
	Queue   *int              `json:"queue,omitempty"`
	Unit    string            `json:"unit,omitempty"`
	Name    string            `json:"name,omitempty"`
	Text    string            `json:"text,omitempty"`
	Values  map[string]uint32 `json:"values,omitempty"`
	Cycles  *uint64           `json:"cycles,omitempty"` // of an event, by a clock of the rank
	Open    bool              `json:"open,omitempty"`   // End is where the events end
	Lost    bool              `json:"after_loss,omitempty"`
	Ranks   int               `json:"ranks,omitempty"`
	Missing string            `json:"missing,omitempty"`
}

// Lines writes a JSON object a line: first what it is, with kind timeline, then everything by its time.
// Events are as the traces have them; calls, moves and what they use, waits and packets are derived.
func (t *Timeline) Lines(w io.Writer) error {
	var all []line
	for rank := range t.Ranks {
		for _, e := range t.Ranks[rank].Events {
			l := line{Kind: "event", At: e.At, Rank: &rank, Name: e.Name, Text: e.Text, Values: e.Argument, Lost: e.AfterLoss}
			if t.Ranks[rank].OwnClock {
				l.Cycles = &e.Cycles
			}
			all = append(all, l)
		}
	}
	for _, s := range slices.Concat(t.Spans, t.Units) {
		l := line{Kind: string(s.Kind), At: s.Begin, End: s.End, Rank: &s.Rank, Unit: s.Unit, Name: s.Name, Text: s.Text,
			Open: s.Open}
		if s.Kind == MoveSpan || s.Kind == UnitSpan {
			l.Queue = &s.Queue
		}
		if s.Kind == MoveSpan {
			l.Issued = t.since(s.Issued)
			if l.Slices, l.Bytes = s.Slices, s.Bytes; s.Slices > 0 {
				l.First = t.since(s.First)
			}
		}
		all = append(all, l)
	}
	for i := range t.Messages {
		m := &t.Messages[i]
		all = append(all, line{Kind: "packet", At: m.Sent, End: m.Arrived, Rank: &m.From, To: &m.To, Name: m.Kind,
			Text: m.Text, Bytes: uint32(m.Bytes)})
	}
	for i := range t.NotArrived {
		m := &t.NotArrived[i]
		all = append(all, line{Kind: "not arrived", At: m.Sent, Rank: &m.From, To: &m.To, Name: m.Kind, Text: m.Text})
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.At, b.At) })
	e := json.NewEncoder(w)
	if err := e.Encode(line{Kind: "timeline", Name: t.Title, Ranks: len(t.Ranks), Missing: t.Missing()}); err != nil {
		return err
	}
	for _, l := range all {
		l.At -= t.Begin
		if l.End != 0 {
			l.End -= t.Begin
		}
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// since is a time since the first event.
func (t *Timeline) since(at int64) *int64 {
	at -= t.Begin
	return &at
}
