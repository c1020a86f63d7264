package accl_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// calling is a device that calls kernels.
type calling struct {
	*device
	kernel    string
	arguments []uint64
	err       error
}

func (c *calling) CallKernel(_ context.Context, kernel string, arguments ...uint64) error {
	c.kernel, c.arguments = kernel, arguments
	return c.err
}

func TestCallKernel(t *testing.T) {
	plain := newDevice(platformOf(t, "u55c_tcp"))
	if err := accl.CallKernel(within(t), plain, "mine"); !errors.Is(err, accl.ErrUnsupported) {
		t.Errorf("a device that calls none: %v", err)
	}
	d := &calling{device: plain}
	if err := accl.CallKernel(within(t), d, "mine", 1, 2); err != nil || d.kernel != "mine" ||
		!slices.Equal(d.arguments, []uint64{1, 2}) {
		t.Errorf("%s %v: %v", d.kernel, d.arguments, err)
	}
	for _, c := range []struct {
		err     accl.KernelError
		is, not error
		text    string
	}{
		{accl.KernelError{Kernel: "mine", Instance: "mine_0", Doing: "waits for beat 3", Stream: "in", Beat: 3,
			Cause: context.DeadlineExceeded},
			accl.ErrKernelStalled, accl.ErrKernelFailed,
			"call the kernel mine: mine (mine_0) waits for beat 3: context deadline exceeded"},
		{accl.KernelError{Kernel: "mine", Instance: "mine", Failed: true, Doing: "has failed"},
			accl.ErrKernelFailed, accl.ErrKernelStalled, "call the kernel mine: mine has failed"},
	} {
		d.err = &c.err
		err := accl.CallKernel(within(t), d, "mine")
		var seen *accl.KernelError
		if !errors.Is(err, c.is) || errors.Is(err, c.not) || !errors.As(err, &seen) || *seen != c.err ||
			err.Error() != c.text {
			t.Errorf("%v", err)
		}
		assert.Check(t, errors.Is(err, context.DeadlineExceeded) == (c.err.Cause != nil), "the cause of %v", err)
	}
	if err := accl.KernelArguments([]string{"a", "b"}, 3); !errors.Is(err, accl.ErrCount) ||
		err.Error() != "wrong argument: count: 3 given, expected 2: a, b" {
		t.Error(err)
	}
}
