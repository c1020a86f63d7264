package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/layout"
)

// ControlRegister is the name of the control register.
const ControlRegister = "control"

// apContinue in the control register of ap_ctrl_chain: the result was taken.
const apContinue = 1 << 4

var (
	// ErrControl matches errors of kernels without a control register, or its bits.
	ErrControl = errors.New("no control register with start, done and idle")
	// ErrRunning matches errors of waits for an earlier call that has not ended, ErrEndless
	// those of waits for the own call.
	ErrRunning = errors.New("it has been running from before")
	ErrEndless = errors.New("it was started and does not end")
)

// Control is the control register of a kernel that hosts call: it starts the kernel and
// shows when it has ended.
type Control struct {
	regs              layout.Registers
	at                uint32
	chain             bool
	start, done, idle uint32 // done is cleared by reading, unless it is a chain
}

// ControlOf finds the control register of a kernel.
func ControlOf(k layout.Kernel, regs layout.Registers) (Control, error) {
	r, ok := k.Register(ControlRegister)
	c := Control{regs: regs, at: r.At, chain: k.Control == layout.Chain}
	for _, bit := range []struct {
		name string
		mask *uint32
	}{{"start", &c.start}, {"done", &c.done}, {"idle", &c.idle}} {
		var has bool
		*bit.mask, has = r.Value(bit.name)
		ok = ok && has
	}
	if !ok {
		return c, fmt.Errorf("%w: kernel %s", ErrControl, k.Name)
	}
	return c, nil
}

// Start starts a call.
func (k Control) Start(ctx context.Context) error { return k.regs.Write(ctx, k.at, k.start) }

// Done reports whether a call that was started has ended. Reading clears the done bit,
// except in a chain. If somebody else has read it first, the kernel is idle.
func (k Control) Done(ctx context.Context) (bool, error) {
	v, err := k.regs.Read(ctx, k.at)
	if err != nil || v&k.done == 0 && !k.rests(v) {
		return false, err
	}
	return true, k.taken(ctx)
}

// Idle reports whether the kernel can be started.
func (k Control) Idle(ctx context.Context) (bool, error) {
	// A chain may still show the end of a call that was left.
	if err := k.taken(ctx); err != nil {
		return false, err
	}
	v, err := k.regs.Read(ctx, k.at)
	return k.rests(v), err
}

func (k Control) rests(v uint32) bool { return v&(k.start|k.idle) == k.idle }

// taken tells a chain that the result was taken.
func (k Control) taken(ctx context.Context) error {
	if !k.chain {
		return nil
	}
	return k.regs.Write(ctx, k.at, apContinue)
}

// AwaitIdle waits until the kernel can be started. If the context ends before, the error
// is a *Waited with ErrRunning.
func (k Control) AwaitIdle(ctx context.Context) error { return await(ctx, ErrRunning, k.Idle) }

// AwaitDone waits until a call that was started has ended. If the context ends before, the
// error is a *Waited with ErrEndless.
func (k Control) AwaitDone(ctx context.Context) error { return await(ctx, ErrEndless, k.Done) }

// Waited is the error of a wait whose context ended first.
type Waited struct {
	For   error // ErrRunning or ErrEndless
	After time.Duration
	Cause error
}

func (w *Waited) Error() string {
	return fmt.Sprintf("%v, after %v: %v", w.For, w.After.Round(time.Millisecond), w.Cause)
}

// Unwrap implements errors.Is and errors.As.
func (w *Waited) Unwrap() []error { return []error{w.For, w.Cause} }

func await(ctx context.Context, what error, is func(context.Context) (bool, error)) error {
	begin := time.Now()
	var w polling
	for {
		ok, err := is(ctx)
		if ok && err == nil {
			return nil
		}
		if err == nil {
			err = w.pause(ctx)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err())):
			return &Waited{what, time.Since(begin), context.Cause(ctx)}
		default:
			return err
		}
	}
}
