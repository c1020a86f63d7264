package accl

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// KernelCaller is a Device with kernels that the host can call.
type KernelCaller interface {
	// CallKernel calls a kernel beside the engine, by its name or that of its instance,
	// and waits until it has ended. Arguments are values of the kernel's registers, in the
	// order of their offsets; addresses must lie in memory that this device has allocated.
	//
	// The end of the context does not end the kernel, which remains busy. The error is a
	// *KernelError then, with what the kernel waits for.
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

// KernelError is the error of a kernel that has not ended or has failed. It matches
// ErrKernelStalled or ErrKernelFailed, and Cause.
type KernelError struct {
	Kernel, Instance string
	Failed           bool   // it will never end
	Doing            string // what it waits for, or why it has failed
	// Stream is the stream that it waits for, "" for none, and Beat the number of the beat
	// on it, from 1.
	Stream string
	Beat   uint64
	Cause  error // why the wait ended, or nil
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

// CallKernel calls a kernel beside the engine of a device; see KernelCaller. The error is
// ErrUnsupported if the device cannot.
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

// KernelArguments returns the error of a call with a wrong number of arguments, an ErrCount.
func KernelArguments(names []string, given int) error {
	return fmt.Errorf("%w: %d given, expected %d: %s", ErrCount, given, len(names), strings.Join(names, ", "))
}
