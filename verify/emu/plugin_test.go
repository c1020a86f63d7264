package emu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

// faults collects what engines report.
type faults struct {
	mu   sync.Mutex
	list []error
}

func (f *faults) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, err)
}

func (f *faults) take() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}

// faulty is a world whose plugin adds int32, and does something wrong for all other
// types. Two engines share a card.
func faulty(ctx context.Context, t *testing.T, ranks int) ([]*accl.Engine, *world.World, *faults) {
	t.Helper()
	seen := &faults{}
	o := world.Options{Engine: emu.Options{Patience: 200 * time.Millisecond, RemoteTimeout: 10 * time.Second,
		OnFault: seen.add}}
	w, engines := start(ctx, t, designtest.Of(t, layer(t), "faulty", nil), ranks, o)
	return engines, w, seen
}

// words is a buffer of elements of 4 bytes.
func words(ctx context.Context, e *accl.Engine, t accl.DType, values ...int32) (*accl.RawBuffer, error) {
	b, err := accl.AllocRaw(ctx, e, t, len(values))
	if err == nil {
		_, err = binary.Encode(b.Host(), binary.LittleEndian, values)
	}
	return b, err
}

// sum adds on an engine and returns the result.
func sum(ctx context.Context, e *accl.Engine, t accl.DType, a, b []int32) ([]int32, error) {
	var memory [3]*accl.RawBuffer
	for i, values := range [][]int32{a, b, make([]int32, len(a))} {
		var err error
		if memory[i], err = words(ctx, e, t, values...); err != nil {
			return nil, err
		}
		defer memory[i].Free()
	}
	_, err := e.Combine(ctx, memory[0], memory[1], memory[2], len(a), accl.Sum)
	out := make([]int32, len(a))
	if _, failed := binary.Decode(memory[2].Host(), binary.LittleEndian, out); err == nil {
		err = failed
	}
	return out, err
}

// counted are n numbers from one on, and their sums with those of another.
func counted(n int, from, other int32) (values, sums []int32) {
	for i := range int32(n) {
		values = append(values, from+i)
		sums = append(sums, from+other+2*i)
	}
	return values, sums
}

// mistakes are what the functions of the faulty plugin do wrong with 21 beats, by type,
// and what is said of it.
var mistakes = map[accl.DType][]string{
	"twice": {
		"beat 21 of out_r", "waits to read beat 22 of in1 (21 read)",
		"waits for beat 21 of 21 and has given 21 of 21 beats of in0, 21 of 21 beats of in1",
	},
	"forgets": {"beat 21 of out_r", "waits to read beat 22 of in0 (21 read)", "waits for beat 21 of 21"},
	"more": {"beat 22 of out_r",
		"has written it after the last one; the engine has had all, in a packet of 21 beats (1296 bytes)"},
	"endless": {"beat 21 of out_r", "without TLAST; the engine expects it with TLAST"},
	"early":   {"beat 3 of out_r", "with TLAST; the engine expects it without TLAST"},
	"keep":    {"beat 3 of out_r", "TKEEP 0x7FFFFFFFFFFFFFFF; the engine expects TKEEP 0xFFFFFFFFFFFFFFFF"},
	"leaves": {"beat 21 of in1", "waits to read beat 22 of in0 (21 read), and the result is complete",
		"given it a packet of 21 beats (1296 bytes)"},
	"wrongly": {"beat 3 of out_r", "has failed", "in1, which is an input"},
	"stuck":   {"has computed for 2s without waiting for a stream"},
	"looks":   {"beat 3 of out_r", "again and again"},
	"throws":  {"has failed", "the third beat does not suit me"},
}

// TestPluginsThatMisbehave end their call, are reported, and work in the next one.
func TestPluginsThatMisbehave(t *testing.T) {
	const n = (20*64 + 16) / 4
	ctx := limited(t)
	engines, w, seen := faulty(ctx, t, 1)
	a, _ := counted(n, 1, 0)
	b, want := counted(n, 1000, 1)
	told := 0
	for dtype, words := range mistakes {
		t.Run(string(dtype), func(t *testing.T) {
			_, err := sum(ctx, engines[0], dtype, a, b)
			var call *accl.CallError
			if !errors.As(err, &call) ||
				accl.BitNames(accl.BitsOf(uint32(call.Code), engines[0].Platform().ReturnCodes)) != "ARITH" {
				t.Errorf("the call ends with %v", err)
			}
			told++
			list := seen.take()
			var fault *emu.PluginError
			if len(list) != 1 || !errors.As(list[0], &fault) || fault.Instance != "arith_0" || fault.Kernel != "faulty_ops" {
				t.Fatalf("faults: %q", list)
			}
			kernels := w.Engine(0).Stats().Kernels
			assert.Assert(t, len(kernels) == 1 && kernels[0].Instance == "arith_0", "kernels: %+v", kernels)
			for _, want := range words {
				assert.Check(t, is.Contains(fault.Error(), want), "the fault does")
				assert.Check(t, is.Contains(kernels[0].Doing, want), "the statistics do")
			}
			if t.Failed() {
				t.Logf("fault: %v\nstatistics: %s", fault, kernels[0])
			}
			if got, err := sum(ctx, engines[0], accl.TypeInt32, a, b); err != nil || !slices.Equal(got, want) {
				t.Errorf("the next call: %v", err)
			}
		})
	}
	if list := seen.take(); len(list) != 0 {
		t.Errorf("more faults: %q", list)
	}
}

// TestPluginsMayCountTheirLooks has one that goes on after 2000 of them.
func TestPluginsMayCountTheirLooks(t *testing.T) {
	ctx := limited(t)
	engines, _, seen := faulty(ctx, t, 1)
	a, _ := counted(100, 1, 0)
	b, want := counted(100, 1000, 1)
	if got, err := sum(ctx, engines[0], "patient", a, b); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, with the faults %q", err, seen.take())
	}
}

// TestWorldsNeedTheirKernels checks what is said if a world cannot be started.
func TestWorldsNeedTheirKernels(t *testing.T) {
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	bad := designtest.Of(t, layer(t, "out.last = a.last;", "out.last = a.lost;"), "faulty", nil)
	_, err := world.New(t.Context(), bad, 2, world.Options{})
	var failed *hls.CompileError
	assert.Assert(t, errors.As(err, &failed) && failed.Kernel == "faulty_ops", "a mistake in C++: %v", err)
	for _, want := range []string{"platforms/kernels/faulty_ops.cpp:53:18: error:", "lost", "out.last = a.lost;"} {
		assert.Check(t, strings.Contains(err.Error(), want), "%q is not said: %v", want, err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = world.New(t.Context(), designtest.Of(t, layer(t), "faulty", nil), 2, world.Options{})
	assert.Check(t, errors.Is(err, hls.ErrTools) && strings.Contains(err.Error(), "apt-get install g++"),
		"without a compiler: %v", err)
}

// TestPlatformsWithoutKernelsInCNeedNoCompiler is for those whose plugins are in RTL.
func TestPlatformsWithoutKernelsInCNeedNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	d := designtest.Of(t, layer(t), "u55c_tcp", nil)
	w, err := world.New(t.Context(), d, 1, world.Options{})
	assert.NilError(t, err)
	p := driverview.Of(d)
	assert.Check(t, p.Name == "u55c_tcp" && len(w.Engine(0).Stats().Kernels) == 0,
		"%s has %+v", p.Name, w.Engine(0).Stats().Kernels)
	assert.Check(t, w.Close())
}
