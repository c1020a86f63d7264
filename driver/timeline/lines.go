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
	Rank    *int              `json:"rank,omitempty"` // packets: the sender
	To      *int              `json:"to,omitempty"`
	Queue   *int              `json:"queue,omitempty"`
	Unit    string            `json:"unit,omitempty"`
	Name    string            `json:"name,omitempty"`
	Text    string            `json:"text,omitempty"`
	Values  map[string]uint32 `json:"values,omitempty"`
	Open    bool              `json:"open,omitempty"` // End is where the events end
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
			all = append(all, line{Kind: "event", At: e.At, Rank: &rank, Name: e.Name, Text: e.Text, Values: e.Argument,
				Lost: e.AfterLoss})
		}
	}
	for _, s := range slices.Concat(t.Spans, t.Units) {
		l := line{Kind: string(s.Kind), At: s.Begin, End: s.End, Rank: &s.Rank, Unit: s.Unit, Name: s.Name, Text: s.Text,
			Open: s.Open}
		if s.Kind == MoveSpan || s.Kind == UnitSpan {
			l.Queue = &s.Queue
		}
		all = append(all, l)
	}
	for i := range t.Messages {
		m := &t.Messages[i]
		all = append(all, line{Kind: "packet", At: m.Sent, End: m.Arrived, Rank: &m.From, To: &m.To, Name: m.Kind,
			Text: m.Text})
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
