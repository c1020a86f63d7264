package emu

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

const freeRunning = "ap_ctrl_none"

// quick is for tests that wait for limits.
var quick = Options{Patience: 50 * time.Millisecond}

// echo sends back what comes.
func echo(_ int, k *fake) { k.write("data_to_cclo", k.read("data_from_cclo")) }

func TestKernelSeesBeatsAsTheHardwareSendsThem(t *testing.T) {
	for _, c := range []struct {
		elements int
		put      bool
		to       int
		dest     uint32
	}{{1, false, 0, 0}, {16, false, 0, 0}, {17, false, 0, 0}, {250, false, 0, 0}, {16, true, 0, 9}, {33, true, 0,
		246}, {33, true, 1, 0}, {500, true, 1, 7}} {
		beats := make(chan hls.Beat, 100)
		r := withKernels(t, ranksOptions{ranks: 2, control: freeRunning}, func(rank int, k *fake) {
			if b := k.read("data_from_cclo"); rank == c.to {
				beats <- b
			}
		})
		values := make([]int32, c.elements)
		for i := range values {
			values[i] = int32(i + 1)
		}
		src, e := ints(t, r.engines[0], values...), r.engines[0]
		var err error
		if c.put {
			_, err = e.StreamPut(within(t), src, c.elements, accl.Peer(c.to), accl.Tag(c.dest))
		} else {
			_, err = e.Copy(within(t), src, accl.KernelStream(accl.TypeInt32), c.elements)
		}
		assert.NilError(t, err)
		var want []byte
		for _, v := range values {
			want = append(want, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		for at := 0; at < len(want); at += 64 {
			var b hls.Beat
			select {
			case b = <-beats:
			case <-within(t).Done():
				t.Fatalf("%+v: beat %d does not come", c, at/64)
			}
			n, last := min(64, len(want)-at), uint32(0)
			if at+64 >= len(want) {
				last = 1
			}
			full := append(bytes.Clone(want[at:at+n]), make([]byte, 64-n)...)
			if b.Dest != c.dest || b.Last != last || b.Keep != 1<<n-1 || !bytes.Equal(b.Data[:], full) {
				t.Errorf("%+v, beat %d: TDEST %d, TLAST %d, TKEEP 0x%X, %x", c, at/64, b.Dest, b.Last, b.Keep, b.Data)
			}
		}
		assert.Check(t, len(beats) <= 0, "%+v: %d beats more", c, len(beats))
	}
}

// What nobody takes stays with the kernel, which waits.
func TestKernelsAreHeldBack(t *testing.T) {
	var r *ranks
	for name, c := range map[string]struct {
		program func(k *fake)
		doing   string
	}{
		// the engine's stream, and the kernel's
		"beats": {func(k *fake) { k.write("data_to_cclo", hls.Beat{}) },
			"waits to write beat 193 of data_to_cclo (192 written)"},
		// 32 in the engine, and as many answers as the kernel's stream holds
		"calls": {func(k *fake) { k.send(r.call(accl.Call{Scenario: 255})...) },
			"waits to write beat 1505 of cmd_to_cclo (1504 written)"},
	} {
		wait := make(chan struct{})
		r = withKernels(t, ranksOptions{control: freeRunning, engine: Options{StreamBytes: 128 * 64}}, func(_ int, k *fake) {
			<-wait // for r
			c.program(k)
		})
		close(wait)
		for end := time.Now().Add(20 * time.Second); r.emu[0].Stats().Kernels[0].Doing != c.doing; time.Sleep(
			time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: it %s", name, r.emu[0].Stats().Kernels[0].Doing)
			}
		}
		time.Sleep(20 * time.Millisecond)
		assert.Check(t, is.Equal(r.emu[0].Stats().Kernels[0].Doing, c.doing), "%s: afterwards, it", name)
		if _, err := r.engines[0].Nop(within(t)); err != nil {
			t.Errorf("%s: others: %v", name, err)
		}
	}
}

func TestHostsDoNotGetAtStreamsOfKernels(t *testing.T) {
	r := withKernels(t, ranksOptions{control: freeRunning}, echo)
	d := r.emu[0].Device()
	assert.Check(t, is.ErrorIs(d.Push(within(t), 0, make([]byte, 64)), engine.ErrKernel))
	if _, _, err := d.Pull(within(t), 64); !errors.Is(err, engine.ErrKernel) {
		t.Error(err)
	}
}

// A kernel that does not take part is the end of the move, and of nothing else.
func TestKernelsThatDoNotTakePart(t *testing.T) {
	r := withKernels(t, ranksOptions{control: freeRunning, engine: quick,
		open: []accl.OpenOption{accl.WithTimeout(10000)}}, func(_ int, k *fake) {
		k.read("sts_from_cclo") // for ever
	})
	e, stream := r.engines[0], accl.KernelStream(accl.TypeInt32)
	buffer := ints(t, e, make([]int32, 1<<17)...)
	for name, call := range map[string]func() error{
		"never reads":  func() error { _, err := e.Copy(within(t), buffer, stream, buffer.Len()); return err },
		"never writes": func() error { _, err := e.Copy(within(t), stream, buffer, 10); return err },
	} {
		var failed *accl.CallError
		if err := call(); !errors.As(err, &failed) || !failed.Has("KRNL_TIMEOUT_STS") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := e.Copy(within(t), buffer, buffer, 10); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
	if k := r.emu[0].Stats().Kernels[0]; k.Doing != "waits to read beat 1 of sts_from_cclo (0 read), with 0 calls that "+
		"are not answered" {
		t.Error(k.Doing)
	}
}

func TestMistakesOfWhoCallsAKernel(t *testing.T) {
	r := withKernels(t, ranksOptions{}, func(_ int, k *fake) { k.read("data_from_cclo") })
	d, e := r.emu[0].Device().(accl.KernelCaller), r.engines[0]
	buffer := ints(t, e, 1, 2, 3)
	good := arguments(buffer.Address(), buffer.Address())
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wide := arguments(buffer.Address(), buffer.Address())
	wide[2] = 1 << 32
	outside := ints(t, e, 4)
	free := outside.Address()
	assert.NilError(t, outside.Free())
	for _, c := range []struct {
		name      string
		ctx       context.Context
		arguments []uint64
		want      error
		text      string
	}{
		{"vadd", t.Context(), good, accl.ErrNoKernel, "vadd_0_0"},
		{"vadd_put", t.Context(), good[:5], accl.ErrCount,
			"5 given, expected 6: src, dst, count, destination, comm_adr, dpcfg_adr"},
		{"vadd_put", t.Context(), wide, accl.ErrArgument, "count has 32 bits, and 0x100000000"},
		{"vadd_put", t.Context(), arguments(free, buffer.Address()), accl.ErrKernelAddress, "argument src"},
		{"vadd_0_0", t.Context(), arguments(buffer.Address(), free), ErrNoMemory, "argument dst"},
		{"vadd_0_0", short, good, accl.ErrKernelStalled, "vadd_put (vadd_0_0) waits to read beat 1 of data_from_cclo"},
		{"vadd_0_0", short, good, context.DeadlineExceeded, "deadline exceeded"},
		{"vadd_0_0", t.Context(), good, accl.ErrKernelBusy, "vadd_0_0"},
	} {
		if err := d.CallKernel(c.ctx, c.name, c.arguments...); !errors.Is(err, c.want) ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// It goes on: what it waits for ends it, and it can be called again.
	for range 2 {
		if _, err := e.Copy(within(t), buffer, accl.KernelStream(accl.TypeInt32), 1); err != nil {
			t.Fatal(err)
		}
	}
	for {
		err := d.CallKernel(within(t), "vadd_put", good...)
		if err == nil {
			break
		}
		assert.ErrorIs(t, err, accl.ErrKernelBusy)
		runtime.Gosched()
	}
}
