package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// started is the control register of kernels that are started, as Vitis has it.
var started = layout.Register{Name: "control", At: 0x00, Bits: 32, Values: []layout.Value{{Name: "start", Value: 1},
	{Name: "done", Value: 2}, {Name: "idle", Value: 4}}}

// Registers of a host controller, as the contract has them.
var hostctrl = layout.Kernel{Name: "hostctrl", Control: "ap_ctrl_hs", Registers: []layout.Register{
	started, {Name: "scenario", At: 0x10, Bits: 32}, {Name: "count", At: 0x18, Bits: 32},
	{Name: "comm", At: 0x20, Bits: 32}, {Name: "root_src_dst", At: 0x28, Bits: 32},
	{Name: "function_code", At: 0x30, Bits: 32},
	{Name: "tag", At: 0x38, Bits: 32}, {Name: "arithcfg", At: 0x40, Bits: 32},
	{Name: "compression_flags", At: 0x48, Bits: 32},
	{Name: "stream_flags", At: 0x50, Bits: 32}, {Name: "addr_0", At: 0x58, Bits: 64}, {Name: "addr_1", At: 0x64, Bits: 64},
	{Name: "addr_2", At: 0x70, Bits: 64}, {Name: "post", At: 0x80, Bits: 32}, {Name: "posted", At: 0x84, Bits: 32},
	{Name: "answered", At: 0x88, Bits: 32}, {Name: "capacity", At: 0x8C, Bits: 32}, {Name: "answers", At: 0x100, Bits: 32},
}}

var errBroken = errors.New("the register is broken")

// manual is what a driver needs to know of calls.
var manual = accl.Platform{
	Exchange:        accl.Exchange{Words: []accl.Word{{Name: "return_code", At: 0x1FFC}}},
	Operations:      []accl.Operation{{Name: "config", Value: 0}, {Name: "copy", Value: 1}},
	ConfigFunctions: []accl.Code{{Name: "reset_periph", Value: 0}, {Name: "enable_pkt", Value: 1}},
	ReturnCodes:     []accl.Bit{{Name: "ARITH", At: 19}, {Name: "NOT_READY", At: 31}},
}

// fake is a host controller with an engine that answers when it is told to.
type fake struct {
	mu       sync.Mutex
	words    map[uint32]uint32
	capacity uint32
	posted   uint32
	answered uint32
	slow     int // reads until a post is taken
	taking   int // reads until this one is; -1 if there is none
	stuck    bool
	calls    []accl.Call
	running  bool // started by ap_start
	done     bool
	code     uint32 // in the exchange memory
	broken   map[uint32]error
	worst    uint32 // most calls without an answer
}

func newFake(capacity uint32) *fake {
	return &fake{words: map[uint32]uint32{}, capacity: capacity, taking: -1, broken: map[uint32]error{}}
}

func (f *fake) call() accl.Call {
	w := f.words
	wide := func(at uint32) uint64 { return uint64(w[at]) | uint64(w[at+4])<<32 }
	return accl.Call{
		Scenario: w[0x10], Count: w[0x18], Comm: w[0x20], RootSrcDst: w[0x28], FunctionCode: w[0x30], Tag: w[0x38],
		ArithCfg:         w[0x40],
		CompressionFlags: w[0x48], StreamFlags: w[0x50], Addr0: wide(0x58), Addr1: wide(0x64), Addr2: wide(0x70),
	}
}

func (f *fake) Read(ctx context.Context, at uint32) (uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(ctx.Err(), f.broken[at]); err != nil {
		return 0, err
	}
	if f.taking > 0 {
		f.taking--
	}
	if f.taking == 0 && !f.stuck {
		f.calls, f.taking = append(f.calls, f.call()), -1
		f.posted++
		f.worst = max(f.worst, f.posted-f.answered)
	}
	switch {
	case at == 0x00:
		v := uint32(0)
		if f.running {
			v |= 1
		} else {
			v |= 4
		}
		if f.done {
			v, f.done = v|2, false
		}
		return v, nil
	case at == 0x84:
		return f.posted, nil
	case at == 0x88:
		return f.answered, nil
	case at == 0x8C:
		return f.capacity, nil
	case at == 0x1FFC:
		return f.code, nil
	}
	return f.words[at], nil
}

func (f *fake) Write(ctx context.Context, at, v uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(ctx.Err(), f.broken[at]); err != nil {
		return err
	}
	switch {
	case at == 0x80:
		f.taking = f.slow + 1
	case at == 0x00 && v&1 != 0:
		f.calls, f.running = append(f.calls, f.call()), true
	case f.taking >= 0:
		f.calls = append(f.calls, accl.Call{Scenario: 0xBAD}) // written before it was taken
	default:
		f.words[at] = v
	}
	return nil
}

// answer gives the answer to the oldest call, if there is one.
func (f *fake) answer(code func(accl.Call) uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		return false
	}
	c := f.calls[0]
	f.calls = f.calls[1:]
	if f.running {
		f.running, f.done, f.code = false, true, code(c)
		return true
	}
	f.words[0x100+4*(f.answered%f.capacity)] = code(c)
	f.answered++
	return true
}

// control makes a controller of a fake.
func controlled(t *testing.T, f *fake) (*controller, *Engine) {
	t.Helper()
	d := &Engine{at: Place{Card: "card 0"}}
	d.life, d.end = context.WithCancelCause(context.Background())
	t.Cleanup(d.Stop)
	k, err := newController(t.Context(), d, &manual, "hostctrl_0_0", f, hostctrl, f)
	assert.NilError(t, err)
	return k, d
}

func some(n uint32) accl.Call {
	return accl.Call{
		Scenario: 1 + n, Count: 2 + n, Comm: 3 + n, RootSrcDst: 4 + n, FunctionCode: 5 + n, Tag: 6 + n, ArithCfg: 7 + n,
		CompressionFlags: 8 + n, StreamFlags: 9 + n, Addr0: 10<<32 | uint64(n), Addr1: 11<<32 | uint64(n),
		Addr2: 12<<32 | uint64(n),
	}
}

// codeOf is the answer to a call of some, or a number that no call has.
func codeOf(c accl.Call) uint32 {
	if n := c.Scenario - 1; c == some(n) {
		return 1000 + n
	}
	return 1 << 30
}

// TestAnswersBelongToCalls places calls from many goroutines, of an engine that answers
// at its leisure.
func TestAnswersBelongToCalls(t *testing.T) {
	for name, test := range map[string]struct {
		capacity uint32
		slow     int
		worst    uint32
	}{"posted": {32, 0, 31}, "posted, taken late": {32, 3, 31}, "a ring of 4": {4, 1, 3}, "started": {0, 0, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(test.capacity)
				f.slow = test.slow
				// Counters have gone round since the reset.
				f.posted, f.answered = ^uint32(5), ^uint32(5)
				if test.capacity == 0 {
					f.posted, f.answered = 0, 0
				}
				k, d := controlled(t, f)
				defer d.Stop()
				ending, end := context.WithCancel(t.Context())
				var engine sync.WaitGroup
				engine.Go(func() {
					r := rand.New(rand.NewPCG(0, uint64(test.capacity)))
					for ending.Err() == nil {
						time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
						for range r.IntN(40) {
							f.answer(codeOf)
						}
					}
				})
				var calling sync.WaitGroup
				for i := range uint32(200) {
					calling.Go(func() {
						call, err := k.start(t.Context(), some(i))
						if err != nil {
							t.Error(err)
							return
						}
						if code, err := d.Wait(t.Context(), d.tickets.Add(call)); err != nil || code != accl.ReturnCode(1000+i) {
							t.Errorf("call %d: %d, %v", i, code, err)
						}
					})
				}
				calling.Wait()
				end()
				engine.Wait()
				assert.Check(t, f.worst == test.worst, "%d calls without an answer at a time, want %d", f.worst, test.worst)
			})
		})
	}
}

// TestCallsOfAProcessBefore: their answers are not those of this process's calls.
func TestCallsOfAProcessBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(32)
		f.posted, f.answered = 10, 7
		f.calls = []accl.Call{{}, {}, {}}
		k, d := controlled(t, f)
		defer d.Stop()
		assert.Check(t, k.capacity == 29, "room for %d calls", k.capacity)
		call, err := k.start(t.Context(), some(1))
		assert.NilError(t, err)
		n := d.tickets.Add(call)
		time.Sleep(time.Second)
		for f.answer(codeOf) {
		}
		if code, err := d.Wait(t.Context(), n); err != nil || code != 1001 {
			t.Errorf("%d, %v", code, err)
		}
	})
}

// TestMoreThanThereIsRoomFor: calls beyond that wait in the driver, and whoever starts
// them does not.
func TestMoreThanThereIsRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(4)
		k, d := controlled(t, f)
		defer d.Stop()
		ctx := t.Context()
		var open []accl.Ticket
		for i := range uint32(queued) {
			answer, err := k.start(ctx, some(i))
			assert.NilError(t, err)
			open = append(open, d.tickets.Add(answer))
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := k.start(short, some(queued)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call too many: %v", err)
		}
		f.mu.Lock()
		if f.worst != 3 { // one place remains free
			t.Errorf("%d calls at the same time", f.worst)
		}
		f.mu.Unlock()
		// Registers break in the middle: all calls that are left end, and there are no more.
		for i, n := range open {
			if i == 100 {
				f.mu.Lock()
				f.broken[0x88] = errBroken
				f.mu.Unlock()
			}
			for i < 100 && !f.answer(codeOf) {
				time.Sleep(time.Millisecond)
			}
			code, err := d.Wait(ctx, n)
			if right := err == nil && code == accl.ReturnCode(1000+i); i < 100 != right || !right && !errors.Is(err, errBroken) {
				t.Fatalf("call %d: %d, %v", i, code, err)
			}
		}
		if _, err := k.start(ctx, some(6)); !errors.Is(err, errBroken) {
			t.Errorf("after a failure: %v", err)
		}
	})
}

// TestResetDropsCalls: a reset goes before calls that were not placed, and drops them;
// answers keep their order.
func TestResetDropsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(4)
		k, d := controlled(t, f)
		defer d.Stop()
		var open []accl.Ticket
		start := func(c accl.Call) {
			answer, err := k.start(t.Context(), c)
			assert.NilError(t, err)
			open = append(open, d.tickets.Add(answer))
		}
		for i := range uint32(10) {
			start(some(i))
		}
		time.Sleep(time.Second)
		start(accl.Call{}) // a config call with function 0
		start(some(20))
		time.Sleep(time.Second)
		f.mu.Lock()
		if n := len(f.calls); n != 4 || f.calls[3] != (accl.Call{}) {
			t.Errorf("%d calls at the controller, the last is %+v", n, f.calls[n-1])
		}
		f.mu.Unlock()
		for _, code := range []uint32{1 << 31, 1 << 31, 1 << 31, 0} {
			f.answer(func(accl.Call) uint32 { return code })
		}
		time.Sleep(time.Second)
		f.answer(codeOf)
		for i, n := range open {
			want := accl.ReturnCode(1 << 31)
			switch i {
			case 10:
				want = 0
			case 11:
				want = 1020
			}
			if code, err := d.Wait(t.Context(), n); err != nil || code != want {
				t.Errorf("call %d: %#x, %v, want %#x", i, code, err, want)
			}
		}
	})
}

func TestSilentController(t *testing.T) {
	for name, test := range map[string]func(f *fake){
		"never takes a call": func(f *fake) { f.stuck = true },
		"never becomes idle": func(f *fake) { f.capacity, f.running = 0, true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(32)
				test(f)
				k, d := controlled(t, f)
				defer d.Stop()
				began := time.Now()
				var open []accl.Ticket
				for i := range uint32(2) { // the first one may be handed over
					answer, err := k.start(t.Context(), some(i))
					assert.NilError(t, err)
					open = append(open, d.tickets.Add(answer))
				}
				for _, n := range open {
					if _, err := d.Wait(t.Context(), n); !errors.Is(err, ErrSilent) || time.Since(began) > taking+time.Second {
						t.Errorf("%v after %v", err, time.Since(began))
					}
				}
			})
		})
	}
}

// interrupted has something done while the register of answers is being read, at a time.
type interrupted struct {
	*fake
	at time.Time
	do func()
}

func (i *interrupted) Read(ctx context.Context, at uint32) (uint32, error) {
	v, err := i.fake.Read(ctx, at)
	if do := i.do; at == 0x88 && do != nil && time.Now().After(i.at) {
		i.do = nil
		do()
	}
	return v, err
}

// TestAnEngineMayTakeItsTime: a call that waits for others for long is no reason to give
// the next one up, whenever that is started.
func TestAnEngineMayTakeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &interrupted{fake: newFake(32), at: time.Now().Add(2 * taking)}
		d := &Engine{at: Place{Card: "card 0"}}
		d.life, d.end = context.WithCancelCause(context.Background())
		defer d.Stop()
		k, err := newController(t.Context(), d, &manual, "hostctrl_0_0", f, hostctrl, f)
		assert.NilError(t, err)
		open := make(chan accl.Ticket, 2)
		start := func(n uint32) {
			answer, err := k.start(t.Context(), some(n))
			if err != nil {
				t.Error(err)
				return
			}
			open <- d.tickets.Add(answer)
		}
		f.do = func() { start(1) }
		start(0)
		for i, n := range []accl.Ticket{<-open, <-open} {
			time.Sleep(taking / 2)
			f.answer(codeOf)
			if code, err := d.Wait(t.Context(), n); err != nil || code != accl.ReturnCode(1000+i) {
				t.Errorf("call %d: %d, %v", i, code, err)
			}
		}
	})
}

// TestNothingGoesOnAfterTheEnd starts calls while the engine is being closed.
func TestNothingGoesOnAfterTheEnd(t *testing.T) {
	for range 300 {
		k, d := controlled(t, newFake(32))
		var starting sync.WaitGroup
		for i := range uint32(4) {
			starting.Go(func() {
				if _, err := k.start(t.Context(), some(i)); err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			})
		}
		d.Stop()
		k.mu.Lock()
		if k.running && k.lost == nil {
			t.Error("calls are placed after the end")
		}
		k.mu.Unlock()
		starting.Wait()
	}
}

func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(2)
		k, d := controlled(t, f)
		var open []accl.Ticket
		for i := range uint32(2) { // the second one waits
			answer, err := k.start(t.Context(), some(i))
			assert.NilError(t, err)
			open = append(open, d.tickets.Add(answer))
		}
		d.Stop()
		for _, n := range open {
			if _, err := d.Wait(t.Context(), n); !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
		if _, err := k.start(t.Context(), some(2)); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}
