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
	"github.com/cclforge/cclforge/verify/internal/barrier"
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
	mine, err := m.iterate(ctx, op, prepared, warmup, iterations)
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

func (m *meter) describe(op *operation, c conformance.Case) Row {
	row := Row{Operation: op.Name, Count: c.Count, Type: string(c.Op0), Wire: string(c.Wire), Func: string(c.Func),
		Root: -1, Iterations: m.o.Iterations}
	row.Size = c.Count * c.ElementBytes(m.w.Platform)
	if op.Blocks() {
		row.Size *= m.w.Size
	}
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

// prepare makes the operands.
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
	ctx context.Context, op *operation, prepared []*conformance.Prepared, warmup, iterations int,
) (part, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meet := barrier.New(len(m.w.Local))
	times := make([][]time.Duration, len(m.w.Local))
	var group sync.WaitGroup
	for i := range m.w.Local {
		group.Go(func() {
			defer context.AfterFunc(ctx, meet.End)()
			for k := range warmup + iterations {
				var took time.Duration
				err := m.limited(ctx, fmt.Sprint("iteration ", k+1), func(ctx context.Context) (err error) {
					took, err = m.once(ctx, op, prepared, meet, i)
					return err
				})
				if err != nil {
					for _, p := range prepared {
						p.Failed(i, err)
					}
					cancel(fmt.Errorf("rank %d: %w", m.w.Local[i], err))
					return
				}
				if k >= warmup {
					times[i] = append(times[i], took)
				}
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return part{}, err
	}
	var out part
	for _, t := range times {
		out.add(t)
	}
	return out, nil
}

// once is one iteration of a rank.
func (m *meter) once(ctx context.Context, op *operation, prepared []*conformance.Prepared, meet *barrier.Rendezvous,
	i int) (time.Duration, error) {
	if err := m.together(ctx, meet, i); err != nil {
		return 0, err
	}
	begin := time.Now()
	for _, p := range prepared {
		if err := p.Call(ctx, i); err != nil {
			return 0, err
		}
	}
	took := time.Since(begin)
	if !op.pingPong {
		return took, nil
	}
	if rank := m.w.Local[i]; rank > 1 {
		return 0, nil // it has nothing to do
	}
	return took / 2, nil
}

// together has all ranks of all processes wait for each other.
func (m *meter) together(ctx context.Context, meet *barrier.Rendezvous, i int) error {
	switch {
	case m.w.Alone():
		if !meet.Wait(func() bool { return ctx.Err() == nil }) {
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
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	at := func(percent int) float64 { return us(times[(len(times)*percent+99)/100-1]) }
	p.Mean = append(p.Mean, us(total)/float64(len(times)))
	p.Least = append(p.Least, us(times[0]))
	p.Median = append(p.Median, at(50))
	p.P99 = append(p.P99, at(99))
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
