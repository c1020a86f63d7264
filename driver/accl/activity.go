package accl

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// StuckCycles is for how many cycles something stands before Stuck says so.
const StuckCycles = 1 << 16

// Registers reaches the words of an engine, as its Device does.
type Registers interface {
	ReadReg(ctx context.Context, off uint32) (uint32, error)
	WriteReg(ctx context.Context, off, v uint32) error
}

// DetailWords describes words that are read through the word detail of the inspection.
type DetailWords struct {
	At    uint32 // number of the first one
	Words []DetailWord
}

// DetailWord is one of them.
type DetailWord struct{ Name, Doc string }

// Activity is what the streams, queues and moves of an engine do. What the engine has begun
// with since power-up or its reset is counted modulo 2^32.
type Activity struct {
	Stalls   []Stall   `json:"stalls"`
	Queues   []Queue   `json:"queues"`
	Counters []Counter `json:"counters"`
}

// Stall is a stream on which something is offered and not taken, or something that the engine
// waits for.
type Stall struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Cycles uint32  `json:"cycles"`         // for which it has stood, up to 2^32 - 1
	Total  uint32  `json:"total"`          // in which it has stood, in all
	Rank   *uint32 `json:"rank,omitempty"` // whose message is waited for, in the communicator of the call
}

// Queue is how full a queue is.
type Queue struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Used     uint32 `json:"used"`
	Most     uint32 `json:"most"` // at a time
	Capacity uint32 `json:"capacity"`
	Full     bool   `json:"full"` // no more go in
}

// Counter counts one kind of event.
type Counter struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Value uint32 `json:"value"`
}

// Activity reads what an engine does, whatever its control processor does. It is empty for an
// engine that does not count (Inspection.Counts). The error matches ErrNoInspection for engines
// of others, and of an older interface. Others must not read it or the Trace at the same time.
func (p *Platform) Activity(ctx context.Context, r Registers) (Activity, error) {
	_, a, err := p.activity(ctx, r, nil)
	return a, err
}

// activity reads what has one of some names; all for nil.
func (p *Platform) activity(ctx context.Context, r Registers, names []string) (Inspection, Activity, error) {
	var a Activity
	in, details, err := p.details(ctx, r)
	if err != nil || !in.Counts {
		return in, a, err
	}
	w, read := &p.Inspection, details.read
	wanted := func(words []DetailWord) iter.Seq2[int, DetailWord] {
		return func(yield func(int, DetailWord) bool) {
			for i, word := range words {
				if (names == nil || slices.Contains(names, word.Name)) && !yield(i, word) {
					return
				}
			}
		}
	}
	ranks := map[string]*uint32{}
	for i, word := range wanted(w.Remotes.Words) {
		values := fieldsOf(w.RemoteWait, read(w.Remotes.At+uint32(i)))
		if rank := values["rank"]; values["waits"] != 0 {
			ranks[word.Name] = &rank
		}
	}
	for i, word := range wanted(w.Stalls.Words) {
		s := Stall{Name: word.Name, Doc: word.Doc, Cycles: read(w.Stalls.At + uint32(i)), Rank: ranks[word.Name]}
		s.Total = read(w.Stalled + uint32(i))
		a.Stalls = append(a.Stalls, s)
	}
	for i, word := range wanted(w.Queues.Words) {
		level := fieldsOf(w.QueueLevel, read(w.Queues.At+uint32(i)))
		a.Queues = append(a.Queues, Queue{Name: word.Name, Doc: word.Doc, Used: level["used"], Most: level["most"],
			Capacity: level["capacity"], Full: level["full"] != 0})
	}
	for i, word := range wanted(w.Counters.Words) {
		a.Counters = append(a.Counters, Counter{word.Name, word.Doc, read(w.Counters.At + uint32(i))})
	}
	return in, a, details.failed()
}

// details reads the words behind the word detail of the inspection, until an access fails.
type details struct {
	ctx context.Context
	r   Registers
	at  uint32 // offset of the word detail
	err error
}

// details finds them. The error matches ErrNoInspection for engines of others, and of an older
// interface.
func (p *Platform) details(ctx context.Context, r Registers) (Inspection, *details, error) {
	in, err := p.Inspect(ctx, r.ReadReg)
	if err != nil {
		return in, nil, err
	}
	if want := p.Inspection.Version; in.Version != want {
		return in, nil, fmt.Errorf("%w: its inspection is of version %d, not %d", ErrNoInspection, in.Version, want)
	}
	at, err := p.inspectionAt("detail")
	return in, &details{ctx: ctx, r: r, at: at}, err
}

func (d *details) choose(number uint32) {
	if d.err == nil {
		d.err = d.r.WriteReg(d.ctx, d.at, number)
	}
}

func (d *details) read(number uint32) (v uint32) {
	if d.choose(number); d.err == nil {
		v, d.err = d.r.ReadReg(d.ctx, d.at)
	}
	return v
}

func (d *details) failed() error {
	if d.err != nil {
		return fmt.Errorf("inspect the engine: %w", d.err)
	}
	return nil
}

// fieldsOf are the values of a word's fields, by name.
func fieldsOf(fields []Field, word uint32) map[string]uint32 {
	out := map[string]uint32{}
	for _, f := range fields {
		out[f.Name] = f.of(word)
	}
	return out
}

// Stuck says in a line each what has stood for long, and which queues are full. Nothing of an
// engine that works, or has nothing to do, is among it.
func (a Activity) Stuck() (lines []string) {
	for _, s := range a.Stalls {
		if s.Cycles < StuckCycles {
			continue
		}
		line := s.Name + ": " + s.Doc
		if s.Rank != nil {
			line += fmt.Sprintf(" It is rank %d.", *s.Rank)
		}
		lines = append(lines, fmt.Sprintf("%s For %d cycles.", line, s.Cycles))
	}
	for _, q := range a.Queues {
		if q.Full {
			lines = append(lines, fmt.Sprintf("%s: %d of %d in use, no more go in. %s", q.Name, q.Used, q.Capacity, q.Doc))
		}
	}
	return lines
}
