package timeline

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// queues of moves that events can name.
const queues = 4

// units are what a slice uses, by the fields of its event.
var units = []struct{ field, name string }{
	{"op0", "DMA engine of operand 0"}, {"op1", "DMA engine of operand 1"}, {"result", "DMA engine of results"},
	{"from_kernel", "stream from the kernel"}, {"to_kernel", "stream to the kernel"}, {"arithmetic", "arithmetic plugin"},
	{"lane_0", "compression lane 0"}, {"lane_1", "compression lane 1"}, {"lane_2", "compression lane 2"},
}

// cut are the slices of a move.
type cut struct {
	n, bytes uint32
	first    int64 // when
	last     bool  // there are no more
	uses     map[string]bool
}

// open are spans of a rank that have not ended, oldest first.
type open struct {
	calls  []*Span
	moves  [queues][]*Span
	out    []*Span
	slices map[*Span]*cut // of moves
}

// spans are the calls and moves of a rank, and what the moves use.
func (t *Timeline) spans(rank int) (out, used []Span) {
	r, o := &t.Ranks[rank], &open{slices: map[*Span]*cut{}}
	for _, e := range r.Events {
		if e.AfterLoss {
			o.lose(e.At)
		}
		switch e.Name {
		case "call_taken":
			s := o.begin(Span{Rank: rank, Kind: CallSpan, Begin: e.At, Name: e.Names["operation"], Text: e.Text, For: -1})
			o.calls = append(o.calls, s)
		case "call_answered":
			o.answered(e)
		case "move_issued":
			o.issued(rank, e, t.Begin)
		case "slice_begun":
			o.slice(e)
		case "moves_completed", "moves_failed":
			for set := e.Argument["queues"]; set != 0; set &= set - 1 {
				if q := bits.TrailingZeros32(set); q < queues {
					o.ended(q, e)
				}
			}
		}
	}
	if n := len(r.Events); n > 0 {
		o.lose(r.Events[n-1].At)
	}
	o.called(r.Called, r.Missing > 0)
	for _, s := range o.out {
		used = append(used, o.used(s)...)
		out = append(out, *s)
	}
	for _, c := range r.Calls {
		s := Span{Rank: rank, Kind: HostCall, Begin: c.Begin, End: c.End, Name: c.Name, Text: c.Error, For: -1}
		if s.Text == "" {
			s.Text = "the call of the host has ended well"
		}
		out = append(out, s)
	}
	return out, used
}

func (o *open) begin(s Span) *Span {
	o.out = append(o.out, &s)
	return &s
}

// called adds to calls with which arguments they were made, if those that are known are these calls. Some before may be
// known as well if events are missing.
func (o *open) called(names []string, missing bool) {
	var calls []*Span
	for _, s := range o.out {
		if s.Kind == CallSpan {
			calls = append(calls, s)
		}
	}
	if n := len(names) - len(calls); n > 0 && missing {
		names = names[n:]
	}
	same := func(name string, s *Span) bool {
		operation, _, _ := strings.Cut(strings.ReplaceAll(name, ",", " "), " ")
		return operation == s.Name
	}
	if !slices.EqualFunc(names, calls, same) {
		return
	}
	for i, s := range calls {
		s.Text += fmt.Sprintf(" Called was %s.", names[i])
	}
}

func (o *open) answered(e Event) {
	if len(o.calls) == 0 {
		return // taken before the first event
	}
	s := o.calls[0]
	o.calls = o.calls[1:]
	s.End = e.At
	if text := e.Names["return_code"]; text != "" {
		s.Text += " " + text
	}
	if e.failed() {
		if s.Error = e.Names["return_code"]; s.Error == "" {
			s.Error = e.Text
		}
		s.Text += fmt.Sprintf(" It has failed: %s", e.Text)
		if len(o.calls) == 0 {
			o.drop(e.At) // what it has aborted is not told
		}
	}
}

// failed tells whether the event is the answer of a call that has failed, or the failure of moves.
func (e *Event) failed() bool {
	return e.Name == "moves_failed" ||
		e.Name == "call_answered" && (e.Argument["return_code"] != 0 || e.Argument["not_ready"] != 0)
}

func (o *open) issued(rank int, e Event, zero int64) {
	s := Span{Rank: rank, Kind: MoveSpan, Queue: int(e.Argument["queue"]), Begin: e.At, Issued: e.At, For: -1}
	s.Name = moveName(e)
	s.Text = fmt.Sprintf("%s Issued at %s", e.Text, micros(e.At-zero))
	if e.Names["op0"] == "message" || e.Names["op1"] == "message" || e.Names["op0"] == "window" ||
		e.Names["op1"] == "window" {
		s.For = int(e.Argument["source"])
	}
	if s.Queue < queues {
		begun := o.begin(s)
		o.moves[s.Queue], o.slices[begun] = append(o.moves[s.Queue], begun), &cut{uses: usedBy(e)}
	}
}

// usedBy is what a move that is issued has slices use, but for plugins.
func usedBy(e Event) map[string]bool {
	result := e.Names["result"]
	uses := map[string]bool{
		"op0": false, "op1": false, "from_kernel": false,
		"result":     strings.HasPrefix(result, "memory") || result == "apart" || result == "beside",
		"to_kernel":  strings.HasPrefix(result, "kernel_stream"),
		"to_network": e.Sends(),
	}
	for _, op := range []string{"op0", "op1"} {
		switch e.Names[op] {
		case "none", "":
		case "kernel_stream":
			uses["from_kernel"] = true
		default:
			uses[op] = true
		}
	}
	return uses
}

// slice adds a slice to its move.
func (o *open) slice(e Event) {
	header := e.Argument["bytes"] == 0 // alone, whatever the operands would be
	fits := func(s *cut) bool {
		for use, is := range s.uses {
			if is != (e.Argument[use] != 0) && (!header || use == "to_network") {
				return false
			}
		}
		return !s.last
	}
	for _, move := range o.moves[e.Argument["queue"]%queues] {
		s := o.slices[move]
		if !fits(s) {
			continue
		}
		if s.n == 0 {
			s.first = e.At
		}
		s.n, s.bytes, s.last = s.n+1, s.bytes+e.Argument["bytes"], e.Argument["last"] != 0
		for _, unit := range units {
			if e.Argument[unit.field] != 0 {
				s.uses[unit.field] = true
			}
		}
		return
	}
}

// used are the spans of what a move has used.
func (o *open) used(move *Span) (out []Span) {
	s := o.slices[move]
	if s == nil || s.n == 0 {
		return nil
	}
	move.First, move.Slices, move.Bytes = s.first, s.n, s.bytes
	text := fmt.Sprintf("%d bytes in one slice", s.bytes)
	if s.n > 1 {
		text = fmt.Sprintf("%d bytes in %d slices", s.bytes, s.n)
	}
	if s.first < move.Begin {
		move.Text += fmt.Sprintf("; %s, begun behind those of earlier moves", text)
	} else {
		move.Text += fmt.Sprintf("; %s, the first one after %s", text, micros(s.first-move.Begin))
	}
	for _, unit := range units {
		if s.uses[unit.field] && s.bytes > 0 {
			out = append(out, Span{Rank: move.Rank, Kind: UnitSpan, Queue: move.Queue, Unit: unit.name, Begin: s.first,
				End: move.End, Name: move.Name, Text: text, For: -1, Open: move.Open})
		}
	}
	return out
}

// ended ends the first move of a queue, or all that are in it if it has failed. The next one begins.
func (o *open) ended(q int, e Event) {
	list := o.moves[q]
	if len(list) == 0 {
		return
	}
	failed := e.Name == "moves_failed"
	for i, s := range list {
		if i > 0 {
			s.Begin = e.At // those of a queue that has failed never begin
			if !failed {
				break
			}
		}
		if s.End = e.At; failed {
			s.Text += "; failed"
		}
	}
	if o.moves[q] = list[1:]; failed {
		o.moves[q] = nil
	}
}

// drop ends all moves.
func (o *open) drop(at int64) {
	for q := range o.moves {
		for i, s := range o.moves[q] {
			if i > 0 {
				s.Begin = at
			}
			s.End, s.Open, s.Text = at, true, s.Text+"; "+noCompletion
		}
		o.moves[q] = nil
	}
}

// lose ends all that has not ended: what comes is not known.
func (o *open) lose(at int64) {
	o.drop(at)
	for _, s := range o.calls {
		s.End, s.Open, s.Text = at, true, s.Text+" "+noCompletion
	}
	o.calls = nil
}

// moveName is what a move does, in short.
func moveName(e Event) string {
	var from []string
	for _, op := range []string{"op0", "op1"} {
		switch name := e.Names[op]; name {
		case "none", "":
		case "message", "window":
			from = append(from, fmt.Sprintf("%s of rank %d", name, e.Argument["source"]))
		default:
			from = append(from, strings.ReplaceAll(name, "_", " "))
		}
	}
	to := strings.ReplaceAll(e.Names["result"], "_", " ")
	if strings.Contains(to, "network") {
		to = strings.ReplaceAll(to, "network", fmt.Sprintf("rank %d", e.Argument["destination"]))
	}
	if len(from) == 0 {
		return "header to " + to
	}
	return strings.Join(from, " + ") + " to " + to
}

// micros is a time in microseconds.
func micros(ns int64) string { return fmt.Sprintf("%.3f µs", float64(ns)/1e3) }
