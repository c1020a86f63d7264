package rates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/target"
)

// meter measures on the ranks of this process.
type meter struct {
	w       *target.World
	o       Options
	engines []*accl.Engine // by rank, nil where they are of others
	barrier bool           // the generation has one
}

func newMeter(w *target.World, o Options) *meter {
	m := &meter{w: w, o: o, engines: make([]*accl.Engine, w.Size)}
	for i, rank := range w.Local {
		m.engines[rank] = w.Engines[i]
	}
	m.barrier = slices.Contains(conformance.Operations(w.Platform), "barrier")
	return m
}

// part is what a process has measured, of each of its ranks.
type part struct {
	Mean, Least, Median, P99 []float64 // µs
	Wrong                    int
	Failed                   string
}

// row measures a case, and the same in place if the operation can be.
func (m *meter) row(ctx context.Context, op *operation, c conformance.Case) (Row, error) {
	row := m.describe(op, c)
	var err error
	if row.Measured, err = m.measure(ctx, op, c, &row); err != nil || op.InPlace != accl.InPlaceAllowed {
		return row, err
	}
	c.InPlace = true
	if row.InPlace, err = m.measure(ctx, op, c, &row); err != nil {
		err = fmt.Errorf("in place: %w", err)
	}
	return row, err
}

// measure measures a form of a case.
func (m *meter) measure(ctx context.Context, op *operation, c conformance.Case, row *Row) (Measured, error) {
	cases := []conformance.Case{c}
	if op.pingPong {
		back := c
		back.Root, back.Peer = c.Peer, c.Root
		cases = append(cases, back)
	}
	var prepared []*conformance.Prepared
	err := m.limited(ctx, "the operands", func(ctx context.Context) (err error) {
		prepared, err = m.prepare(ctx, cases)
		return err
	})
	mine, err := m.calls(ctx, op, prepared, err, m.o.Warmup, row.Iterations)
	if err == nil && c.InPlace { // its operand is the result of the call before
		err = m.limited(ctx, "the operands", prepared[0].Refill)
		_, err = m.calls(ctx, op, prepared, err, 0, 1)
	}
	for _, p := range prepared {
		err = errors.Join(err, m.limited(ctx, "the results", func(ctx context.Context) error {
			wrong, failure := wrongOf(p.Finish(ctx))
			mine.Wrong += wrong
			return failure
		}))
	}
	if ctx.Err() != nil {
		return Measured{}, context.Cause(ctx)
	}
	if err != nil {
		return Measured{}, err
	}
	all, err := m.gather(ctx, mine)
	if err != nil {
		return Measured{}, err
	}
	return measured(op, all, row.Size, m.w.Size), nil
}

// calls has all ranks of all processes make their calls, once each process has its
// operands, which has failed with an error or not.
func (m *meter) calls(
	ctx context.Context, op *operation, prepared []*conformance.Prepared, err error, warmup, iterations int,
) (part, error) {
	// Nobody begins before all have what they need.
	if _, lost := m.gather(ctx, failed(err)); lost != nil {
		return part{}, lost
	} else if err != nil {
		return part{}, err
	}
	spans, err := m.iterate(ctx, op, prepared, warmup+iterations)
	var mine part
	for i, own := range spans {
		if err == nil {
			mine.add(op.times(m.w.Local[i], own[warmup:]))
		}
	}
	// Nobody looks at results before all have made their calls.
	if _, lost := m.gather(ctx, failed(err)); lost != nil && err == nil {
		err = lost
	}
	return mine, err
}

// limited does something that may take so long.
func (m *meter) limited(ctx context.Context, what string, do func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, m.o.Limit)
	defer cancel()
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %s after %v: %w", ErrLimit, what, m.o.Limit, err)
	}
	return err
}

func failed(err error) part {
	if err == nil {
		return part{}
	}
	text := err.Error()
	const most = 2000
	return part{Failed: text[:min(len(text), most)]}
}

// bytes is the size of a rank's largest buffer.
func (m *meter) bytes(op *operation, c *conformance.Case) int {
	size := c.Count * c.ElementBytes(m.w.Platform)
	if op.Blocks() {
		size *= m.w.Size
	}
	return size
}

func (m *meter) describe(op *operation, c conformance.Case) Row {
	row := Row{Operation: op.Name, Count: c.Count, Type: string(c.Op0), Wire: string(c.Wire), Func: string(c.Func),
		Root: -1, Iterations: m.o.Iterations}
	row.Size = m.bytes(op, &c)
	if op.Peer != "" && !op.pingPong {
		row.Root = c.Root
	}
	if row.Iterations == 0 {
		row.Iterations = largeIterations
		if row.Size <= smallBytes {
			row.Iterations = smallIterations
		}
	}
	if op.Operands() {
		row.Limit, _ = Limit(m.w.Platform, op.Name)
	}
	return row
}

func (m *meter) prepare(ctx context.Context, cases []conformance.Case) (out []*conformance.Prepared, err error) {
	for _, c := range cases {
		p, err := c.Prepare(ctx, m.engines)
		if err != nil {
			for _, p := range out {
				err = errors.Join(err, p.Finish(ctx))
			}
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// iterate has the ranks of this process make their calls again and again.
func (m *meter) iterate(
	ctx context.Context, op *operation, prepared []*conformance.Prepared, iterations int,
) ([][]span, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meet := newBarrier(len(m.w.Local))
	spans := make([][]span, len(m.w.Local))
	var group sync.WaitGroup
	for i := range m.w.Local {
		group.Go(func() {
			defer context.AfterFunc(ctx, meet.end)()
			spans[i] = make([]span, iterations)
			for k := range spans[i] {
				err := m.limited(ctx, fmt.Sprint("iteration ", k+1), func(ctx context.Context) (err error) {
					spans[i][k], err = m.once(ctx, op, prepared, meet, i)
					return err
				})
				if err != nil {
					for _, p := range prepared {
						p.Failed(i, err)
					}
					cancel(fmt.Errorf("rank %d: %w", m.w.Local[i], err))
					return
				}
			}
		})
	}
	group.Wait()
	return spans, context.Cause(ctx)
}

// span is from when a rank begins an iteration until it has ended it.
type span struct{ begin, end time.Time }

// times are what counts of a rank's iterations.
func (o *operation) times(rank int, spans []span) []time.Duration {
	times := make([]time.Duration, len(spans))
	for k, s := range spans {
		switch took := s.end.Sub(s.begin); {
		case !o.pingPong:
			times[k] = took
		case rank < 2: // others have nothing to do
			times[k] = took / 2
		}
	}
	return times
}

// once is one iteration of a rank.
func (m *meter) once(ctx context.Context, op *operation, prepared []*conformance.Prepared, meet *barrier,
	i int) (span, error) {
	if err := m.together(ctx, meet, i); err != nil {
		return span{}, err
	}
	begin := time.Now()
	err := op.perform(ctx, prepared, i)
	return span{begin, time.Now()}, err
}

// perform makes the calls of a rank of this process.
func (o *operation) perform(ctx context.Context, prepared []*conformance.Prepared, i int) error {
	if n := len(prepared); o.ring && n > 1 {
		sent, err := prepared[i].Start(ctx, i)
		if err != nil {
			return err
		}
		return errors.Join(prepared[(i+n-1)%n].Call(ctx, i), sent.Wait(ctx))
	}
	for _, p := range prepared {
		if err := p.Call(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// together has all ranks of all processes wait for each other.
func (m *meter) together(ctx context.Context, meet *barrier, i int) error {
	switch {
	case m.w.Alone():
		if !meet.wait() {
			return cmp.Or(context.Cause(ctx), context.Canceled) // another rank has failed
		}
		return nil
	case m.barrier:
		_, err := m.w.Engines[i].Barrier(ctx)
		return err
	}
	_, err := m.w.Exchange(ctx, nil)
	return err
}

func (p *part) add(times []time.Duration) {
	slices.Sort(times)
	total := time.Duration(0)
	for _, t := range times {
		total += t
	}
	p.Mean = append(p.Mean, microseconds(total)/float64(len(times)))
	p.Least = append(p.Least, microseconds(times[0]))
	p.Median = append(p.Median, microseconds(quantile(times, 50)))
	p.P99 = append(p.P99, microseconds(quantile(times, 99)))
}

// gather has all processes know what each has measured. The error is that of any.
func (m *meter) gather(ctx context.Context, mine part) (all part, err error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return part{}, err
	}
	texts, err := m.w.Exchange(ctx, text)
	if err != nil {
		return part{}, err
	}
	for rank, text := range texts {
		var p part
		if err := json.Unmarshal(text, &p); err != nil {
			return part{}, fmt.Errorf("what rank %d says: %w", rank, err)
		}
		if p.Failed != "" {
			return part{}, errors.New(p.Failed)
		}
		all.Mean, all.Least, all.Median, all.P99 = append(all.Mean, p.Mean...), append(all.Least, p.Least...),
			append(all.Median, p.Median...), append(all.P99, p.P99...)
		all.Wrong += p.Wrong
	}
	return all, nil
}

// measured takes the times of the slowest rank.
func measured(op *operation, all part, size, ranks int) Measured {
	slowest := 0
	for rank, mean := range all.Mean {
		if mean > all.Mean[slowest] {
			slowest = rank
		}
	}
	r := Measured{
		Time: all.Mean[slowest], Least: all.Least[slowest], Median: all.Median[slowest], P99: all.P99[slowest],
		Wrong: all.Wrong,
	}
	if size > 0 && r.Time > 0 {
		r.AlgBW = float64(size) / r.Time / 1e3
		r.BusBW = r.AlgBW * op.factor(ranks)
	}
	return r
}

// wrongOf counts elements that are wrong, on all ranks; other errors stay.
func wrongOf(err error) (int, error) {
	switch e := err.(type) {
	case nil:
		return 0, nil
	case *conformance.DataError:
		return e.Wrong, nil
	case interface{ Unwrap() []error }:
		wrong := 0
		var rest []error
		for _, part := range e.Unwrap() {
			n, err := wrongOf(part)
			wrong += n
			rest = append(rest, err)
		}
		return wrong, errors.Join(rest...)
	}
	return 0, err
}
