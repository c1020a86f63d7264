package network

import (
	"context"
	"errors"
	"time"

	"github.com/cclforge/cclforge/driver/internal/engine"
)

// called is a kernel that is started and reports its end.
type called struct {
	*block
	kernel engine.Control
}

// called is the kernel itself; newBlock has checked its control register.
func (b *block) called() called {
	k, _ := engine.ControlOf(b.kernel, accesses{b})
	return called{b, k}
}

// accesses are accesses to the control register, whose name its errors have.
type accesses struct{ b *block }

func (a accesses) Read(ctx context.Context, at uint32) (uint32, error) {
	return a.b.read(ctx, at, engine.ControlRegister)
}

func (a accesses) Write(ctx context.Context, _, v uint32) error {
	return a.b.put(ctx, engine.ControlRegister, 0, uint64(v))
}

func (k called) idle(ctx context.Context) error { return k.busy(k.kernel.AwaitIdle(ctx)) }

func (k called) start(ctx context.Context) error { return k.kernel.Start(ctx) }

func (k called) done(ctx context.Context) error { return k.busy(k.kernel.AwaitDone(ctx)) }

// busy is the error of a wait.
func (k called) busy(err error) error {
	w, is := errors.AsType[*engine.Waited](err)
	if !is {
		return err
	}
	return failure(ErrBusy, k.instance, w.Cause, "%v, after %v", w.For, w.After.Round(time.Millisecond))
}
