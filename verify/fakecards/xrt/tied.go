package xrt

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// tied is memory that process and device are to see alike, but each has for itself:
// peer-to-peer memory, and host memory of simulated engines. What one of them has
// changed is given to the other when a call begins, and when one has ended.
type tied struct {
	backing
	mu     sync.Mutex
	shared []byte // the process's
	known  []byte // what both had
}

// tie ties a buffer's memory together.
func (c *slot) tie(b *buffer, inner backing) *tied {
	t := &tied{backing: inner, shared: b.shared, known: make([]byte, b.room)}
	c.tying.Lock()
	defer c.tying.Unlock()
	if c.tied == nil {
		c.tied = map[*tied]bool{}
	}
	c.tied[t] = true
	b.untie = func() {
		c.tying.Lock()
		defer c.tying.Unlock()
		delete(c.tied, t)
	}
	return t
}

// each does something to all tied memory of the card.
func (c *slot) each(ctx context.Context, f func(*tied, context.Context) error) {
	c.tying.Lock()
	defer c.tying.Unlock()
	var errs []error
	for t := range c.tied {
		errs = append(errs, f(t, ctx))
	}
	if err := errors.Join(errs...); err != nil && ctx.Err() == nil {
		c.s.fault(err)
	}
}

// compareBytes are compared at a time.
const compareBytes = 4096

// push gives the device what the process has changed.
func (t *tied) push(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return changes(t.shared, t.known,
		func(from, to int) error { return t.backing.write(ctx, t.known[from:to], uint64(from)) })
}

// pull gives the process what the device has changed.
func (t *tied) pull(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	device := make([]byte, len(t.known))
	if err := t.backing.read(ctx, device, 0); err != nil {
		return err
	}
	return changes(device, t.known, func(from, to int) error {
		copy(t.shared[from:to], t.known[from:to])
		return nil
	})
}

// changes takes what is new over, and tells each range.
func changes(now, known []byte, tell func(from, to int) error) error {
	for block := 0; block < len(now); block += compareBytes {
		end := min(block+compareBytes, len(now))
		if bytes.Equal(now[block:end], known[block:end]) {
			continue
		}
		for at := block; at < end; at++ {
			if now[at] == known[at] {
				continue
			}
			from := at
			for at < end && now[at] != known[at] {
				known[at] = now[at]
				at++
			}
			if err := tell(from, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tied) write(ctx context.Context, _ []byte, _ uint64) error { return t.push(ctx) }
func (t *tied) read(ctx context.Context, _ []byte, _ uint64) error  { return t.pull(ctx) }

// calling are the registers of a kernel that places calls, or is called.
type calling struct {
	layout.Registers
	c *slot

	mu       sync.Mutex
	answered uint32
}

// Read implements card.Registers.
func (r *calling) Read(ctx context.Context, offset uint32) (uint32, error) {
	v, err := r.Registers.Read(ctx, offset)
	r.mu.Lock()
	ended := offset == kernels.ControlAt && v&kernels.DoneBit != 0 || offset == kernels.AnsweredAt && v != r.answered
	if offset == kernels.AnsweredAt {
		r.answered = v
	}
	r.mu.Unlock()
	if ended {
		r.c.each(ctx, (*tied).pull)
	}
	return v, err
}

// Write implements card.Registers.
func (r *calling) Write(ctx context.Context, offset, value uint32) error {
	if offset == kernels.ControlAt && value&kernels.StartBit != 0 || offset == kernels.PostAt {
		r.c.each(ctx, (*tied).push)
	}
	return r.Registers.Write(ctx, offset, value)
}
