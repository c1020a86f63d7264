package accl

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// KernelCaller is a Device whose card has kernels that the host calls.
type KernelCaller interface {
	// CallKernel calls a kernel beside the engine, by its name or that of its
	// instance, and waits until it has ended. Arguments are those of the kernel's
	// registers in the order of their offsets; an address is one in device memory,
	// in an allocation of this device.
	//
	// A context that ends does not end the kernel, which remains busy: the error is
	// then a *KernelError that says what it waits for.
	CallKernel(ctx context.Context, kernel string, arguments ...uint64) error
}

// Errors of calls of kernels.
var (
	ErrNoKernel      = fmt.Errorf("%w: kernel", ErrArgument) // that the card does not have, or that cannot be called
	ErrKernelAddress = fmt.Errorf("%w: address", ErrArgument)
	ErrKernelBusy    = errors.New("kernel is busy with another call")
	ErrKernelStalled = errors.New("kernel has not ended")
	ErrKernelFailed  = errors.New("kernel has failed")
)

// KernelError is a call of a kernel that has not ended, or not well. It matches
// ErrKernelStalled or ErrKernelFailed, and what ended the wait.
type KernelError struct {
	Kernel, Instance string
	Failed           bool   // it will not end any more
	Doing            string // what it waits for, or why it has failed
	// Stream is what it waits for, "" for none, and Beat the number of the beat
	// there, from 1.
	Stream string
	Beat   uint64
	Cause  error // of the end of the wait, or nil
}

// Error implements error.
func (e *KernelError) Error() string {
	name := e.Kernel
	if e.Instance != e.Kernel {
		name += " (" + e.Instance + ")"
	}
	text := fmt.Sprintf("%s %s", name, e.Doing)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap implements errors.Is and errors.As.
func (e *KernelError) Unwrap() []error {
	out := []error{ErrKernelStalled}
	if e.Failed {
		out[0] = ErrKernelFailed
	}
	if e.Cause != nil {
		out = append(out, e.Cause)
	}
	return out
}

// CallKernel calls a kernel of the card that an engine is on; see KernelCaller. The
// error is ErrUnsupported for devices that cannot.
func CallKernel(ctx context.Context, dev Device, kernel string, arguments ...uint64) error {
	caller, ok := dev.(KernelCaller)
	if !ok {
		return fmt.Errorf("call the kernel %s: %w: the device calls no kernels", kernel, ErrUnsupported)
	}
	if err := caller.CallKernel(ctx, kernel, arguments...); err != nil {
		return fmt.Errorf("call the kernel %s: %w", kernel, err)
	}
	return nil
}

// KernelArguments is the error of a call with a wrong number of arguments.
func KernelArguments(names []string, given int) error {
	return fmt.Errorf("%w: %d given, expected %d: %s", ErrCount, given, len(names), strings.Join(names, ", "))
}
