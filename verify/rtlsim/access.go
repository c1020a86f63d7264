package rtlsim

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/verify/world/engine"
)

// access is something that the host does at a control port.
type access struct {
	port     int32
	write    bool
	address  uint32
	data     uint32 // that is written, or was read
	await    uint32 // read until one of these bits is set
	response uint32 // of AXI
	err      error
	done     chan struct{}
}

// access does something at a control port.
func (e *Engine) access(ctx context.Context, a *access) (uint32, error) {
	a.done = make(chan struct{})
	if err := e.calls.failure(); err != nil {
		return 0, err
	}
	c := e.card
	if err := c.post(func() {
		write := int32(0)
		if a.write {
			write = 1
		}
		c.accesses = append(c.accesses, a)
		if a.await != 0 {
			c.f.Await(c.model, a.port, a.address, a.await)
			return
		}
		c.f.Start(c.model, a.port, write, a.address, a.data)
	}); err != nil {
		return 0, err
	}
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
func (c *Card) accessed() {
	rest := c.accesses[:0]
	blocked := map[int32]bool{}
	for _, a := range c.accesses {
		var data uint32
		if blocked[a.port] || c.f.End(c.model, a.port, &data, &a.response) == 0 {
			blocked[a.port] = true
			rest = append(rest, a)
			continue
		}
		a.data = data
		close(a.done)
	}
	clear(c.accesses[len(rest):])
	c.accesses = rest
}
