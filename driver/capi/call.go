package capi

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
)

// call is a call of C, with the same layout.
type call struct {
	Operation  int32          `doc:"cclf_operation"`
	Type       int32          `doc:"cclf_type of the operands"`
	ResultType int32          `doc:"cclf_type of dst; 0: the same"`
	WireType   int32          `doc:"cclf_type to which data is compressed between ranks; 0: as it is"`
	Reduction  int32          `doc:"cclf_reduction"`
	Peer       int32          `doc:"root, source or destination: a rank of the communicator"`
	Tag        uint32         `doc:"of a message, with CCLF_TAGGED; of stream_put the number of the stream"`
	Flags      uint32         `doc:"of cclf_flag"`
	Count      uint64         `doc:"of elements, of a block for each rank where an operand has [ranks]"`
	Src        unsafe.Pointer `doc:"operand 0"`
	Other      unsafe.Pointer `doc:"operand 1, of combine"`
	Dst        unsafe.Pointer `doc:"result"`
}

// flags of a call; CCLF_STREAM is an operand.
const (
	fromDevice = 1 << iota
	otherFromDevice
	toDevice
	tagged
	allFlags = 1<<iota - 1

	stream = 1
)

// types are element types, numbered from 1. Names that are asked for are added.
var types = struct {
	sync.RWMutex
	names []accl.DType
}{names: []accl.DType{accl.TypeFloat16, accl.TypeFloat32, accl.TypeFloat64, accl.TypeInt32, accl.TypeInt64,
	accl.TypeBFloat16}}

// firstTypes are in the header.
var firstTypes = len(types.names)

// typeOf is an element type of the platform, and its size.
func (r *rank) typeOf(number int32) (accl.DType, int, error) {
	types.RLock()
	defer types.RUnlock()
	if number < 1 || int(number) > len(types.names) {
		return "", 0, fmt.Errorf("%w: number %d", accl.ErrType, number)
	}
	t := types.names[number-1]
	bytes, ok := r.engine.Platform().TypeBytes(t)
	if !ok {
		return "", 0, fmt.Errorf("%w: %s has no %s", accl.ErrType, r.engine.Platform().Name, t)
	}
	return t, bytes, nil
}

// typeNamed is the number of an element type of the platform, and its size.
func (r *rank) typeNamed(name string) (number int32, bytes int, err error) {
	bytes, ok := r.engine.Platform().TypeBytes(accl.DType(name))
	if !ok {
		return 0, 0, fmt.Errorf("%w: %s has no %q", accl.ErrType, r.engine.Platform().Name, name)
	}
	types.Lock()
	defer types.Unlock()
	i := slices.Index(types.names, accl.DType(name))
	if i < 0 {
		i = len(types.names)
		types.names = append(types.names, accl.DType(name))
	}
	return int32(i + 1), bytes, nil
}

// statistics are what the engine of a rank has done.
type statistics struct {
	counting sync.Mutex
	made     map[[2]int32]done // by operation and type
}

type done struct{ calls, bytes uint64 }

func (s *statistics) count(of [2]int32, bytes uint64) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if s.made == nil {
		s.made = map[[2]int32]done{}
	}
	d := s.made[of]
	s.made[of] = done{d.calls + 1, d.bytes + bytes}
}

func (s *statistics) get(operation, dtype int32) done {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.made[[2]int32{operation, dtype}]
}

// bound is a call with its operands in the memory of the engine.
type bound struct {
	*comm
	name    string
	a       accl.Arguments
	options []accl.Option
	lent    []*loan

	counted [2]int32
	bytes   uint64
}

// entryOf is that of a number in a table.
func entryOf(table []entry, number int32, none error) (string, error) {
	if number < 1 || int(number) > len(table) {
		return "", fmt.Errorf("%w: number %d", none, number)
	}
	return table[number-1].name, nil
}

// bind reads a call.
func (c *comm) bind(k *call) (b *bound, err error) {
	b = &bound{comm: c, counted: [2]int32{k.Operation, k.Type}}
	if b.name, err = entryOf(operations, k.Operation, accl.ErrArgument); err != nil {
		return nil, fmt.Errorf("operation: %w", err)
	}
	o := c.engine.Platform().Operation(b.name)
	if o == nil {
		return nil, fmt.Errorf("%w: %s has no %s", accl.ErrUnsupported, c.engine.Platform().Generation, b.name)
	}
	if k.Count > math.MaxUint32 {
		return nil, fmt.Errorf("%s: %w: %d", b.name, accl.ErrCount, k.Count)
	}
	b.a.N, b.a.Peer, b.a.Stream = int(k.Count), accl.Peer(k.Peer), accl.Tag(k.Tag)
	if o.Reduces {
		f, err := entryOf(reductions, k.Reduction, accl.ErrFunc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
		b.a.Func = accl.Func(f)
	}
	if err := b.flags(k); err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	if o.Operands() {
		if err := b.operands(k, o); err != nil {
			b.back(b.lent, false)
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return b, nil
}

func (b *bound) flags(k *call) error {
	if k.Flags&^allFlags != 0 {
		return fmt.Errorf("%w: flags 0x%X", accl.ErrOption, k.Flags)
	}
	for _, o := range [...]struct {
		flag   uint32
		option accl.Option
	}{{fromDevice, accl.FromFPGA()}, {otherFromDevice, accl.FromFPGA1()}, {toDevice, accl.ToFPGA()},
		{tagged, accl.WithTag(accl.Tag(k.Tag))}} {
		if k.Flags&o.flag != 0 {
			b.options = append(b.options, o.option)
		}
	}
	if k.WireType != 0 {
		t, _, err := b.typeOf(k.WireType)
		if err != nil {
			return err
		}
		b.options = append(b.options, accl.Compress(t))
	}
	return nil
}

func (b *bound) operands(k *call, o *accl.Operation) error {
	t, bytes, err := b.typeOf(k.Type)
	if err != nil {
		return err
	}
	result, resultBytes := t, bytes
	if k.ResultType != 0 {
		if result, resultBytes, err = b.typeOf(k.ResultType); err != nil {
			return err
		}
	}
	b.bytes = k.Count * uint64(bytes)
	passes := b.c.Passes(o, b.a.N, b.a.Peer)
	srcFlags := uint32(fromDevice)
	if o.InPlace == accl.InPlaceRequired {
		srcFlags |= toDevice
	}
	for i, operand := range [...]struct {
		from  unsafe.Pointer
		to    *accl.Operand
		t     accl.DType
		bytes int
		flags uint32 // that spare its copies
		name  string
	}{{k.Src, &b.a.Op0, t, bytes, srcFlags, "src"}, {k.Other, &b.a.Op1, t, bytes, otherFromDevice, "other"},
		{k.Dst, &b.a.Result, result, resultBytes, toDevice, "dst"}} {
		size := passes[i] * operand.bytes
		switch {
		case uintptr(operand.from) == stream:
			*operand.to = accl.KernelStream(operand.t)
		case passes[i] == 0 && k.Count > 0, operand.from == nil && size > 0:
			*operand.to = accl.Absent(operand.t)
		default:
			view, lent, err := b.view(operand.from, size, operand.t)
			if err != nil {
				return fmt.Errorf("%s: %w", operand.name, err)
			}
			if lent != nil {
				b.lent = append(b.lent, lent)
				if k.Flags&operand.flags != 0 {
					return fmt.Errorf("%s: %w: the memory was neither allocated nor registered, and must be copied", operand.name,
						accl.ErrOption)
				}
			}
			*operand.to = view
		}
	}
	return nil
}

func (b *bound) do(o ...accl.Option) (*accl.Request, error) {
	return b.c.Do(b.world.Context, b.name, b.a, append(o, b.options...)...)
}

// run makes a call and waits for it.
func (c *comm) run(k *call) error {
	b, err := c.bind(k)
	if err != nil {
		return err
	}
	_, err = b.do()
	b.back(b.lent, err != nil)
	if err == nil {
		b.count(b.counted, b.bytes)
	}
	return err
}

// request is a call in flight, or one that is prepared.
type request struct {
	*bound
	prepared *accl.Request // nil for one that ends when it is done

	mu     sync.Mutex
	flying *accl.Request
	failed bool // once: what was lent may still be in use
}

// start places a call; prepare only checks it.
func (c *comm) start(k *call, prepare bool) (int64, error) {
	b, err := c.bind(k)
	if err != nil {
		return 0, err
	}
	r := &request{bound: b}
	if prepare {
		r.prepared, err = b.do(accl.Async(), accl.Prepared())
	} else {
		r.flying, err = b.do(accl.Async())
	}
	if err != nil {
		b.back(b.lent, true)
		return 0, err
	}
	return enter(r), nil
}

// restart makes a prepared call.
func (r *request) restart() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.prepared == nil:
		return fmt.Errorf("%w: the request was not prepared", accl.ErrArgument)
	case r.flying != nil:
		return fmt.Errorf("%w: the request was started and not waited for", accl.ErrBusy)
	}
	r.flying, err = r.prepared.Again(r.world.Context)
	return err
}

// flight is the request of a handle, and its call in flight; nil if there is none.
func flight(h int64) (r *request, a *accl.Request, err error) {
	if h == 0 {
		return nil, nil, nil
	}
	if r, err = object[*request](h); err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r, r.flying, nil
}

// over accounts for a call that is done. A handle of a request that was not prepared is 0 then.
func (r *request) over(a *accl.Request, h *int64) error {
	err := a.Err()
	r.mu.Lock()
	first := r.flying == a
	if first {
		r.flying, r.failed = nil, r.failed || err != nil
	}
	r.mu.Unlock()
	if first && err == nil {
		r.count(r.counted, r.bytes)
	}
	if r.prepared == nil {
		if first {
			r.back(r.lent, r.failed)
		}
		leave(*h)
		*h = 0
	}
	return err
}

// wait waits for a request; one that is not in flight is done.
func wait(h *int64) error {
	r, a, err := flight(*h)
	if a == nil {
		return err
	}
	_ = a.Wait(context.Background()) // in this thread
	return r.over(a, h)
}

// test waits only if that takes no time.
func test(h *int64) (isDone bool, err error) {
	if _, a, err := flight(*h); err != nil {
		return false, err
	} else if a != nil {
		select {
		case <-a.Done():
		default:
			return false, nil
		}
	}
	return true, wait(h)
}

// waitAny waits for one of the requests, and returns its index; -1 if none is in flight.
func waitAny(all []int64) (int, error) {
	var cases []reflect.SelectCase
	var of []int
	for i, h := range all {
		if _, a, err := flight(h); err != nil {
			return -1, err
		} else if a != nil {
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a.Done())})
			of = append(of, i)
		}
	}
	if len(cases) == 0 {
		return -1, nil
	}
	chosen, _, _ := reflect.Select(cases)
	i := of[chosen]
	return i, wait(&all[i])
}

// freeRequest ends a request that is not in flight.
func freeRequest(h *int64) error {
	r, a, err := flight(*h)
	if r == nil {
		return err
	}
	if a != nil {
		return fmt.Errorf("%w: the request was started and not waited for", accl.ErrBusy)
	}
	leave(*h)
	*h = 0
	r.back(r.lent, r.failed)
	return nil
}
