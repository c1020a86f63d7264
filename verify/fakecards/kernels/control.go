package kernels

import (
	"context"
	"fmt"
	"maps"
	"sync"
)

// control is the register file of a called kernel of others. It has the registers of their
// maps and no others. Unlike handshake it is ready only when it is done, and ignores starts
// before that.
type control struct {
	kernel string
	run    func(arguments func(offset uint32) uint32) (results map[uint32]uint32)
	shows  func(offset, value uint32) uint32 // how an argument reads back, nil for as it is

	mu       sync.Mutex
	writable map[uint32]uint32
	results  map[uint32]uint32
	running  bool
	done     bool
}

func newControl(kernel string, arguments, results []uint32) *control {
	c := &control{kernel: kernel, writable: map[uint32]uint32{}, results: map[uint32]uint32{}}
	for _, at := range arguments {
		c.writable[at] = 0
	}
	for _, at := range results {
		c.results[at] = 0
	}
	return c
}

// Read implements layout.Registers.
func (c *control) Read(ctx context.Context, offset uint32) (uint32, error) {
	if err := usable(ctx, c.kernel, offset); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if offset == 0 {
		v := uint32(idleBit)
		if c.running {
			v = StartBit
		}
		if c.done {
			v |= DoneBit | readyBit
			c.done = false // cleared by reading
		}
		return v, nil
	}
	if v, is := c.results[offset]; is {
		return v, nil
	}
	v, is := c.writable[offset]
	switch {
	case !is:
		return 0, nowhere(c.kernel, offset)
	case c.shows != nil:
		return c.shows(offset, v), nil
	}
	return v, nil
}

// Write implements layout.Registers.
func (c *control) Write(ctx context.Context, offset, value uint32) error {
	if err := usable(ctx, c.kernel, offset); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if offset == 0 {
		if value&StartBit != 0 && !c.running {
			c.start()
		}
		return nil
	}
	if _, is := c.writable[offset]; !is {
		return fmt.Errorf("%w is written", nowhere(c.kernel, offset))
	}
	c.writable[offset] = value
	return nil
}

func (c *control) start() {
	c.running = true
	taken := map[uint32]uint32{}
	maps.Copy(taken, c.writable)
	go func() {
		results := c.run(func(offset uint32) uint32 { return taken[offset] })
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(c.results, results)
		c.running, c.done = false, true
	}()
}
