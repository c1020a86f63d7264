package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// chain is a kernel of ap_ctrl_chain as UG1393 has it: it shows that it has ended until
// it is told to go on, and takes a start only then.
type chain struct {
	mu    sync.Mutex
	words map[uint32]uint32
	takes time.Duration
	ends  time.Time // of what runs
	runs  bool
	done  bool
	start bool
	calls [][2]uint32 // arguments
}

func (c *chain) step() {
	if c.runs && !time.Now().Before(c.ends) {
		c.runs, c.done = false, true
	}
	if c.start && !c.runs && !c.done {
		c.start, c.runs, c.ends = false, true, time.Now().Add(c.takes)
		c.calls = append(c.calls, [2]uint32{c.words[0x10], c.words[0x14]})
	}
}

func (c *chain) Read(ctx context.Context, at uint32) (uint32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step()
	if at != 0 {
		return c.words[at], ctx.Err()
	}
	var v uint32
	for bit, set := range []bool{c.start || c.runs, c.done, !c.start && !c.runs} {
		if set {
			v |= 1 << bit
		}
	}
	return v, ctx.Err()
}

func (c *chain) Write(ctx context.Context, at, v uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step()
	if at != 0 {
		c.words[at] = v
		return ctx.Err()
	}
	c.done = c.done && v&16 == 0
	c.start = c.start || v&1 != 0
	c.step()
	return ctx.Err()
}

// kernels is an engine with kernels beside it.
func kernels(t *testing.T, all ...*called) *Engine {
	t.Helper()
	d := &Engine{at: Place{Card: "card 0"}, kernels: all}
	d.life, d.end = context.WithCancelCause(context.Background())
	t.Cleanup(d.Stop)
	return d
}

func chained(instance string, regs layout.Registers) *called {
	arguments := []layout.Register{{Name: "wide", At: 0x10, Bits: 64}, {Name: "narrow", At: 0x1C, Bits: 32}}
	return &called{instance: instance, kernel: layout.Kernel{Name: "mine", Control: "ap_ctrl_chain",
		Registers: []layout.Register{started}}, arguments: arguments, regs: regs, running: make(chan struct{}, 1)}
}

// TestACallThatWasLeftIsNotTheNext: what is left of a call, its end, is not that of the
// next one.
func TestACallThatWasLeftIsNotTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &chain{words: map[uint32]uint32{}, takes: time.Second}
		d := kernels(t, chained("mine_0", c))
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := d.CallKernel(short, "mine", 1, 0); !errors.Is(err, accl.ErrKernelStalled) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that is left: %v", err)
		}
		assert.Check(t, is.ErrorIs(d.CallKernel(t.Context(), "mine", 2, 0), accl.ErrKernelBusy), "while it runs")
		time.Sleep(2 * time.Second)
		for i := range uint64(3) {
			begin := time.Now()
			if err := d.CallKernel(t.Context(), "mine_0", 3+i|7<<32, 0); err != nil || time.Since(begin) < time.Second {
				t.Errorf("call %d: %v after %v", i, err, time.Since(begin))
			}
		}
		if want := [][2]uint32{{1, 0}, {3, 7}, {4, 7}, {5, 7}}; !slices.Equal(c.calls, want) {
			t.Errorf("calls with %v, want %v", c.calls, want)
		}
	})
}

func TestCallsOfKernelsThatCannotBe(t *testing.T) {
	c := &chain{words: map[uint32]uint32{}}
	d := kernels(t, chained("mine_0", c), chained("mine_1", c))
	for name, test := range map[string]struct {
		kernel    string
		arguments []uint64
		kind      error
		text      string
	}{
		"unknown":             {"yours", nil, accl.ErrNoKernel, "yours beside engine 0 of card 0"},
		"several instances":   {"mine", []uint64{1, 2}, accl.ErrNoKernel, "mine_0, mine_1"},
		"too few arguments":   {"mine_0", []uint64{1}, accl.ErrCount, "wide, narrow"},
		"one that is too big": {"mine_0", []uint64{1, 1 << 32}, accl.ErrArgument, "narrow has 32 bits"},
	} {
		if err := d.CallKernel(t.Context(), test.kernel, test.arguments...); !errors.Is(err, test.kind) ||
			!strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.Stop()
	assert.Check(t, is.ErrorIs(d.CallKernel(t.Context(), "mine_0", 1, 2), ErrClosed), "after the end")
	assert.Check(t, c.calls == nil, "called with %v", c.calls)
}
