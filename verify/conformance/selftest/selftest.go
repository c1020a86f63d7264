// Package selftest checks a world: it runs every operation that the generation has, in
// sizes at which engines change what they do, with every data type, reduction,
// compression and root, and holds each element against plain Go arithmetic. A Soak runs random operations on
// worlds for a long time.
package selftest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/target"
)

// ErrWrong says that results were wrong, or that there were none because calls failed.
var ErrWrong = errors.New("the self-test has failed")

// DefaultLimit bounds a case.
const DefaultLimit = 2 * time.Minute

// Options of a run.
type Options struct {
	Thorough bool
	Seed     int64              // of data, and of the random cases of a thorough run
	Only     []string           // operations; nil for all
	Cases    []conformance.Case // in place of all these; nil for none
	Limit    time.Duration      // of a case; 0 for DefaultLimit
}

// Report is the result of Run.
type Report struct {
	World    string  `json:"world"` // what the engines are
	Platform string  `json:"platform"`
	Ranks    int     `json:"ranks"`
	Thorough bool    `json:"thorough"`
	Seed     int64   `json:"seed"`
	Rows     []Row   `json:"rows"`
	Cases    int     `json:"cases"`
	Failed   int     `json:"failed"` // cases
	Seconds  float64 `json:"seconds"`
}

// Row is the cases of an operation on elements of a type.
type Row struct {
	Operation string    `json:"operation"`
	Type      string    `json:"type,omitempty"` // "float32/float16": compressed on the wire
	Fewest    int       `json:"fewest_elements"`
	Most      int       `json:"most_elements"`
	Cases     int       `json:"cases"`
	Failed    int       `json:"failed"`
	Seconds   float64   `json:"seconds"`
	Failures  []Failure `json:"failures,omitempty"`
}

// Failure is a case with wrong results or failed calls.
type Failure struct {
	Case     conformance.Case `json:"case"`
	Troubles []Trouble        `json:"troubles"` // by rank
}

// Trouble is a rank's part of a failure.
type Trouble struct {
	Rank int    `json:"rank"` // in the world
	What string `json:"what"`
	// Element is the first that is wrong, if one is: where it is, what is there, what
	// should be, and how many are wrong.
	Element *Element `json:"element,omitempty"`
}

// Element is a wrong element.
type Element struct {
	Where string `json:"where"`
	Index int    `json:"index"` // below 0 and behind the last element it is beside the data
	Got   string `json:"got"`
	Want  string `json:"want"`
	Wrong int    `json:"wrong"`
	Of    int    `json:"of"`
}

// Run runs the cases on a world, of which all processes call it, and prints a row for
// each operation and type to the process of rank 0, as they come. The report is nil on
// others. The error matches ErrWrong if anything was wrong; other errors are why it could
// not go on.
func Run(ctx context.Context, w *target.World, o Options, out io.Writer) (*Report, error) {
	ctx, cancel := w.Context(ctx)
	defer cancel()
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	if !w.Reports() {
		out = io.Discard
	}
	cases := o.Cases
	if cases == nil {
		cases = List(w.Platform, w.Size, o)
	}
	r := &runner{w: w, o: o, engines: make([]*accl.Engine, w.Size), out: out, report: &Report{
		World: w.What, Platform: w.Platform.Name, Ranks: w.Size, Thorough: o.Thorough, Seed: o.Seed,
	}}
	for i, rank := range w.Local {
		r.engines[rank] = w.Engines[i]
	}
	begin := time.Now()
	r.header()
	for i, c := range cases {
		if err := r.one(ctx, c); err != nil {
			if r.row != nil && r.row.Failed > 0 {
				r.end()
			}
			return nil, err
		}
		if i == len(cases)-1 || rowOf(w.Platform, cases[i+1]) != rowOf(w.Platform, c) {
			r.end()
		}
	}
	r.report.Seconds = time.Since(begin).Seconds()
	r.footer()
	var err error
	if r.report.Failed > 0 {
		err = fmt.Errorf("%w: %d of %d cases", ErrWrong, r.report.Failed, r.report.Cases)
	}
	if !w.Reports() {
		return nil, err
	}
	return r.report, err
}

type runner struct {
	w       *target.World
	o       Options
	engines []*accl.Engine // by rank, nil where they are of others
	out     io.Writer
	report  *Report
	row     *Row // of the cases that run
}

// one runs a case. The error is why it cannot go on.
func (r *runner) one(ctx context.Context, c conformance.Case) error {
	if r.row == nil {
		k := rowOf(r.w.Platform, c)
		r.row = &Row{Operation: k.operation, Type: k.dtype, Fewest: c.Count, Most: c.Count}
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, r.o.Limit)
	failed := c.Run(limited, r.engines)
	cancel()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(failed, conformance.ErrCase) {
		return failed // the same everywhere
	}
	all, err := r.gather(ctx, troubles(&c, failed, r.w.Local[0]))
	if err != nil {
		return err
	}
	if err := r.judged(ctx, &c, all); err != nil {
		return err
	}
	if c.Op == "barrier" && c.Members == nil && len(all) == 0 && !r.w.Alone() {
		if err := r.barriers(ctx, &c); err != nil {
			return err
		}
	}
	r.row.Seconds += time.Since(begin).Seconds()
	return nil
}

// judged notes what has become of a case on all ranks, and brings them together again if
// it has failed. The error is why that is not possible.
func (r *runner) judged(ctx context.Context, c *conformance.Case, all []Trouble) error {
	row := r.row
	row.Fewest, row.Most = min(row.Fewest, c.Count), max(row.Most, c.Count)
	row.Cases++
	r.report.Cases++
	if len(all) == 0 {
		return nil
	}
	row.Failed++
	r.report.Failed++
	row.Failures = append(row.Failures, Failure{*c, all})
	return r.reset(ctx, c)
}

// gather has all processes know what each has seen.
func (r *runner) gather(ctx context.Context, mine []Trouble) (all []Trouble, err error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	texts, err := r.w.Exchange(ctx, text)
	if err != nil {
		return nil, err
	}
	for rank, text := range texts {
		var theirs []Trouble
		if err := json.Unmarshal(text, &theirs); err != nil {
			return nil, fmt.Errorf("what rank %d says: %w", rank, err)
		}
		all = append(all, theirs...)
	}
	return all, nil
}

// reset brings the ranks together again after a case that failed: all of them, while
// nothing is on its way.
func (r *runner) reset(ctx context.Context, c *conformance.Case) error {
	limited, cancel := context.WithTimeout(ctx, r.o.Limit)
	defer cancel()
	failed := r.w.Each(func(i int) error { return r.w.Engines[i].Reset(limited) })
	var mine []Trouble
	if failed != nil {
		mine = []Trouble{{Rank: r.w.Local[0], What: short(failed.Error())}}
	}
	all, err := r.gather(ctx, mine)
	if err == nil && len(all) > 0 {
		err = fmt.Errorf("the ranks cannot be reset after %s: rank %d: %s", c, all[0].Rank, all[0].What)
	}
	return err
}

// troubles are what ranks of this process have seen; what none has in particular is the
// first one's.
func troubles(c *conformance.Case, err error, first int) []Trouble {
	failure, is := errors.AsType[*conformance.Failure](err)
	if !is {
		if err == nil {
			return nil
		}
		return []Trouble{{Rank: first, What: short(err.Error())}}
	}
	var out []Trouble
	for rank, err := range failure.Errs {
		if err == nil {
			continue
		}
		if c.Members != nil {
			rank = c.Members[rank]
		}
		t := Trouble{Rank: rank, What: short(err.Error())}
		if data, is := errors.AsType[*conformance.DataError](err); is {
			t.Element = &Element{data.Where, data.Index, data.Got, data.Want, data.Wrong, data.Of}
		}
		out = append(out, t)
	}
	return out
}

// short keeps what a rank says within what an exchange carries.
func short(text string) string {
	const most = 2000
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}
