package sim

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/verify/engine"
)

// access is something that the host does at a control port.
type access struct {
	port     int32
	write    bool
	address  uint32
	data     uint32 // that is written, or was read
	response uint32 // of AXI
	err      error
	done     chan struct{}
}

// access does something at a control port.
func (e *Engine) access(ctx context.Context, a *access) (uint32, error) {
	a.done = make(chan struct{})
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return 0, e.calls.failure()
	}
	e.commands = append(e.commands, func() {
		write := int32(0)
		if a.write {
			write = 1
		}
		e.accesses = append(e.accesses, a)
		e.f.Start(e.model, a.port, write, a.address, a.data)
	})
	e.mu.Unlock()
	e.stir()
	select {
	case <-a.done:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if a.err == nil && a.response != 0 {
		a.err = fmt.Errorf("%w: the control port answers %d at 0x%X", engine.ErrAddress, a.response, a.address)
	}
	return a.data, a.err
}

// accessed takes what has ended at control ports.
func (e *Engine) accessed() {
	rest := e.accesses[:0]
	blocked := map[int32]bool{}
	for _, a := range e.accesses {
		var data uint32
		if blocked[a.port] || e.f.End(e.model, a.port, &data, &a.response) == 0 {
			blocked[a.port] = true
			rest = append(rest, a)
			continue
		}
		a.data = data
		close(a.done)
	}
	clear(e.accesses[len(rest):])
	e.accesses = rest
}
