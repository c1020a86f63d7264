package accl

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// TraceWords describes the trace of an engine, behind the word detail of the inspection.
type TraceWords struct {
	State   DetailWords
	Entries DetailWords // words of an entry; the first one of them all
	Kind    []Field     // of an entry
	Events  []TraceEvent
}

// TraceEvent describes an event.
type TraceEvent struct {
	Name, Doc string
	Argument  []TraceField
}

// TraceField is a part of an event's argument.
type TraceField struct {
	Field
	Codes []Code // names of its values
	Bits  bool   // Codes are masks, of which several may be set
}

// Trace is the last of what has happened in an engine.
type Trace struct {
	Capacity uint32  `json:"capacity"` // of the engine's ring; 0 if the engine has no trace
	Written  uint32  `json:"written"`  // events since power-up or reset, modulo 2^32
	Lost     uint32  `json:"lost"`     // events that were not written, modulo 2^32
	Events   []Event `json:"events"`   // oldest first
}

// Event is an entry of the trace.
type Event struct {
	Name      string            `json:"name"`
	Doc       string            `json:"doc"`
	Cycles    uint64            `json:"cycles"` // since the first of these events
	Argument  map[string]uint32 `json:"argument"`
	Names     map[string]string `json:"names"`      // of those values of Argument that have one
	Text      string            `json:"text"`       // Doc and Argument in words
	AfterLoss bool              `json:"after_loss"` // events were lost before it
}

// most is how many events an engine may hold: a wrong description, or no engine at all, does
// not keep the host reading.
const most = 1 << 13

// Trace reads up to last events of an engine's trace, 0 for all that there are, whatever its
// control processor does; meanwhile no event is written. Errors are as with Activity. Others
// must not read it or the Activity at the same time.
func (p *Platform) Trace(ctx context.Context, r Registers, last int) (Trace, error) {
	_, d, err := p.details(ctx, r)
	if err != nil {
		return Trace{}, err
	}
	return p.trace(d, func(read int, _ Event) bool { return read == last })
}

// trace reads events from the last one back until enough tells that the one just read is the first that is wanted.
func (p *Platform) trace(d *details, enough func(read int, e Event) bool) (Trace, error) {
	var t Trace
	w := &p.Inspection.Trace
	state := d.words(w.State, 0)
	t.Capacity, t.Written, t.Lost = state["capacity"], state["written"], state["lost"]
	if t.Capacity > most {
		return t, fmt.Errorf("%w: it has a trace of %d events, %d at most are possible", ErrNoInspection, t.Capacity, most)
	}
	var cycles []uint32
	for n := uint32(1); n <= min(t.Capacity, t.Written) && d.err == nil; n++ {
		entry := d.words(w.Entries, 4*((t.Written-n)%t.Capacity))
		e := p.Event(entry["argument"], entry["kind"])
		t.Events, cycles = append(t.Events, e), append(cycles, entry["cycles"])
		if enough(len(t.Events), e) {
			break
		}
	}
	d.choose(p.Inspection.Stalls.At) // the trace goes on
	slices.Reverse(t.Events)
	slices.Reverse(cycles)
	for i := 1; i < len(cycles); i++ {
		t.Events[i].Cycles = t.Events[i-1].Cycles + uint64(cycles[i]-cycles[i-1])
	}
	return t, d.failed()
}

// words reads the words of a record, by name.
func (d *details) words(w DetailWords, from uint32) map[string]uint32 {
	out := map[string]uint32{}
	for i, word := range w.Words {
		out[word.Name] = d.read(w.At + from + uint32(i))
	}
	return out
}

// Event is the event of an entry of the trace, by its words argument and kind, without its time.
func (p *Platform) Event(argument, kindWord uint32) Event {
	w := &p.Inspection.Trace
	kind := fieldsOf(w.Kind, kindWord)
	e := Event{Argument: map[string]uint32{}, Names: map[string]string{}, AfterLoss: kind["after_loss"] != 0}
	if int(kind["number"]) >= len(w.Events) {
		e.Name = fmt.Sprint("event_", kind["number"])
		e.Text = fmt.Sprintf("An event that is not known here: number %d, argument 0x%X.", kind["number"], argument)
		return e
	}
	described := &w.Events[kind["number"]]
	e.Name, e.Doc = described.Name, described.Doc
	var words []string
	for _, f := range described.Argument {
		v := f.of(argument)
		e.Argument[f.Name] = v
		if f.Codes != nil && !f.Bits {
			e.Names[f.Name] = nameOf(f.Codes, v)
		}
		if text := f.text(v); text != "" {
			words = append(words, text)
		}
	}
	if e.Text = e.Doc; len(words) > 0 {
		e.Text = strings.TrimSuffix(e.Doc, ".") + ": " + strings.Join(words, ", ") + "."
	}
	return e
}

// Sends tells whether the move that the event move_issued is about sends something to another rank.
func (e *Event) Sends() bool {
	result := e.Names["result"]
	return strings.HasSuffix(result, "network") || result == "apart" || result == "beside"
}

// text is a value in words; "" for a flag that is not set.
func (f *TraceField) text(v uint32) string {
	name := strings.ReplaceAll(f.Name, "_", " ")
	switch {
	case f.Bits:
		var set []string
		for _, c := range f.Codes {
			if v&c.Value != 0 {
				set = append(set, c.Name)
			}
		}
		if len(set) == 0 {
			set = []string{fmt.Sprint(v)}
		}
		return name + " " + strings.Join(set, " and ")
	case f.Codes != nil:
		return name + " " + strings.ReplaceAll(nameOf(f.Codes, v), "_", " ")
	case f.High > f.Low:
		return fmt.Sprintf("%s %d", name, v)
	case v == 0:
		return ""
	}
	return name
}
