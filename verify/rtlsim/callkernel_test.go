package rtlsim

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/memory"
)

// values puts float32 into memory of a device, and gives the memory.
func values(t *testing.T, d accl.Device, list ...float32) accl.Memory {
	t.Helper()
	m, err := d.Alloc(t.Context(), accl.MemSpec{Bytes: 4 * len(list)})
	assert.NilError(t, err)
	for i, v := range list {
		binary.LittleEndian.PutUint32(m.Bytes()[4*i:], math.Float32bits(v))
	}
	assert.NilError(t, m.SyncTo(t.Context(), 0, 4*len(list)))
	return m
}

func read(t *testing.T, m accl.Memory) (list []float32) {
	t.Helper()
	assert.NilError(t, m.SyncFrom(t.Context(), 0, len(m.Bytes())))
	for at := 0; at < len(m.Bytes()); at += 4 {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(m.Bytes()[at:])))
	}
	return list
}

const waits, floods, strays = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD // instead of counts

func TestTheHostCallsAKernelInCppByItsRegisters(t *testing.T) {
	e := laneEngine(t, "", Options{})
	d, ctx := e.Device(), limited(t)
	src, dst := values(t, d, 1, 2, 3, 4, 5, 6, 7, 8), values(t, d, -1, -2, -3, -4, -5, -6, -7, -8)
	for i, name := range []string{"vadd_put", "vadd_0_0", "vadd_put"} {
		before := e.Cycle()
		assert.NilError(t, accl.CallKernel(ctx, d, name, src.Addr()+4, dst.Addr()+8, uint64(3+i)))
		want := []float32{-1, -2, 3, 4, 5, 6, 7, 8}
		copy(want[5+i:], []float32{-6, -7, -8}[i:])
		if got := read(t, dst); !equal(got, want) {
			t.Errorf("call %d: %v, not %v", i, got, want)
		}
		if cycles := e.Cycle() - before; cycles == 0 || cycles > 2000 {
			t.Errorf("call %d takes %d cycles", i, cycles)
		}
	}
	if got := read(t, src); !equal(got, []float32{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("the operand is %v", got)
	}
	// Within one allocation, and with what another call has written.
	assert.NilError(t, accl.CallKernel(ctx, d, "vadd_put", dst.Addr(), dst.Addr()+4, 5))
	if got := read(t, dst); !equal(got, []float32{-1, 0, 1, 2, 3, 4, 7, -8}) {
		t.Errorf("%v", got)
	}
	s := e.Stats().Kernels
	assert.Check(t, s[3].Instance == "vadd_0_0" && s[3].Doing == "has ended call 4", "%v", s[3])
}

func equal(a, b []float32) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestCallsOfKernelsThatCannotBe(t *testing.T) {
	e := laneEngine(t, "", Options{})
	d, ctx := e.Device(), limited(t)
	m := values(t, d, 1)
	for _, c := range []struct {
		name      string
		kernel    string
		arguments []uint64
		want      error
		says      string
	}{
		{"no such kernel", "vadd", []uint64{0, 0, 0}, accl.ErrNoKernel, "vadd_0_0"},
		{"one that is not called", "compression_0_0", nil, accl.ErrNoKernel, "vadd_0_0"},
		{"too few arguments", "vadd_put", []uint64{0, 0}, accl.ErrCount, "src, dst, count"},
		{"an argument that is too wide", "vadd_put", []uint64{m.Addr(), m.Addr(), 1 << 32}, accl.ErrArgument,
			"count has 32 bits"},
		{"memory that nobody has", "vadd_put", []uint64{m.Addr(), 1 << 30, 1}, accl.ErrKernelAddress, "dst"},
		{"the same, as it is of memory", "vadd_put", []uint64{1 << 30, m.Addr(), 1}, memory.ErrNoMemory, "src"},
	} {
		if err := accl.CallKernel(ctx, d, c.kernel, c.arguments...); !errors.Is(err, c.want) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := accl.CallKernel(ctx, d, "vadd_put", m.Addr(), m.Addr(), 1); err != nil || read(t, m)[0] != 2 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestACallOfAKernelThatDoesNotEndEndsWithItsContext(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		count        uint64
		beat         uint64
	}{
		{"it waits for a beat", "data_from_cclo", waits, 1},
		{"it waits for room", "data_to_cclo", floods, 6}, // four wait, one is at the pins
	} {
		t.Run(c.name, func(t *testing.T) {
			e := laneEngine(t, "", Options{})
			d := e.Device()
			m := values(t, d, 1)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			var others sync.WaitGroup
			others.Go(func() {
				for e.Stats().Kernels[3].Doing == "has not run" {
					time.Sleep(time.Millisecond)
				}
				assert.Check(t, is.ErrorIs(accl.CallKernel(ctx, d, "vadd_put", m.Addr(), m.Addr(), 1), accl.ErrKernelBusy),
					"at the same time")
			})
			err := accl.CallKernel(ctx, d, "vadd_put", m.Addr(), m.Addr(), c.count)
			others.Wait()
			var stalled *accl.KernelError
			if !errors.As(err, &stalled) || !errors.Is(err, accl.ErrKernelStalled) || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			assert.Check(t, stalled.Instance == "vadd_0_0" && stalled.Stream == c.stream && stalled.Beat == c.beat,
				"%+v", stalled)
			if err := accl.CallKernel(limited(t), d, "vadd_put", m.Addr(), m.Addr(), 1); !errors.Is(err, accl.ErrKernelBusy) {
				t.Errorf("afterwards: %v", err)
			}
			assert.Check(t, sleeps(e))
		})
	}
}

func TestAKernelInCppThatWritesBehindItsMemoryHasFailed(t *testing.T) {
	e := laneEngine(t, "", Options{})
	d := e.Device()
	m := values(t, d, 1)
	err := accl.CallKernel(limited(t), d, "vadd_put", m.Addr(), m.Addr(), strays)
	if !errors.Is(err, accl.ErrKernelFailed) || !errors.Is(err, ErrHardware) ||
		!strings.Contains(err.Error(), "written outside of the memory: 0 bytes behind 0x1000") {
		t.Error(err)
	}
}

// A card that ends ends calls of its kernels.
func TestACallOfAKernelEndsWithItsCard(t *testing.T) {
	e := laneEngine(t, "", Options{})
	d := e.Device()
	m := values(t, d, 1)
	called := make(chan error, 1)
	go func() { called <- accl.CallKernel(t.Context(), d, "vadd_put", m.Addr(), m.Addr(), waits) }()
	for e.Stats().Kernels[3].Doing == "has not run" {
		time.Sleep(time.Millisecond)
	}
	assert.NilError(t, e.Close())
	select {
	case err := <-called:
		assert.Check(t, err != nil, "it has ended well")
	case <-limited(t).Done():
		t.Error("it does not end")
	}
}
