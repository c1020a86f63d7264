package report

import (
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// JSONSchema is the number of the form of Line. It changes when the meaning of a
// field does; further fields and kinds of events do not change it.
const JSONSchema = 1

// Line is a line of the machine-readable display: one JSON object on a line, one
// line for each event. Times are in seconds. The last line has event "end" and no
// step, and counts how steps have ended.
type Line struct {
	Schema int            `json:"schema"`
	Time   string         `json:"time"`  // RFC 3339, UTC
	Event  string         `json:"event"` // step.EventKind, or "end"
	Step   string         `json:"step,omitempty"`
	Kind   string         `json:"kind,omitempty"` // step.Kind
	Title  string         `json:"title,omitempty"`
	Detail string         `json:"detail,omitempty"`
	Why    []string       `json:"why,omitempty"` // of "planned": what makes a run necessary
	Needs  []string       `json:"needs,omitempty"`
	Wanted float64        `json:"expected_s,omitempty"`
	Took   float64        `json:"elapsed_s,omitempty"`
	Error  string         `json:"error,omitempty"`
	Dir    string         `json:"dir,omitempty"`
	Counts map[string]int `json:"counts,omitempty"` // of "end": steps by the last event of each
}

type jsonLines struct {
	mu    sync.Mutex
	out   firstError
	last  map[string]string
	ended bool
}

// NewJSON writes each event as a Line.
func NewJSON(w io.Writer) Display {
	return &jsonLines{out: firstError{w: w}, last: map[string]string{}}
}

// Event implements Display.
func (j *jsonLines) Event(e step.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return
	}
	l := Line{Time: utc(e.Time), Event: string(e.Kind), Detail: e.Detail, Why: e.Why, Wanted: e.Expected.Seconds(),
		Took: e.Elapsed.Seconds(), Dir: e.Dir}
	if e.Step != nil {
		l.Step, l.Kind, l.Title = e.Step.ID, string(e.Step.Kind), e.Step.Title
		if e.Kind == step.Planned {
			for _, n := range e.Step.Needs {
				l.Needs = append(l.Needs, n.Step)
			}
		}
		if e.Kind != step.Stage {
			j.last[e.Step.ID] = string(e.Kind)
		}
	}
	if e.Err != nil {
		l.Error = e.Err.Error()
	}
	j.write(l)
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func (j *jsonLines) write(l Line) {
	l.Schema = JSONSchema
	text, err := json.Marshal(l)
	if err == nil {
		_, err = j.out.Write(append(text, '\n'))
	}
	if j.out.err == nil {
		j.out.err = err
	}
}

// Close implements Display.
func (j *jsonLines) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended {
		counts := map[string]int{}
		for _, kind := range j.last {
			counts[kind]++
		}
		j.write(Line{Time: utc(time.Now()), Event: "end", Counts: counts})
		j.ended = true
	}
	return j.out.err
}

func itoa(n int) string { return strconv.Itoa(n) }
