package xrt

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/internal/tickets"
)

// Registers of a host controller, as the contract has them.
var hostctrl = card.Kernel{Name: "hostctrl", Control: "ap_ctrl_hs", Registers: []card.Register{
	{Name: "control", At: 0x00, Bits: 32}, {Name: "scenario", At: 0x10, Bits: 32}, {Name: "count", At: 0x18, Bits: 32},
	{Name: "comm", At: 0x20, Bits: 32}, {Name: "root_src_dst", At: 0x28, Bits: 32}, {Name: "function_code", At: 0x30, Bits: 32},
	{Name: "tag", At: 0x38, Bits: 32}, {Name: "arithcfg", At: 0x40, Bits: 32}, {Name: "compression_flags", At: 0x48, Bits: 32},
	{Name: "stream_flags", At: 0x50, Bits: 32}, {Name: "addr_0", At: 0x58, Bits: 64}, {Name: "addr_1", At: 0x64, Bits: 64},
	{Name: "addr_2", At: 0x70, Bits: 64}, {Name: "post", At: 0x80, Bits: 32}, {Name: "posted", At: 0x84, Bits: 32},
	{Name: "answered", At: 0x88, Bits: 32}, {Name: "capacity", At: 0x8C, Bits: 32}, {Name: "answers", At: 0x100, Bits: 32},
}}

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
		Scenario: w[0x10], Count: w[0x18], Comm: w[0x20], RootSrcDst: w[0x28], FunctionCode: w[0x30], Tag: w[0x38], ArithCfg: w[0x40],
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
func controlled(t *testing.T, f *fake) (*controller, *Device) {
	t.Helper()
	d := &Device{c: &Card{name: "card 0"}}
	d.life, d.end = context.WithCancelCause(context.Background())
	t.Cleanup(d.stop)
	at, err := hostctrl.Offsets(callRegisters...)
	if err != nil {
		t.Fatal(err)
	}
	words := &callWords{f, at}
	k := &controller{d: d, regs: f, name: "hostctrl_0_0", placing: make(chan struct{}, 1), capacity: 1}
	if k.way, k.capacity, err = postingWay(t.Context(), words, hostctrl); err != nil {
		t.Fatal(err)
	}
	if k.way == nil {
		k.capacity = 1
		p := &accl.Platform{Exchange: accl.Exchange{Words: []accl.Word{{Name: "return_code", At: 0x1FFC}}}}
		if k.way, err = startingWay(words, hostctrl, f, p); err != nil {
			t.Fatal(err)
		}
	}
	k.room = make(chan struct{}, k.capacity)
	return k, d
}

func some(n uint32) accl.Call {
	return accl.Call{
		Scenario: 1 + n, Count: 2 + n, Comm: 3 + n, RootSrcDst: 4 + n, FunctionCode: 5 + n, Tag: 6 + n, ArithCfg: 7 + n,
		CompressionFlags: 8 + n, StreamFlags: 9 + n, Addr0: 10<<32 | uint64(n), Addr1: 11<<32 | uint64(n), Addr2: 12<<32 | uint64(n),
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
	}{"posted": {32, 0, 32}, "posted, taken late": {32, 3, 32}, "a ring of 4": {4, 1, 4}, "started": {0, 0, 0}} {
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
				defer d.stop()
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
				if f.worst != test.worst {
					t.Errorf("%d calls without an answer at a time, want %d", f.worst, test.worst)
				}
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
		defer d.stop()
		if k.capacity != 29 {
			t.Errorf("room for %d calls", k.capacity)
		}
		call, err := k.start(t.Context(), some(1))
		if err != nil {
			t.Fatal(err)
		}
		n := d.tickets.Add(call)
		time.Sleep(time.Second)
		for f.answer(codeOf) {
		}
		if code, err := d.Wait(t.Context(), n); err != nil || code != 1001 {
			t.Errorf("%d, %v", code, err)
		}
	})
}

func TestEndsOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(4)
		k, d := controlled(t, f)
		defer d.stop()
		ctx := t.Context()
		var open []*tickets.Call
		for i := range uint32(4) {
			call, err := k.start(ctx, some(i))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, call)
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := k.start(short, some(4)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call too many: %v", err)
		}
		// The one that gave up was not placed, and is no obstacle.
		f.answer(codeOf)
		if code, err := d.Wait(ctx, d.tickets.Add(open[0])); err != nil || code != 1000 {
			t.Errorf("%d, %v", code, err)
		}
		last, err := k.start(ctx, some(5))
		if err != nil {
			t.Fatal(err)
		}
		// Registers break: all calls end, and there are no more.
		f.mu.Lock()
		f.broken[0x88] = &CallError{"xclRegRead", -5}
		f.mu.Unlock()
		for _, call := range append(open[1:], last) {
			if _, err := d.Wait(ctx, d.tickets.Add(call)); !errors.Is(err, ErrRefused) {
				t.Errorf("a call whose answer cannot be read: %v", err)
			}
		}
		if _, err := k.start(ctx, some(6)); !errors.Is(err, ErrRefused) {
			t.Errorf("after a failure: %v", err)
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
				defer d.stop()
				began := time.Now()
				_, err := k.start(t.Context(), some(0))
				if err == nil { // posted, but not taken: the next one waits for that
					_, err = k.start(t.Context(), some(1))
				}
				if !errors.Is(err, ErrSilent) || time.Since(began) > taking+time.Second {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(1)
		k, d := controlled(t, f)
		call, err := k.start(t.Context(), some(0))
		if err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := k.start(t.Context(), some(1)); !errors.Is(err, ErrClosed) {
				t.Errorf("a call that waits for room: %v", err)
			}
		})
		synctest.Wait()
		d.stop()
		waiting.Wait()
		if _, err := d.Wait(t.Context(), d.tickets.Add(call)); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if _, err := k.start(t.Context(), some(2)); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}
