package accl

import (
	"context"
	"fmt"
	"math"
)

// call is a call with its checked arguments.
type call struct {
	Call
	engine *Engine
	comm   *Comm
	spec   *Operation
	client int
	opts   callOptions

	op0, op1, res ref

	own    OtherCall // as other ranks must call it, too
	serial uint64    // of its start
	alone  bool      // no other call was in flight then
}

func (c *call) name() string { return c.spec.Name }

func (c *call) refs() []*ref { return []*ref{&c.op0, &c.op1, &c.res} }

// failure is the error of a return code.
func (c *call) failure(ctx context.Context, code ReturnCode) error {
	err := c.engine.failure(ctx, c.name(), c.comm, code, &c.own)
	if c.spec.Collective {
		c.comm.failed(err)
	}
	return err
}

// Arguments are the arguments of an operation, without options. Those that it does not have are ignored.
type Arguments struct {
	Op0, Op1, Result Operand
	N                int
	Peer             Peer
	Func             Func
	Stream           Tag // of a put
}

// Do calls an operation by its name, as its method does.
func (c *Comm) Do(ctx context.Context, name string, a Arguments, options ...Option) (*Request, error) {
	r := &Request{}
	r.comm = c
	r.op0, r.op1, r.res = refOf(a.Op0), refOf(a.Op1), refOf(a.Result)
	for _, set := range options {
		if set != nil {
			set(&r.opts)
		}
	}
	if c == nil {
		return nil, fmt.Errorf("%s: %w", name, ErrNotMember)
	}
	r.engine = c.engine
	if err := r.prepare(name, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.opts.prepared {
		r.finish(nil)
		return r, nil
	}
	if err := r.hold(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c.engine.issue(ctx, r)
}

// hold marks all buffers as in use, or none.
func (r *Request) hold() error {
	refs := r.refs()
	for i, operand := range refs {
		if operand.kind == inMemory {
			if err := operand.span.hold(); err != nil {
				release(refs[:i])
				return err
			}
		}
	}
	return nil
}

// prepare checks a call and fills in its words.
func (c *call) prepare(name string, a *Arguments) error {
	e := c.engine
	if err := e.usable(); err != nil {
		return err
	}
	spec := e.p.Operation(name)
	if spec == nil {
		return fmt.Errorf("%w: %s has no %s", ErrUnsupported, e.p.Generation, name)
	}
	c.spec = spec
	if err := c.options(); err != nil {
		return err
	}
	if a.N < 0 || uint64(a.N) > math.MaxUint32 {
		return fmt.Errorf("%w: %d", ErrCount, a.N)
	}
	c.Scenario, c.Count, c.Tag = spec.Value, uint32(a.N), e.p.TagAny
	if !spec.Local {
		c.Comm = c.comm.at
	}
	if spec.Peer != "" {
		if a.Peer < 0 || int(a.Peer) >= len(c.comm.ranks) {
			return fmt.Errorf("%w: %d of %d", ErrRank, a.Peer, len(c.comm.ranks))
		}
		c.RootSrcDst = uint32(a.Peer)
	}
	if c.opts.tagged {
		c.Tag = uint32(c.opts.tag)
	}
	if spec.Result.At == AtPeer {
		if uint32(a.Stream) > e.p.MaxPutTag {
			return fmt.Errorf("%w: stream %d; the largest is %d", ErrTag, a.Stream, e.p.MaxPutTag)
		}
		c.Tag = uint32(a.Stream)
		c.StreamFlags |= e.p.StreamFlags.Result
	}
	c.own = OtherCall{Operation: name, Count: c.Count, Root: int(c.RootSrcDst), known: spec}
	if spec.Collective && !spec.Operands() {
		return c.barrier()
	}
	return c.operands(a)
}

// options checks that the operation has the given options.
func (c *call) options() error {
	spec, o, uses := c.spec, &c.opts, c.spec.passed()
	for _, option := range [...]struct {
		name       string
		given, has bool
	}{
		{"FromFPGA", o.from, uses[0].Any()},
		{"FromFPGA1", o.from1, uses[1].Any()},
		{"ToFPGA", o.to, uses[2].Any() || spec.InPlace == InPlaceRequired},
		{"Compress", o.compress != "", !spec.Local && spec.Operands()},
		{"WithTag", o.tagged, spec.Tagged},
	} {
		if option.given && !option.has {
			return fmt.Errorf("%w: it has no %s", ErrOption, option.name)
		}
	}
	c.client = c.engine.o.client
	if o.chosen {
		if o.client < 0 {
			return fmt.Errorf("%w: client %d", ErrOption, o.client)
		}
		c.client = o.client
	}
	return nil
}

// operands resolves types, and checks and addresses the operands.
func (c *call) operands(a *Arguments) error {
	e, spec := c.engine, c.spec
	if !spec.Operands() {
		return nil
	}
	if c.opts.compress != "" {
		if _, known := e.p.TypeBytes(c.opts.compress); !known {
			return fmt.Errorf("%w: %s does not know %q", ErrType, e.p.Name, c.opts.compress)
		}
	}
	root := spec.Peer != "" && int(a.Peer) == c.comm.local
	uses := spec.passed()
	operands := [...]struct {
		name   string
		ref    *ref
		use    OperandUse
		stream uint32 // flag
	}{
		{"operand 0", &c.op0, uses[0], e.p.StreamFlags.Op0}, {"operand 1", &c.op1, uses[1], 0},
		{"result", &c.res, uses[2], e.p.StreamFlags.Result},
	}
	for _, operand := range operands {
		if err := c.admit(operand.ref, operand.use, root); err != nil {
			return fmt.Errorf("%s: %w", operand.name, err)
		}
		if operand.ref.kind == onStream {
			c.StreamFlags |= operand.stream
		}
	}
	types, err := e.combine(c, c.opts.compress)
	if err != nil {
		return err
	}
	c.ArithCfg, c.CompressionFlags = types.config.at, types.flags
	c.own.types, c.own.compressed = types.config, types.flags&e.p.CompressionFlags.Ethernet != 0
	if a.N&(1<<types.config.RatioLog-1) != 0 && types.flags != 0 {
		return fmt.Errorf("%w: %d is no multiple of %d, which make a compressed element", ErrCount, a.N,
			1<<types.config.RatioLog)
	}
	if spec.Reduces {
		if err := c.function(types.config, a.Func); err != nil {
			return err
		}
	}
	for _, operand := range operands {
		if err := c.fit(operand.ref, operand.use, types.config, a.N); err != nil {
			return fmt.Errorf("%s: %w", operand.name, err)
		}
	}
	c.addresses(root)
	return nil
}

// admit checks that an operand is of the right kind, and not missing. Of an operand that
// this rank does not need, only the type counts.
func (c *call) admit(r *ref, u OperandUse, root bool) error {
	if r.err != nil {
		return r.err
	}
	if r.dtype != "" {
		if _, known := c.engine.p.TypeBytes(r.dtype); !known {
			return fmt.Errorf("%w: %s does not know %q", ErrType, c.engine.p.Name, r.dtype)
		}
	}
	if r.kind == inMemory && r.span.engine != c.engine {
		return fmt.Errorf("%w: the buffer is of another engine", ErrOperand)
	}
	if !u.needed(root, c.comm.local == 0) {
		*r = ref{dtype: r.dtype}
		return nil
	}
	switch {
	case !u.Any():
		return nil
	case r.kind == absent:
		return fmt.Errorf("%w: it is missing", ErrOperand)
	case r.kind == onStream && !u.Stream:
		return fmt.Errorf("%w: it cannot be a kernel stream", ErrOperand)
	case r.kind == onStream && !c.engine.streams:
		return fmt.Errorf("%w: kernel streams", ErrUnsupported)
	}
	return nil
}

// function checks and numbers a reduction.
func (c *call) function(config *config, fn Func) error {
	code := lookup(c.engine.p.ReduceFunctions, string(fn))
	if !code.ok {
		return fmt.Errorf("%w: %s has no %q", ErrFunc, c.engine.p.Generation, fn)
	}
	if uint64(code.value) >= uint64(len(config.FunctionTDEST)) {
		return fmt.Errorf("%w: no %s of %s", ErrFunc, fn, join([]DType{config.Uncompressed}))
	}
	c.FunctionCode, c.own.Function = code.value, string(fn)
	return nil
}

// fit checks that an operand is large enough, and reduces it to what the call uses.
func (c *call) fit(r *ref, u OperandUse, config *config, n int) error {
	if r.kind != inMemory {
		return nil
	}
	elements := uint64(n)
	if u.Share == ShareAll {
		elements *= uint64(len(c.comm.ranks))
	}
	need := config.bytes(r.dtype, elements)
	if need > uint64(r.span.bytes) {
		return fmt.Errorf("%w: %d elements take %d bytes, and the buffer has %d", ErrCount, elements, need, r.span.bytes)
	}
	r.span.bytes = int(need)
	return nil
}

// addresses fills in addresses, host flags, and the copies between host and device.
func (c *call) addresses(root bool) {
	flags := &c.engine.p.HostFlags
	place := func(r *ref, address *uint64, flag uint32) {
		if r.kind != inMemory {
			return
		}
		*address = r.span.address()
		if r.span.host {
			c.StreamFlags |= flag
		}
	}
	writes := c.spec.InPlace == InPlaceRequired && !root
	if writes {
		place(&c.op0, &c.Addr0, flags.Result)
	} else {
		place(&c.op0, &c.Addr0, flags.Op0)
	}
	place(&c.op1, &c.Addr1, flags.Op1)
	place(&c.res, &c.Addr2, flags.Result)
	if c.spec.RepeatsResult && c.engine.p.Features.HostOperands {
		place(&c.res, &c.Addr1, flags.Op1)
		if c.CompressionFlags&c.engine.p.CompressionFlags.Result != 0 {
			c.CompressionFlags |= c.engine.p.CompressionFlags.Op1
		}
	}
	c.op0.in = c.op0.kind == inMemory && !c.opts.from && !writes
	c.op1.in = c.op1.kind == inMemory && !c.opts.from1
	c.op0.out = c.op0.kind == inMemory && !c.opts.to && writes
	c.res.out = c.res.kind == inMemory && !c.opts.to && !c.op0.out
}

// barrier gives engines that open sessions themselves the scratch buffer that
// their barrier needs.
func (c *call) barrier() error {
	e := c.engine
	if !e.p.Features.EngineSessions || len(e.scratch) == 0 {
		return nil
	}
	c.Addr0 = e.scratch[0].Addr()
	if len(e.configs) > 0 {
		c.ArithCfg = e.configs[0].at
	}
	return nil
}
