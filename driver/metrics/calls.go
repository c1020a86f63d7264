package metrics

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// placed is a call that is open.
type placed struct {
	operation string
	bytes     uint64
	at        time.Time
}

// calls is an accl.Caller that counts.
type calls struct {
	p      *accl.Platform
	dev    accl.Device
	sizeAt int // of an element, in arithmetic configurations; negative if they do not tell

	mu    sync.Mutex
	total map[Sample]float64
	open  map[accl.Ticket]placed
	sizes map[uint32]uint64 // by configuration, since the engine was configured
}

func newCalls(p *accl.Platform, dev accl.Device) *calls {
	c := &calls{p: p, dev: dev, sizeAt: -1, total: map[Sample]float64{}, open: map[accl.Ticket]placed{},
		sizes: map[uint32]uint64{}}
	for _, t := range p.Exchange.Tables {
		if t.Name == "arithmetic_configurations" {
			c.sizeAt = slices.Index(t.Header, "uncompressed_bytes")
		}
	}
	return c
}

// counted is what is counted now.
func (c *calls) counted() map[Sample]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	values := maps.Clone(c.total)
	values[Sample{"calls_open", ""}] = float64(len(c.open))
	return values
}

// Start implements accl.Caller.
func (c *calls) Start(ctx context.Context, client int, call accl.Call) (accl.Ticket, error) {
	p := placed{operation: "unknown", at: time.Now()}
	if o := c.p.OperationOf(call.Scenario); o != nil {
		p.operation, p.bytes = o.Name, c.bytes(ctx, o, &call)
	}
	t, err := c.dev.Start(ctx, client, call)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.total[Sample{"errors_total", "not_placed"}]++
	} else {
		c.open[t] = p
	}
	return t, err
}

// bytes are those of a call.
func (c *calls) bytes(ctx context.Context, o *accl.Operation, call *accl.Call) uint64 {
	if !o.Operands() {
		c.mu.Lock()
		clear(c.sizes) // it may configure the engine
		c.mu.Unlock()
		return 0
	}
	c.mu.Lock()
	size, known := c.sizes[call.ArithCfg]
	c.mu.Unlock()
	if !known && c.sizeAt >= 0 {
		v, err := c.dev.ReadReg(ctx, call.ArithCfg+4*uint32(c.sizeAt))
		if err != nil || v > uint32(c.p.BeatBytes) {
			return 0
		}
		size = uint64(v)
		c.mu.Lock()
		c.sizes[call.ArithCfg] = size
		c.mu.Unlock()
	}
	return size * uint64(call.Count)
}

// Wait implements accl.Caller.
func (c *calls) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	code, err := c.dev.Wait(ctx, t)
	if err != nil && ctx.Err() != nil {
		return code, err // the call goes on
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, is := c.open[t]
	if !is {
		return code, err
	}
	delete(c.open, t)
	if err != nil {
		c.total[Sample{"errors_total", "no_answer"}]++
		return code, err
	}
	c.total[Sample{"calls_total", p.operation}]++
	c.total[Sample{"call_bytes_total", p.operation}] += float64(p.bytes)
	c.total[Sample{"call_seconds_total", p.operation}] += time.Since(p.at).Seconds()
	if code != 0 {
		for _, bit := range c.p.Describe(code) {
			c.total[Sample{"errors_total", bit.Name}]++
		}
	}
	return code, nil
}
