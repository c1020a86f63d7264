package emu

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// computesLong is after what time a kernel is said to compute.
const computesLong = time.Second

// kernelState is what a kernel did when it was last looked at; kernel.mu guards it.
type kernelState struct {
	now   hls.State
	beats []uint64  // that have moved, by port
	since time.Time // it computes, zero if not
}

// pointer tells whether an argument is an address.
func pointer(a design.Argument) bool { return strings.HasSuffix(strings.TrimSpace(a.Type), "*") }

// computes notes that the kernel runs, or does not.
func (k *kernel) computes(runs bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state.since = time.Time{}
	if runs {
		k.state.since = time.Now()
	}
}

// note keeps what the kernel does, and tells whether it has read or written beats.
func (k *kernel) note(s hls.State) (changed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state.beats == nil {
		k.state.beats = make([]uint64, len(k.ports))
	}
	for i := range k.ports {
		n := k.c.Moved(i)
		changed = changed || n != k.state.beats[i]
		k.state.beats[i] = n
	}
	changed = changed || s.Calls != k.state.now.Calls
	k.state.now = s
	return changed
}

// doing says what the kernel does.
func (k *kernel) doing() (text, stream string, beat uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.state.now
	if failed, is := k.dead.(*accl.KernelError); is {
		return failed.Doing, "", 0
	}
	if k.state.since != (time.Time{}) {
		if d := time.Since(k.state.since); d > computesLong {
			return fmt.Sprintf("computes, for %v, without reading or writing", d.Round(time.Second)), "", 0
		}
	}
	text = s.String()
	if s.Port >= 0 && s.Port < len(k.ports) {
		stream, beat = k.ports[s.Port].name, s.Moved+1
	}
	k.calls.mu.Lock()
	defer k.calls.mu.Unlock()
	if s.Doing == hls.Reads && k.ports[s.Port].seat == seatAnswers {
		text += fmt.Sprintf(", with %d calls that are not answered", k.calls.open)
	}
	if k.calls.words > 0 {
		text += ", after " + k.calls.partly()
	}
	return text, stream, beat
}

// stats is what the kernel has done.
func (k *kernel) stats() engine.KernelStats {
	text, _, _ := k.doing()
	out := engine.KernelStats{Instance: k.instance, Doing: text}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, p := range k.ports {
		out.Streams = append(out.Streams, engine.StreamStats{Name: p.name, Beats: k.state.beats[i]})
	}
	return out
}

// CallKernel implements accl.KernelCaller. Errors are ErrNoKernel, ErrKernelBusy,
// ErrCount for a wrong number of arguments, ErrKernelAddress, and *accl.KernelError
// for a kernel that has not ended when the context does, or has failed; ErrClosed if
// the engine is closed.
func (d *Device) CallKernel(ctx context.Context, name string, arguments ...uint64) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	k, err := d.e.kernelNamed(name)
	if err != nil {
		return err
	}
	call, err := k.place(arguments)
	if err != nil {
		return err
	}
	select {
	case <-call.ended:
		return call.err
	case <-ctx.Done():
	}
	select {
	case <-call.ended:
		return call.err
	default:
	}
	out := &accl.KernelError{Kernel: k.name, Instance: k.instance, Cause: context.Cause(ctx)}
	out.Doing, out.Stream, out.Beat = k.doing()
	return out
}

// place hands a call over to the kernel.
func (k *kernel) place(arguments []uint64) (*hostCall, error) {
	if err := engine.CheckArguments(k.kernel, arguments); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.dead != nil:
		return nil, k.dead
	case k.call != nil:
		return nil, fmt.Errorf("%w: %s", accl.ErrKernelBusy, k.instance)
	}
	k.call = &hostCall{arguments: arguments, ended: make(chan struct{})}
	k.tell()
	return k.call, nil
}
