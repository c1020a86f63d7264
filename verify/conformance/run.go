package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// Failure is a case that did not end as it should, on some ranks.
type Failure struct {
	Case Case
	Errs []error // by rank of the communicator; nil where all is well
}

func (f *Failure) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "case %s", f.Case)
	for rank, err := range f.Errs {
		if err != nil {
			fmt.Fprintf(&s, "\n\trank %d: %s", rank, strings.ReplaceAll(err.Error(), "\n", "\n\t\t"))
		}
	}
	return s.String()
}

// Unwrap gives the errors of all ranks.
func (f *Failure) Unwrap() []error {
	var out []error
	for _, err := range f.Errs {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// Tolerates reports whether every rank either was right or was told the truth:
// its call failed with return codes that hold at least one of the given bits and
// no others. Data that is wrong, or that was touched where it must not be, is
// never tolerated.
func (f *Failure) Tolerates(bits accl.ReturnCode) bool {
	for _, err := range f.Errs {
		if err != nil && !tolerable(err, bits) {
			return false
		}
	}
	return true
}

func tolerable(err error, bits accl.ReturnCode) bool {
	switch e := err.(type) {
	case *accl.CallError:
		return e.Code&bits != 0 && e.Code&^bits == 0
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if !tolerable(part, bits) {
				return false
			}
		}
		return true
	case interface{ Unwrap() error }:
		return e.Unwrap() != nil && tolerable(e.Unwrap(), bits)
	}
	return false
}

// member is a rank that takes part in a case.
type member struct {
	c       *Case
	op      *operation
	rank    int // in the communicator
	engine  *accl.Engine
	comm    *accl.Comm
	options []accl.Option
	receive []accl.Option // of the receive of a send, whose own are the options

	in0, in1, out *field        // memory; nil where there is no such operand
	op0, op1, res accl.Operand  // what the call is given
	want          []float64     // of out
	before        []float64     // of out, in place
	ownResult     int           // elements of the result, in place
	entered       *atomic.Int32 // ranks of this process that have begun a barrier
	here          int           // how many ranks of the case it has
	err           error
	abandoned     bool // the call may still use the memory
}

// Run runs the case on engines, which are opened as the ranks of a world in this
// order, and checks every element of every result, that operands have not changed,
// and that nothing around them was touched. Engines that are nil are those of other
// processes, which run the same case; that all ranks have the same sum of reals, and that
// barriers wait, is checked among those of a process. The error is ErrCase for a case that makes no
// sense there, what kept the operands from being allocated, and a *Failure for all that
// came out wrong.
func (c Case) Run(ctx context.Context, engines []*accl.Engine) error {
	p, err := c.Prepare(ctx, engines)
	if err != nil {
		return err
	}
	eachOf(p.members, func(m *member) { m.run(ctx) })
	eachOf(p.members, func(m *member) { m.drain(ctx) })
	return p.Finish(ctx)
}

// Prepared is a case whose operands are there.
type Prepared struct {
	c       *Case
	n       int
	members []*member // of this process
}

// Prepare allocates and fills the operands of a case, for those who call it again and
// again. Finish has to be called. Errors are those of Run.
func (c Case) Prepare(ctx context.Context, engines []*accl.Engine) (*Prepared, error) {
	here := slices.IndexFunc(engines, func(e *accl.Engine) bool { return e != nil })
	if here < 0 {
		return nil, fmt.Errorf("%w: on no engines", ErrCase)
	}
	op, err := c.check(engines[here].Platform(), len(engines))
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", c, err)
	}
	p := &Prepared{c: &c, n: c.Size(len(engines))}
	if p.members, err = c.prepare(ctx, op, engines); err != nil {
		for _, m := range p.members {
			err = errors.Join(err, m.free())
		}
		return nil, fmt.Errorf("case %s: %w", c, err)
	}
	return p, nil
}

// Ranks are those of this process, in the communicator.
func (p *Prepared) Ranks() []int {
	out := make([]int, len(p.members))
	for i, m := range p.members {
		out[i] = m.rank
	}
	return out
}

// Start makes the call of a rank, where i counts those of this process. It is for cases without kernel streams.
func (p *Prepared) Start(ctx context.Context, i int) (*accl.Request, error) {
	return p.members[i].op.call(ctx, p.members[i])
}

// Call starts the call of a rank and waits for it.
func (p *Prepared) Call(ctx context.Context, i int) error {
	r, err := p.Start(ctx, i)
	if r != nil && err == nil {
		err = r.Wait(ctx)
	}
	return err
}

// Refill has the operands of a case in place as they were, so that its calls can be made
// again and give the same.
func (p *Prepared) Refill(ctx context.Context) error {
	var errs []error
	for _, m := range p.members {
		if m.before != nil {
			errs = append(errs, m.refill(ctx))
		}
	}
	return errors.Join(errs...)
}

// Failed says that a rank, counted like those of Call, has failed, so that Finish does
// not expect a result.
func (p *Prepared) Failed(i int, err error) {
	p.members[i].err = err
	p.members[i].abandoned = true
}

// Finish checks what the calls have left and frees the operands. The error is a *Failure.
func (p *Prepared) Finish(ctx context.Context) error {
	p.c.judge(ctx, p.members)
	failed := &Failure{Case: *p.c, Errs: make([]error, p.n)}
	for _, m := range p.members {
		failed.Errs[m.rank] = errors.Join(m.err, m.free())
	}
	if len(failed.Unwrap()) > 0 {
		return failed
	}
	return nil
}

// eachOf does something for all members at the same time.
func eachOf(members []*member, do func(*member)) {
	var group sync.WaitGroup
	for _, m := range members {
		group.Go(func() { do(m) })
	}
	group.Wait()
}

// prepare allocates and fills the operands of the ranks of this process.
func (c *Case) prepare(ctx context.Context, op *operation, engines []*accl.Engine) ([]*member, error) {
	n := c.Size(len(engines))
	data := newSource(c, n, op.Reduces)
	in := &inputs{c: c, f: model.Reductions[string(c.Func)].Of, op0: make([][]float64, n), op1: make([][]float64, n)}
	entered := new(atomic.Int32)
	var members []*member
	for rank := range n {
		world := rank
		if c.Members != nil {
			world = c.Members[rank]
		}
		if engines[world] != nil {
			m := &member{c: c, op: op, rank: rank, engine: engines[world], entered: entered}
			members = append(members, m)
			var err error
			if m.comm = m.engine.World(); c.Members != nil {
				if m.comm, err = m.engine.Split(ctx, c.Members); err != nil {
					return members, fmt.Errorf("rank %d: %w", rank, err)
				}
			}
		}
		if c.has(op.Op0, rank) {
			in.op0[rank] = data.values(codecs[c.Op0], forOperand0, rank, op.Op0.Share.Elements(c.Count, n))
		}
		if op.Op1.Any() {
			in.op1[rank] = data.values(codecs[c.Op1], forOperand1, rank, op.Op1.Share.Elements(c.Count, n))
		}
	}
	var want [][]float64
	if op.want != nil {
		want = op.want(in)
	}
	for _, m := range members {
		m.here = len(members)
		if want != nil {
			m.want = want[m.rank]
		}
		if err := m.prepare(ctx, &data, in.op0[m.rank], in.op1[m.rank]); err != nil {
			return members, fmt.Errorf("rank %d: %w", m.rank, err)
		}
	}
	return members, nil
}

// prepare makes the operands of a rank.
func (m *member) prepare(ctx context.Context, data *source, values0, values1 []float64) (err error) {
	c := m.c
	make := func(number int, name string, t accl.DType, n int, host bool) (*field, error) {
		f, err := newField(ctx, m.engine, name, t, n, c.Pad, host)
		if err == nil {
			f.s, f.rank, f.operand = data, m.rank, number
		}
		return f, err
	}
	m.op0, m.op1, m.res = absent(c.Op0), absent(c.Op1), absent(c.Res)
	if c.InPlace && c.has(m.op.Op0, m.rank) && c.has(m.op.Result, m.rank) {
		m.share(values0)
		if m.out, err = make(2, "result", c.Res, len(m.want), false); err != nil {
			return err
		}
		m.op0, m.res = m.block(len(values0)), m.block(m.ownResult)
		m.setOptions()
		return m.refill(ctx)
	}
	if c.has(m.op.Op0, m.rank) {
		if m.in0, err = make(0, "operand 0", c.Op0, len(values0), c.HostOp0 && !c.StreamOp0); err != nil {
			return err
		}
		if err = m.in0.asOperand(ctx, values0, c.FromFPGA && !c.StreamOp0); err != nil {
			return err
		}
		m.op0 = m.in0.part()
		if c.StreamOp0 {
			m.op0 = accl.KernelStream(c.Op0)
		}
	}
	if m.op.Op1.Any() {
		if m.in1, err = make(1, "operand 1", c.Op1, len(values1), c.HostOp1); err != nil {
			return err
		}
		if err = m.in1.asOperand(ctx, values1, c.FromFPGA1); err != nil {
			return err
		}
		m.op1 = m.in1.part()
	}
	if c.has(m.op.Result, m.rank) {
		if m.out, err = make(2, "result", c.Res, len(m.want), c.HostRes && !m.streams()); err != nil {
			return err
		}
		if err = m.out.asResult(ctx); err != nil {
			return err
		}
		m.res = m.out.part()
		if c.StreamRes {
			m.res = accl.KernelStream(c.Res)
		}
	}
	m.setOptions()
	return nil
}

// share has the operand and the result in one place: what stands there before the call
// and what after.
func (m *member) share(operand []float64) {
	m.ownResult = len(m.want)
	m.before = append([]float64{}, operand...)
	if len(operand) > len(m.want) { // the result takes the place of a block
		result := m.want
		m.want = append([]float64{}, operand...)
		copy(m.want[m.rank*len(result):], result)
	}
}

// block is the operand that has so many elements of what is shared: all of it, or the
// rank's part.
func (m *member) block(n int) accl.Operand {
	from := m.out.from
	if n < m.out.n {
		from += m.rank * n
	}
	return m.out.vector.operand(from, from+n)
}

// refill has what is shared as it was before the call.
func (m *member) refill(ctx context.Context) error {
	f := m.out
	f.noise(forGuards)
	from := f.from
	if len(m.before) < f.n {
		from += m.rank * len(m.before)
	}
	for i, v := range m.before {
		f.set(from+i, f.s.bits(f.k, v))
	}
	if err := f.SyncToDevice(ctx); err != nil {
		return err
	}
	f.scramble()
	return nil
}

// streams reports whether the result comes by the kernel stream.
func (m *member) streams() bool { return m.c.StreamRes || m.c.Op == "stream_put" }

func absent(t accl.DType) accl.Operand {
	if t == "" {
		return nil
	}
	return accl.Absent(t)
}

func (m *member) setOptions() {
	c := m.c
	if c.Async {
		m.options = append(m.options, accl.Async())
	}
	if c.Client != 0 {
		m.options = append(m.options, accl.OnClient(c.Client))
	}
	if c.Wire != "" {
		m.options = append(m.options, accl.Compress(c.Wire))
	}
	sides := m.op.Peer == accl.PeerDestination
	if m.receive = slices.Clone(m.options); c.RecvTag != nil {
		m.receive = append(m.receive, accl.WithTag(*c.RecvTag))
	}
	if c.Tag != nil && sides {
		m.options = append(m.options, accl.WithTag(*c.Tag))
	}
	if c.FromFPGA && m.op.Op0.Any() {
		m.options = append(m.options, accl.FromFPGA())
	}
	if c.FromFPGA1 && m.op.Op1.Any() {
		m.options = append(m.options, accl.FromFPGA1())
	}
	if c.ToFPGA && m.op.Result.Any() {
		m.receive = append(m.receive, accl.ToFPGA())
		if !sides {
			m.options = append(m.options, accl.ToFPGA())
		}
	}
	if sides && m.op.Name == "send" && m.rank == c.Root && m.rank == c.Peer {
		m.options = append(m.options, accl.Async()) // it receives from itself then
	}
}

// run places the rank's calls and waits for them.
func (m *member) run(ctx context.Context) {
	if m.c.Skew > 0 {
		time.Sleep(time.Duration(mix(m.c.Seed, forSkew, int64(m.rank)) % uint64(m.c.Skew)))
	}
	var fed *accl.Request
	if m.c.StreamOp0 && m.in0 != nil {
		if fed, m.err = m.comm.Copy(ctx, m.in0.part(), accl.KernelStream(m.c.Op0), m.in0.n, accl.Async(),
			accl.OnClient(m.c.Client)); m.err != nil {
			return
		}
		if m.c.Fed {
			if m.err = fed.Wait(ctx); m.err != nil {
				return
			}
		}
	}
	m.entered.Add(1)
	r, err := m.op.call(ctx, m)
	for _, request := range []*accl.Request{r, fed} {
		if request == nil {
			continue
		}
		if failed := request.Wait(ctx); err == nil {
			err = failed
		}
		select {
		case <-request.Done():
		default:
			m.abandoned = true
		}
	}
	if n := m.entered.Load(); err == nil && m.c.Op == "barrier" && int(n) != m.here {
		err = fmt.Errorf("%w: the barrier ended when %d of %d ranks had called it", ErrData, n, m.here)
	}
	m.err = err
}

// drain brings what has come by the kernel stream to where results are.
func (m *member) drain(ctx context.Context) {
	if m.out == nil || !m.streams() || m.c.Taken || m.err != nil {
		return
	}
	_, m.err = m.comm.Copy(ctx, accl.KernelStream(m.c.Res), m.out.part(), m.out.n)
}

// free gives the memory back.
func (m *member) free() error {
	var errs []error
	for _, f := range []*field{m.in0, m.in1, m.out} {
		if f == nil {
			continue
		}
		if err := f.Free(); err != nil && !m.abandoned {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
	}
	return errors.Join(errs...)
}
