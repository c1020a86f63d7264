package accl_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// held makes a device keep back its answers until the function is called.
func (d *device) held() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hold := make(chan struct{})
	d.hold = hold
	return func() {
		d.mu.Lock()
		d.hold = nil
		d.mu.Unlock()
		close(hold)
	}
}

// scenarios are the operations of calls, by number.
func scenarios(calls []placed) []uint32 {
	var out []uint32
	for _, c := range calls {
		out = append(out, c.Scenario)
	}
	return out
}

func TestAsync(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	release := d.held()
	var requests []*accl.Request
	for _, call := range []func() (*accl.Request, error){
		func() (*accl.Request, error) { return x.e.Copy(ctx, x.a, x.b, 10, accl.Async()) },
		func() (*accl.Request, error) { return x.e.AllReduce(ctx, x.a, x.c, 10, accl.Sum, accl.Async()) },
		func() (*accl.Request, error) { return x.e.Nop(ctx, accl.Async()) },
	} {
		r, err := call()
		assert.NilError(t, err)
		requests = append(requests, r)
	}
	for _, r := range requests {
		if r.Err() != nil {
			t.Errorf("%s: %v before it is done", r.Op(), r.Err())
		}
		select {
		case <-r.Done():
			t.Errorf("%s is done before it is answered", r.Op())
		default:
		}
		if _, ok := r.Cycles(); ok {
			t.Errorf("%s has taken cycles before it is done", r.Op())
		}
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		if err := r.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", r.Op(), err)
		}
		cancel()
	}
	if got := scenarios(d.taken()); !slices.Equal(got, []uint32{1, 10, 255}) {
		t.Errorf("placed in the order %d", got)
	}
	if got := named(d.copies()); !slices.Equal(got, []string{"A> 40", "*", "A> 40", "*", "*"}) {
		t.Errorf("before the answer: %s", got)
	}
	for _, b := range []*accl.Buffer[float32]{x.a, x.b, x.c} {
		assert.Check(t, is.ErrorIs(b.Free(), accl.ErrBusy), "free of a buffer in use")
	}
	release()
	assert.NilError(t, accl.WaitAll(ctx, append(requests, nil)...))
	if got := named(d.copies()); !slices.Contains(got, "<B 40") || !slices.Contains(got, "<C 40") {
		t.Errorf("after the answer: %s", got)
	}
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free(), x.c.Free()))
}

// TestChain: a call starts when those that it comes after are done, and not
// before.
func TestChain(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	other, otherDevice := newBench(t, "u280_2022")
	release, otherRelease := d.held(), otherDevice.held()
	first, err := x.e.AllReduce(ctx, x.a, x.b, 10, accl.Sum, accl.Async(), accl.ToFPGA())
	assert.NilError(t, err)
	elsewhere, err := other.e.Nop(ctx, accl.Async())
	assert.NilError(t, err)
	second, err := x.e.AllGather(ctx, x.b, x.c, 10, accl.Async(), accl.FromFPGA(), accl.After(first, nil),
		accl.After(elsewhere))
	assert.NilError(t, err)
	third := make(chan error)
	go func() {
		_, err := x.e.Copy(ctx, x.c, x.a, 10, accl.After(second)) // synchronous
		third <- err
	}()
	time.Sleep(5 * time.Millisecond) // time to do wrong
	if got := scenarios(d.taken()); !slices.Equal(got, []uint32{10}) {
		t.Errorf("placed %d before the first is done", got)
	}
	release()
	assert.NilError(t, first.Wait(ctx))
	time.Sleep(5 * time.Millisecond)
	if got := scenarios(d.taken()); len(got) != 0 {
		t.Errorf("placed %d before all are done", got)
	}
	otherRelease()
	assert.NilError(t, errors.Join(second.Wait(ctx), <-third))
	if got := scenarios(d.taken()); !slices.Equal(got, []uint32{9, 1}) {
		t.Errorf("then placed %d", got)
	}
	if got := named(d.copies()); !slices.Equal(got, []string{"A> 40", "*", "*", "<C 120", "C> 40", "*", "<A 40"}) {
		t.Errorf("copies %s", got)
	}
}

// TestChainOfErrors: an error before a call is its error, and it is not placed.
func TestChainOfErrors(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	d.reply = func(p placed) accl.ReturnCode {
		if p.Scenario == 1 {
			return 1 << 2
		}
		return 0
	}
	release := d.held()
	first, err := x.e.Copy(ctx, x.a, x.b, 10, accl.Async())
	assert.NilError(t, err)
	second, err := x.e.Nop(ctx, accl.Async(), accl.After(first))
	assert.NilError(t, err)
	third, err := x.e.AllReduce(ctx, x.a, x.c, 10, accl.Sum, accl.Async(), accl.After(second))
	assert.NilError(t, err)
	release()
	err = third.Wait(ctx)
	var failure *accl.CallError
	if !errors.As(err, &failure) || failure.Op != "copy" ||
		!strings.HasPrefix(err.Error(), "allreduce: after nop: nop: after copy: copy on rank 1") {
		t.Errorf("%v", err)
	}
	if got := scenarios(d.taken()); !slices.Equal(got, []uint32{1}) {
		t.Errorf("placed %d", got)
	}
	// Now that it is done, the same happens at once.
	if r, err := x.e.Nop(ctx, accl.After(first)); r != nil || !errors.Is(err, accl.ReturnCode(1<<2)) {
		t.Errorf("%v", err)
	}
	if r, err := x.e.Nop(ctx, accl.Async(), accl.After(first)); r != nil || !errors.Is(err, accl.ReturnCode(1<<2)) {
		t.Errorf("%v", err)
	}
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free(), x.c.Free()))
}

// TestCancel: who gives up gets the context's error, and buffers stay the
// engine's until it has answered.
func TestCancel(t *testing.T) {
	x, d := newBench(t, "u55c_tcp")
	release := d.held()
	ctx, cancel := context.WithCancelCause(within(t))
	why := errors.New("tea time")
	go func() {
		for len(d.placed()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel(why)
	}()
	r, err := x.e.Copy(ctx, x.a, x.b, 10)
	assert.Assert(t, errors.Is(err, why) && r != nil, "%v, %v", r, err)
	assert.Check(t, is.ErrorIs(x.a.Free(), accl.ErrBusy), "free of a buffer in use")
	if _, err := x.e.Nop(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call with a context that has ended: %v", err)
	}
	if _, err := x.e.Copy(ctx, x.a, x.c, 1, accl.Async()); !errors.Is(err, context.Canceled) {
		t.Errorf("an asynchronous one: %v", err)
	}
	d.copies()
	release()
	assert.Check(t, r.Wait(within(t)), "the call itself")
	if got := named(d.copies()); !slices.Equal(got, []string{"<B 40"}) {
		t.Errorf("copies %s", got)
	}
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free(), x.c.Free()))
}

// placed returns the calls so far.
func (d *device) placed() []placed {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// TestCancelChain: a call that waits for others ends with the context.
func TestCancelChain(t *testing.T) {
	x, d := newBench(t, "u55c_tcp")
	defer d.held()()
	first, err := x.e.Nop(within(t), accl.Async())
	assert.NilError(t, err)
	ctx, cancel := context.WithCancel(within(t))
	second, err := x.e.Copy(ctx, x.a, x.b, 10, accl.Async(), accl.After(first))
	assert.NilError(t, err)
	cancel()
	assert.Check(t, is.ErrorIs(second.Wait(within(t)), context.Canceled))
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free()))
}

// TestWaitLimit: no answer is an error too.
func TestWaitLimit(t *testing.T) {
	x, d := newBench(t, "u55c_tcp", accl.WaitLimit(10*time.Millisecond))
	release := d.held()
	if _, err := x.e.Copy(context.Background(), x.a, x.b, 10); !errors.Is(err, accl.ErrTimeout) ||
		!strings.Contains(err.Error(), "copy: wait for the answer") {
		t.Errorf("%v", err)
	}
	r, err := x.e.Copy(context.Background(), x.a, x.b, 10, accl.Async())
	assert.NilError(t, err)
	assert.Check(t, is.ErrorIs(r.Wait(within(t)), accl.ErrTimeout))
	assert.Check(t, is.ErrorIs(x.a.Free(), accl.ErrBusy), "free of a buffer that the engine may still use")
	release()
	for x.a.Free() != nil {
		time.Sleep(time.Millisecond) // a late answer gives it back
	}
}

func TestCycles(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	d.cycles = 1234
	r, err := x.e.Nop(ctx)
	assert.NilError(t, err)
	if cycles, ok := r.Cycles(); !ok || cycles != 1234 {
		t.Errorf("%d cycles, %t", cycles, ok)
	}
	release := d.held()
	first, err := x.e.Nop(ctx, accl.Async())
	assert.NilError(t, err)
	second, err := x.e.Nop(ctx, accl.Async())
	assert.NilError(t, err)
	release()
	assert.NilError(t, accl.WaitAll(ctx, first, second))
	for _, r := range []*accl.Request{first, second} {
		if cycles, ok := r.Cycles(); ok {
			t.Errorf("%d cycles, which may be another call's", cycles)
		}
	}
	old, _ := newBench(t, "u280_2022")
	if r, err := old.e.Nop(ctx); err != nil {
		t.Error(err)
	} else if _, ok := r.Cycles(); ok {
		t.Error("accl-2022 counts no cycles")
	}
}

// TestConcurrent calls an engine from many goroutines.
func TestConcurrent(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	const workers, calls = 8, 50
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			b, err := accl.Alloc[float32](ctx, x.e, 4)
			if err != nil {
				t.Error(err)
				return
			}
			var last *accl.Request
			for i := range calls {
				o := []accl.Option{accl.OnClient(w)}
				if i%2 == 1 {
					o = append(o, accl.Async(), accl.After(last))
				}
				if last, err = x.e.AllReduce(ctx, b, b, 4, accl.Sum, o...); err != nil {
					t.Error(err)
					return
				}
				assert.Check(t, last.Wait(ctx))
			}
			assert.Check(t, b.Free())
		})
	}
	group.Go(func() {
		for i := range 10 {
			if _, err := x.e.Split(ctx, []int{1, i % 2 * 2}); err != nil {
				t.Error(err)
			}
			if _, err := x.e.DumpExchangeMemory(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	if got := len(d.taken()); got != workers*calls {
		t.Errorf("%d calls", got)
	}
}
