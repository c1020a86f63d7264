package emu

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/hls"
)

func TestCloseEndsKernels(t *testing.T) {
	for name, program := range map[string]func(k *fake){
		"that wait for a beat": func(k *fake) { k.read("data_from_cclo") },
		"that wait for room": func(k *fake) {
			for {
				k.write("data_to_cclo", hls.Beat{})
			}
		},
		"that wait for an answer": func(k *fake) { k.answer() },
		"that look without end": func(k *fake) {
			for {
				k.wait(hls.State{Doing: hls.Polls, Port: -1})
			}
		},
	} {
		r := withKernels(t, ranksOptions{}, func(_ int, k *fake) { program(k) })
		b := ints(t, r.engines[0], 0)
		ended := make(chan error)
		go func() { ended <- r.vadd(t.Context(), 0, b.Address(), b.Address(), 0, 0) }()
		for strings.HasPrefix(r.emu[0].Stats().Kernels[0].Doing, "has not run") {
			time.Sleep(time.Millisecond)
		}
		assert.Check(t, r.emu[0].Close(), "%s", name)
		assert.Check(t, is.ErrorIs(<-ended, ErrClosed), "%s", name)
		select {
		case <-r.emu[0].kernels[0].done:
		default:
			t.Errorf("%s: it still runs", name)
		}
	}
}

// A reset leaves the kernel alone, but for the calls that it has.
func TestResetAnswersCallsOfKernels(t *testing.T) {
	var r *ranks
	codes := make(chan uint32, 2)
	r = withKernels(t, ranksOptions{ranks: 2}, func(rank int, k *fake) {
		comm, config := uint32(k.given[4]), uint32(k.given[5])
		k.send(r.call(accl.Call{
			Scenario: r.operation("recv"), Count: 10, Comm: comm, RootSrcDst: 1, ArithCfg: config, Tag: 3, Addr2: k.given[2],
		})...)
		codes <- k.answer()
		k.send(r.call(accl.Call{Scenario: r.operation("nop")})...)
		codes <- k.answer()
	})
	b := ints(t, r.engines[0], make([]int32, 16)...)
	ended := make(chan error)
	go func() { ended <- r.vadd(within(t), 0, b.Address(), b.Address(), b.Address(), 0) }()
	for r.emu[0].Stats().Kernels[0].Doing != "waits to read beat 1 of sts_from_cclo (0 read), with 1 calls that are "+
		"not answered" {
		time.Sleep(time.Millisecond)
	}
	assert.NilError(t, r.engines[0].Reset(within(t)))
	assert.NilError(t, <-ended)
	if first, second := <-codes, <-codes; first != 1<<31 || second != 0 {
		t.Errorf("answers 0x%X and 0x%X", first, second)
	}
}

// Kernels that count how often they look are run again, though nothing changes.
func TestKernelsMayCountTheirLooks(t *testing.T) {
	looks := 0
	r := withKernels(t, ranksOptions{}, func(_ int, k *fake) {
		for ; looks < 20; looks++ {
			k.wait(hls.State{Doing: hls.Polls, Port: -1})
		}
	})
	b := ints(t, r.engines[0], 0)
	if err := r.vadd(within(t), 0, b.Address(), b.Address(), 0, 0); err != nil || looks != 20 {
		t.Error(looks, err)
	}
}

// Kernels that wait take no time, and nothing is left of them at the end.
func TestKernelsThatWaitSleep(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("kernels", func(t *testing.T) {
		r := withKernels(t, ranksOptions{ranks: 3, control: freeRunning}, echo)
		e := r.engines[0]
		b := ints(t, e, make([]int32, 100)...)
		if _, err := e.StreamPut(within(t), b, 100, 1, 5); err != nil {
			t.Fatal(err)
		}
		if _, err := r.engines[1].Copy(within(t), accl.KernelStream(accl.TypeInt32),
			ints(t, r.engines[1], make([]int32, 100)...), 100); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		for rank, e := range r.emu {
			k := e.kernels[0].c.(*fake)
			runs := k.runs.Load()
			time.Sleep(30 * time.Millisecond)
			if more := k.runs.Load() - runs; more > 0 {
				t.Errorf("the kernel of rank %d was run %d times while it waits", rank, more)
			}
		}
	})
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, before there were %d", runtime.NumGoroutine(), before)
		}
	}
}
