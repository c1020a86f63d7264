package xrt_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/hls"
)

func TestCallKernel(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	d := designtest.Made(t, "made", designtest.Doubled)
	p := driverview.Of(d)
	h := xrt.Start(t, d, 1, xrt.HostOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, dev := opened(ctx, t, h, d)
	defer c.Close()
	e, err := accl.Open(ctx, dev, &p, h.Ranks(), 0)
	assert.NilError(t, err)
	const n = 50
	src, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	dst, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	for round, name := range []string{"doubled", "doubled_0_0"} {
		for i := range n {
			src.Host()[i] = int32(100*round + i)
		}
		assert.NilError(t, src.SyncToDevice(ctx))
		assert.NilError(t, accl.CallKernel(ctx, dev, name, src.Address(), dst.Address(), n))
		assert.NilError(t, dst.SyncFromDevice(ctx))
		for i, v := range dst.Host() {
			if v != int32(2*(100*round+i)) {
				t.Fatalf("round %d: element %d is %d", round, i, v)
			}
		}
	}
	for _, test := range []struct {
		kernel    string
		arguments []uint64
		kind      error
		says      string
	}{
		{"halved", nil, accl.ErrNoKernel, "halved"},
		{"doubled", []uint64{src.Address()}, accl.ErrCount, "1 given, expected 3: src, dst, count"},
		{"doubled", []uint64{src.Address(), 1 << 40, n}, accl.ErrKernelAddress, "dst is 0x10000000000"},
	} {
		if err := accl.CallKernel(ctx, dev, test.kernel, test.arguments...); !errors.Is(err, test.kind) ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s%v: %v", test.kernel, test.arguments, err)
		}
	}
	// One that does not end: the call is left, and the kernel is busy from then on.
	short, end := context.WithTimeout(ctx, 100*time.Millisecond)
	defer end()
	var stalled *accl.KernelError
	err = accl.CallKernel(short, dev, "doubled", src.Address(), dst.Address(), 0)
	if !errors.As(err, &stalled) || !errors.Is(err, accl.ErrKernelStalled) || !errors.Is(err, context.DeadlineExceeded) ||
		stalled.Instance == "" {
		t.Errorf("a kernel that does not end: %v", err)
	}
	err = accl.CallKernel(ctx, dev, "doubled", src.Address(), dst.Address(), n)
	assert.Check(t, is.ErrorIs(err, accl.ErrKernelBusy), "a kernel that has not ended")
}
