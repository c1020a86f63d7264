package emu

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// arguments are those of vadd_put.
func arguments(src, dst uint64) []uint64 { return []uint64{src, dst, 0, 0, 0, 0} }

// A kernel works on memory by pointers, before, between and after its calls.
func TestMemoryOfKernels(t *testing.T) {
	var r *ranks
	r = withKernels(t, ranksOptions{}, func(_ int, k *fake) {
		src, dst := k.memory(0, 300), k.memory(1, 300)
		for i := range src {
			src[i] += 1000
		}
		at := uint64(k.given[2]) << 12
		k.send(r.call(accl.Call{Scenario: 1, Count: 300, ArithCfg: uint32(k.given[5]), Addr0: at, Addr2: at + 4096})...)
		dst[299] = 7 // while its call is under way
		if code := k.answer(); code != 0 {
			dst[0] = code
			return
		}
		for i := range dst[:299] {
			dst[i] *= 2
		}
	})
	e := r.engines[0]
	values := make([]int32, 2048) // two steps of the allocator
	for i := range values {
		values[i] = int32(i)
	}
	both := ints(t, e, values...)
	config, err := e.ConfigAddress(accl.TypeInt32, accl.TypeInt32)
	assert.NilError(t, err)
	if err := accl.CallKernel(within(t), r.emu[0].Device(), "vadd_put", both.Address(), both.Address()+4096,
		both.Address()>>12, 0, 0, uint64(config)); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, both.SyncFromDevice(within(t)))
	for i, v := range both.Host() {
		want := int32(i)
		switch {
		case i < 300:
			want += 1000
		case i == 1024+299:
			want = -1 // it and the copy race
		case i >= 1024 && i < 1024+299:
			want = 2 * int32(i-1024+1000)
		}
		if want != -1 && v != want {
			t.Fatalf("element %d is %d, not %d", i, v, want)
		}
	}
}

func TestKernelsThatWriteOutsideOfTheirMemory(t *testing.T) {
	for name, at := range map[string]int{"before": 0, "behind": 2*1024 + 1} {
		faults := make(chan error, 1)
		r := withKernels(t, ranksOptions{engine: Options{OnFault: func(err error) { faults <- err }}}, func(_ int, k *fake) {
			k.given[0] -= 4096
			k.memory(0, 4096)[at] = 5
		})
		buffer := ints(t, r.engines[0], make([]int32, 1000)...)
		err := accl.CallKernel(within(t), r.emu[0].Device(), "vadd_put", arguments(buffer.Address(), buffer.Address())...)
		if !errors.Is(err, accl.ErrKernelFailed) ||
			!strings.Contains(err.Error(), "vadd_put (vadd_0_0) has failed: written outside of the memory") {
			t.Errorf("%s: %v", name, err)
		}
		if fault := <-faults; !errors.Is(err, fault) {
			t.Errorf("%s: told is %v", name, fault)
		}
		if _, err := r.engines[0].Copy(within(t), buffer, buffer, 10); err != nil {
			t.Errorf("%s: the engine: %v", name, err)
		}
		if err := accl.CallKernel(within(t), r.emu[0].Device(), "vadd_put",
			arguments(buffer.Address(), buffer.Address())...); !errors.Is(err, accl.ErrKernelFailed) {
			t.Errorf("%s: called again: %v", name, err)
		}
	}
}
