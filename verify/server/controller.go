package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/world/engine"
)

const (
	// hostControllers is how many values ctrl_id has: two host controllers and the
	// direct command stream of a kernel. They are the engine's first clients.
	hostControllers = 3
	// openCalls bounds the calls of a controller whose completion nobody has taken.
	openCalls = 4096
	// waitPatience is how long a call wait lasts before it answers that no call has
	// ended. Clients ask again.
	waitPatience = 300 * time.Microsecond
)

// errPatience ends a call wait that has lasted long enough.
var errPatience = errors.New("no call has ended yet")

// controller keeps the calls of a ctrl_id from their start until somebody takes
// their completion.
type controller struct {
	device engine.Device
	client int
	handed hands
	turn   chan struct{} // held by who takes completions

	mu    sync.Mutex
	calls []startedCall // the oldest first
}

type startedCall struct {
	ticket accl.Ticket
	owner  *connection
}

func newController(d engine.Device, client int) *controller {
	return &controller{device: d, client: client, turn: make(chan struct{}, 1)}
}

// place starts a call for a connection.
func (k *controller) place(ctx context.Context, owner *connection, call accl.Call) sim.Reply {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.calls) >= openCalls {
		return refuse(StatusLimit, "%d calls of controller %d have not been waited for", openCalls, k.client)
	}
	ticket, err := k.device.Start(ctx, k.client, call)
	if err != nil {
		return refuse(StatusFailed, "%v", err)
	}
	k.calls = append(k.calls, startedCall{ticket, owner})
	return sim.Reply{}
}

// take waits a short while for the oldest call and takes its completion. The
// error is errPatience if it has not ended. ok is false if there is no call.
func (k *controller) take(ctx context.Context) (code accl.ReturnCode, ok bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, waitPatience, errPatience)
	defer cancel()
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, k.waiting() != 0, context.Cause(ctx)
	}
	defer func() { <-k.turn }()
	k.mu.Lock()
	if len(k.calls) == 0 {
		k.mu.Unlock()
		return 0, false, nil
	}
	ticket := k.calls[0].ticket
	k.mu.Unlock()
	code, err = k.device.Wait(ctx, ticket)
	if errors.Is(err, errPatience) || errors.Is(err, errClosing) || errors.Is(err, context.Canceled) {
		return 0, true, err // the call goes on
	}
	k.mu.Lock()
	k.calls[0] = startedCall{} // not to keep its connection
	k.calls = k.calls[1:]
	k.mu.Unlock()
	return code, true, err
}

// forsake removes the calls of connections that have ended, and returns them.
func (k *controller) forsake(ctx context.Context) []accl.Ticket {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	defer func() { <-k.turn }()
	k.mu.Lock()
	defer k.mu.Unlock()
	var left []accl.Ticket
	k.calls = slices.DeleteFunc(k.calls, func(c startedCall) bool {
		if c.owner.gone.Load() {
			left = append(left, c.ticket)
			return true
		}
		return false
	})
	return left
}

// waiting is how many completions nobody has taken.
func (k *controller) waiting() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.calls)
}
