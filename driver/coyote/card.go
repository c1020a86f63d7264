package coyote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
)

// Options choose the region of a card.
type Options struct {
	Card   int // number of the card in the shell's driver
	Region int // of the card; designs of this project have one
	// System is the operating system; nil is that of this process.
	System System
}

// Card is an open region of a card with its design. Its methods may be called
// concurrently.
type Card struct {
	name   string // in errors
	sys    System
	design *layout.Design
	driver *layout.Driver
	region int

	file        File
	application Window   // registers of the kernels
	ours        Window   // of the region
	threads     []uint64 // that this process has, in the order in which they were given

	life context.Context // ends with Close
	end  context.CancelCauseFunc

	stuck    atomic.Bool
	transfer sync.Mutex // the shell's driver waits for one at a time, and does not see to it
	writing  sync.Mutex // registers of several words

	users   engine.Life // calls and accesses that are under way
	engines engine.Set

	mu      sync.Mutex
	buffers map[*memory]bool
}

// Open opens a region of a card for a design. The error matches those of this package.
func Open(ctx context.Context, d *layout.Design, o Options) (*Card, error) {
	if len(d.Driver) != 1 {
		return nil, fmt.Errorf("%w: %s is linked by v++, and reached by XRT", ErrDesign, d.Platform)
	}
	c, err := lock(&d.Driver[0], o)
	if err != nil {
		return nil, err
	}
	c.design = d
	if err := c.take(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// lock opens a region, and keeps others of this project from it.
func lock(d *layout.Driver, o Options) (*Card, error) {
	c := &Card{name: fmt.Sprintf("card %d", o.Card), sys: o.System, driver: d, region: o.Region,
		buffers: map[*memory]bool{}}
	if o.Region != 0 {
		c.name += fmt.Sprintf(", region %d,", o.Region)
	}
	if c.sys == nil {
		c.sys = own()
	}
	if o.Card < 0 || o.Region < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoCard, c.name)
	}
	path := o.Path(d)
	var err error
	if c.file, err = c.sys.Open(path); err != nil {
		err = fmt.Errorf("open %s: %w", c.name, err)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.ENODEV):
			return nil, fmt.Errorf("%w: the shell's driver shows no %s: %w", ErrNoCard, path, err)
		}
		return nil, err
	}
	if err := c.file.Lock(); err != nil {
		err = fmt.Errorf("lock %s of %s: %w", path, c.name, err)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("%w: %w", ErrBusy, err)
		}
		return nil, errors.Join(err, c.giveBack())
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	return c, nil
}

// take makes the region this process's.
func (c *Card) take(ctx context.Context) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if err := c.first(ctx); err != nil {
		return err
	}
	for name, window := range map[string]*Window{"application": &c.application, "region": &c.ours} {
		if err := c.mapped(name, window); err != nil {
			return err
		}
	}
	return nil
}

func (c *Card) mapped(name string, window *Window) error {
	w, err := c.driver.Window(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDesign, err)
	}
	if *window, err = c.file.Map(int64(w.Page)*int64(c.driver.PageBytes), int(w.Bytes)); err != nil {
		return fmt.Errorf("map the registers %s of %s: %w", name, c.name, err)
	}
	return nil
}

// check compares the parts that the shell was built with to the design.
func (c *Card) check(ctx context.Context) error {
	has, err := c.call(ctx, "configuration", nil)
	if err != nil {
		return err
	}
	var differences []string
	for _, want := range []struct {
		field string
		value uint64
		is    string // if it is not
	}{
		{"rdma", 1, "the shell has no RDMA"},
		{"card_streams", 1, "the shell does not reach the card's memory"},
		{"host_streams", 1, "the shell does not reach the host's memory"},
		{"avx", 0, "registers of the shell are written by AVX instructions (EN_AVX)"},
	} {
		if has[want.field] != want.value {
			differences = append(differences, want.is)
		}
	}
	if regions := has["regions"]; regions <= uint64(c.region) {
		differences = append(differences, fmt.Sprintf("the shell has %d regions, counted from 0", regions))
	}
	if len(differences) > 0 {
		return &DesignError{c.name, c.design.Platform, differences}
	}
	return nil
}

// say adds the operation and the card's name to an error.
func (c *Card) say(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, c.name, err)
}

// use lets something begin, unless the card is closed. Close waits for it.
func (c *Card) use() (done func(), err error) { return c.users.Use(c.name) }

// Design is the design that the card was opened with.
func (c *Card) Design() *layout.Design { return c.design }

// Close releases memory, whose Bytes must not be used any more, and threads. Waits for
// calls end with ErrClosed, but the engine continues.
func (c *Card) Close() error {
	if !c.users.Close(c.name, c.end, &c.engines) {
		return nil
	}
	return c.giveBack()
}

// giveBack gives back all that the card has taken. If the shell's driver is stuck, all
// that can be done is to close the file.
func (c *Card) giveBack() error {
	var errs []error
	if !c.stuck.Load() {
		for m := range c.buffers {
			errs = append(errs, c.say("take back memory of", m.unmap()))
		}
		// The driver gives the number first that came back last: 0 shall be next.
		for _, thread := range slices.Backward(slices.Sorted(slices.Values(c.threads))) {
			_, err := c.call(context.Background(), "unregister_thread", layout.Values{"thread": thread})
			errs = append(errs, err)
		}
	}
	for m := range c.buffers {
		errs = append(errs, c.say("return pages of", m.release()))
	}
	for _, w := range []Window{c.application, c.ours} {
		if w != nil {
			errs = append(errs, c.say("unmap registers of", w.Unmap()))
		}
	}
	return errors.Join(append(errs, c.say("close", c.file.Close()))...)
}

var _ io.Closer = (*Card)(nil)
