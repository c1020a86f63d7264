package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// ErrData is matched by every error about wrong data.
var ErrData = errors.New("wrong data")

// DataError tells where memory is not what it should be.
type DataError struct {
	Rank      int    // in the communicator
	Where     string // which operand or result, and which copy of it
	Index     int    // element, counted from the first of the operand; guards lie before 0 and behind the last
	Got, Want string
	Wrong     int // elements that are, of Of
	Of        int
}

func (e *DataError) Error() string {
	return fmt.Sprintf("rank %d, %s: element %d is %s, not %s; %d of %d are wrong", e.Rank, e.Where, e.Index,
		e.Got, e.Want, e.Wrong, e.Of)
}

// Is makes the error match ErrData.
func (e *DataError) Is(target error) bool { return target == ErrData }

// judge holds what lies in memory against what should.
func (c *Case) judge(ctx context.Context, members []*member) {
	eachOf(members, func(m *member) {
		if !m.abandoned {
			m.err = errors.Join(m.err, m.judge(ctx))
		}
	})
	if c.Op != "allreduce" || c.Data != Reals {
		return
	}
	var first *member
	for _, m := range members {
		switch {
		case m.err != nil:
		case first == nil:
			first = m
		default:
			m.err = m.out.compare("result, which all ranks should have alike", m.out.from, m.out.from+m.out.n, 0,
				func(i int) uint64 { return first.out.get(i) })
		}
	}
}

func (m *member) judge(ctx context.Context) error {
	var errs []error
	for _, f := range []*field{m.in0, m.in1} {
		if f == nil {
			continue
		}
		onDevice := f.operand == 0 && m.c.FromFPGA && !m.c.StreamOp0 || f.operand == 1 && m.c.FromFPGA1
		errs = append(errs, m.judgeOperand(ctx, f, onDevice))
	}
	if m.out != nil {
		errs = append(errs, m.judgeResult(ctx))
	}
	return errors.Join(errs...)
}

func (m *member) judgeOperand(ctx context.Context, f *field, onDevice bool) error {
	op0 := f.operand == 0
	kind := forOperand1
	if op0 {
		kind = forOperand0
	}
	values := f.s.values(f.k, kind, m.rank, f.n)
	data := f.expect(values)
	host := data
	if onDevice && !f.host {
		host = f.expectNoise(forOtherCopy)
	}
	if err := f.compare(f.name+", the host's copy", 0, f.Len(), 0, host); err != nil {
		return err
	}
	if f.host {
		return nil
	}
	if err := f.SyncFromDevice(ctx); err != nil {
		return err
	}
	if m.err != nil && !onDevice {
		return f.guards(f.name + ", on the device") // it may not have come there
	}
	return f.compare(f.name+", on the device", 0, f.Len(), 0, data)
}

// judgeResult checks the result, and that nothing was written beside it.
func (m *member) judgeResult(ctx context.Context) error {
	f := m.out
	toFPGA := m.c.ToFPGA && !m.streams() && !f.host
	right := f.expect(m.want)
	tolerance := m.tolerance()
	host := right
	if toFPGA {
		host = f.expectNoise(forOtherCopy)
	}
	switch {
	case m.err != nil && !f.host && f.n > 0 && !m.streams():
		// The host's copy is what it was before the call, whatever became of that.
		if err := f.compare(f.name+", the host's copy", 0, f.Len(), 0, f.expectNoise(forOtherCopy)); err != nil {
			return err
		}
	case m.err != nil:
	case toFPGA:
		if err := f.compare(f.name+", the host's copy", 0, f.Len(), 0, host); err != nil {
			return err
		}
	default:
		if err := f.compare(f.name+", the host's copy", 0, f.Len(), tolerance, host); err != nil {
			return err
		}
	}
	if err := f.SyncFromDevice(ctx); err != nil {
		return err
	}
	if m.err != nil {
		return f.guards(f.name + ", on the device")
	}
	return f.compare(f.name+", on the device", 0, f.Len(), tolerance, right)
}

// tolerance is how far results may be from the reference: reals are rounded at
// every addition and conversion, whose number and order the engine chooses.
func (m *member) tolerance() float64 {
	c := m.c
	if c.Data != Reals {
		return 0
	}
	epsilon := 0.0
	for _, t := range c.types() {
		epsilon = max(epsilon, codecs[t].epsilon)
	}
	ranks := float64(max(m.comm.Size(), 2))
	switch {
	case m.op.Reduces && model.Reductions[string(c.Func)].Rounds:
		// At most 3 roundings a rank, of results no larger than the number of ranks.
		return 3 * (ranks + 1) * ranks * epsilon
	case len(c.types()) > 1:
		return 2 * epsilon
	}
	return 0
}

// expect is what stands in memory if the field holds values.
func (f *field) expect(values []float64) func(int) uint64 {
	guard := f.s.noise(f.k, forGuards, f.rank, f.operand)
	return func(i int) uint64 {
		if j := i - f.from; j >= 0 && j < f.n {
			return f.s.bits(f.k, values[j])
		}
		return guard(i)
	}
}

// expectNoise is what stands there if the field holds noise.
func (f *field) expectNoise(purpose int) func(int) uint64 {
	data, guard := f.s.noise(f.k, purpose, f.rank, f.operand), f.s.noise(f.k, forGuards, f.rank, f.operand)
	return func(i int) uint64 {
		if i >= f.from && i < f.from+f.n {
			return data(i)
		}
		return guard(i)
	}
}

// guards checks only what lies around the field.
func (f *field) guards(where string) error {
	noise := f.expectNoise(forGuards)
	if err := f.compare(where, 0, f.from, 0, noise); err != nil {
		return err
	}
	return f.compare(where, f.from+f.n, f.Len(), 0, noise)
}

// compare holds elements against what they should be. Only those between the
// guards have a tolerance.
func (f *field) compare(where string, from, to int, tolerance float64, want func(i int) uint64) error {
	var first *DataError
	wrong := 0
	for i := from; i < to; i++ {
		g, w := f.get(i), want(i)
		if g == w || f.close(i, g, w, tolerance) {
			continue
		}
		if wrong++; first == nil {
			first = &DataError{Rank: f.rank, Where: where, Index: i - f.from, Got: f.k.show(g), Want: f.k.show(w), Of: to - from}
		}
	}
	if first == nil {
		return nil
	}
	first.Wrong = wrong
	return first
}

func (f *field) close(i int, got, want uint64, tolerance float64) bool {
	if tolerance == 0 || i < f.from || i >= f.from+f.n {
		return false
	}
	return math.Abs(f.k.decode(got)-f.k.decode(want)) <= tolerance // false for NaN
}

// ReturnBits are those of the return code with one of the names; a name that the platform does not have adds none.
func ReturnBits(p *accl.Platform, names ...string) (bits accl.ReturnCode) {
	for _, b := range p.ReturnCodes {
		if slices.Contains(names, b.Name) {
			bits |= accl.ReturnCode(b.Mask())
		}
	}
	return bits
}
