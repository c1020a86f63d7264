package coyote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/driver/layout"
)

// patience is how long a call of the shell's driver may take. The longest move a page.
const patience = 10 * time.Second

// call makes a call of the shell's driver, by the name that the design has for it.
func (c *Card) call(ctx context.Context, name string, values layout.Values) (layout.Values, error) {
	record, err := c.driver.Call(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDesign, err)
	}
	words := make([]uint64, max(c.driver.Words, record.Length()))
	if err := record.Put(words, values); err != nil {
		return nil, c.say("call", err)
	}
	if ctx.Err() != nil {
		return nil, c.say(name+" of", context.Cause(ctx))
	}
	if c.stuck.Load() {
		return nil, fmt.Errorf("%w: %s", ErrStuck, c.name)
	}
	type result struct {
		answer int
		err    error
	}
	// Nothing interrupts a call that the driver does not end.
	done := make(chan result, 1)
	go func() {
		answer, err := c.file.Call(record.Number, words)
		done <- result{answer, err}
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case r := <-done:
		var errno syscall.Errno
		switch {
		case errors.As(r.err, &errno):
			return nil, c.say("call the driver of", &CallError{Call: name, Errno: errno})
		case r.err != nil:
			return nil, c.say(name+" of", r.err)
		case r.answer != 0:
			return nil, c.say("call the driver of", &CallError{Call: name, Answer: r.answer})
		}
		return record.Get(words), nil
	case <-limit.C:
		c.stuck.Store(true)
		return nil, fmt.Errorf("%w: %s of %s, for %v", ErrStuck, name, c.name, patience)
	}
}

// register takes another thread of the region.
func (c *Card) register(ctx context.Context) (uint64, error) {
	got, err := c.call(ctx, "register_thread", layout.Values{"process": uint64(os.Getpid())})
	if err != nil {
		return 0, err
	}
	thread := got["thread"]
	if slices.Contains(c.threads, thread) || thread >= uint64(c.driver.Threads) {
		return 0, fmt.Errorf("%w: the driver of %s gives thread %d, which is none", ErrThreads, c.name, thread)
	}
	c.threads = append(c.threads, thread)
	return thread, nil
}

// most is the largest number of threads of a process. The shell's driver does not count
// them, and hangs when it has none left.
func (c *Card) most() int { return c.driver.Threads / 2 }

// first registers threads until thread 0 is among them, which the application's transfers
// use. The shell's driver assigns the numbers first that were released last.
func (c *Card) first(ctx context.Context) error {
	for range c.most() {
		thread, err := c.register(ctx)
		if err != nil {
			return err
		}
		if thread == 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: thread 0 of %s is not among the %d that its driver has to give", ErrBusy, c.name, c.most())
}
