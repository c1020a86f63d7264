package moves

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

// gone tells what a move that is not done to its end must not keep.
func (c *carrier) gone(t *task) error {
	switch {
	case !c.abandoned || !c.dropped:
		return errors.New("a move is given up, and its message or what is left of a beat is not")
	case c.open != nil:
		return fmt.Errorf("slot %d is not given back", c.opened)
	case t != nil && t.held != nil && t.held.stored:
		return fmt.Errorf("buffer %d is not given back", t.held.buffer)
	case len(c.under) > 0:
		return errors.New("slices are under way")
	}
	c.dropped, c.abandoned = false, false
	return nil
}

// complete is the end of the first move.
func (c *carrier) complete() error {
	if len(c.tasks) == 0 {
		return errors.New("a move completes that is not there")
	}
	t := c.tasks[0]
	if c.must {
		return fmt.Errorf("a move completes, and the queue fails with 0x%X", c.allowed)
	}
	c.tasks, c.moved = c.tasks[1:], c.cycle
	if err := t.over(); err != nil || t == c.now && c.abandoned {
		if !t.aborted || t != c.now {
			return fmt.Errorf("a move completes that was given up: %w", err)
		}
		c.seen["given up"]++
		t.done = true
		return c.gone(t)
	}
	if t.must || t.code != 0 {
		return fmt.Errorf("%v completes, and must not", t)
	}
	if t.under > 0 || t.cut && !t.retired {
		return fmt.Errorf("a move completes with %d slices under way", t.under)
	}
	if c.seen["completed"]++; !t.cut {
		c.seen["bare"]++
	}
	return nil
}

// fail is the end of all moves.
func (c *carrier) fail() error {
	code := c.b.Get("failure")
	var t *task
	if n := len(c.tasks); n > 0 {
		t = c.tasks[n-1]
		if t.code != 0 {
			c.allow(t.code)
		}
		c.late(t, code)
	}
	switch {
	case c.reset && code == 0:
	case t == nil, code == 0, code&^c.allowed != 0:
		return fmt.Errorf("it fails with 0x%X, and may with 0x%X", code, c.allowed)
	case c.causes == 1 && code != c.allowed:
		return fmt.Errorf("it fails with 0x%X, not 0x%X", code, c.allowed)
	}
	if code != 0 {
		var is []byte
		for _, v := range []uint64{c.now.how.bytes[plain], c.now.v["issue.tag"], c.now.v["issue.source"]} {
			is = binary.LittleEndian.AppendUint32(is, uint32(v))
		}
		if got := c.b.Bytes("failing"); !bytes.Equal(got, is) {
			return fmt.Errorf("the move that fails has bytes, tag and source % X, not % X", got, is)
		}
	}
	for name, bit := range c.code {
		if code&bit != 0 {
			c.seen[name]++
		}
	}
	if err := c.gone(t); err != nil {
		return err
	}
	if c.queue.Offered() && (c.r.IntN(2) == 0 || c.reset) {
		c.queue.Withdraw()
	}
	c.tasks, c.now, c.moved = nil, nil, c.cycle
	c.allowed, c.causes, c.must = 0, 0, false
	return nil
}

// lookEnd follows what is given up.
func (c *carrier) lookEnd() error {
	b, t := c.b, c.now
	if (b.Is("kernel_drop") || b.Is("abandon")) &&
		(t != nil && t.code == 0 && !c.ending() || len(c.under) > 0 || c.open != nil) {
		return errors.New("a move is given up without a reason, or with slices under way")
	}
	c.dropped = c.dropped || b.Is("kernel_drop")
	if c.abandoning && !b.Is("abandon") {
		return errors.New("nobody has heard that a message was given up")
	}
	c.abandoning = b.Is("abandon") && !b.Is("abandon_done")
	c.abandoned = c.abandoned || b.Is("abandon") && b.Is("abandon_done")
	if b.Is("kernel_drop") || b.Is("abandon") {
		c.moved = c.cycle
	}
	return nil
}

// late says what a move may fail with that has waited as long as it may.
func (c *carrier) late(t *task, code uint64) {
	waited := c.cycle - c.progress
	name := map[string]string{"message": "RECEIVE_TIMEOUT", "window": "RECEIVE_TIMEOUT", "kernel": "KRNL_TIMEOUT_STS",
		"packet": "PACK_TIMEOUT_STS"}[t.withheld]
	least := tick * (remoteLimit - 1)
	if t.withheld == "kernel" {
		least = kernelLimit
	}
	if name != "" && code == c.code[name] && waited >= least && waited < least+400 {
		c.allow(code)
	}
}

// moveSpeed finds out how many cycles a slice from memory to memory takes.
func moveSpeed(b *block.Bench, r *rand.Rand, d *design.Design, code map[string]uint64) error {
	c := newChannel(b, r, d, code, trouble{}, map[string]int{})
	for name := range c.paces {
		c.paces[name] = &pins.Rhythm{Random: r.IntN}
	}
	for {
		c.next = c.newTask()
		if h := &c.next.how; h.op == [2]int{memory, none} && h.local == memory && !h.network &&
			h.units<<h.largest() > 10*mostBytes {
			break
		}
	}
	c.queue.Offer()
	first, slices := 0, uint64(0)
	for c.now == nil || !c.now.cut {
		before := c.now != nil && c.now.units > 0
		if err := c.step(); err != nil {
			return err
		}
		if !before && c.now != nil && c.now.units > 0 {
			first = c.cycle
		}
	}
	slices = (c.now.how.units<<c.now.how.largest()+mostBytes-1)/mostBytes - 1
	if took := uint64(c.cycle - first); took > 6*slices {
		return fmt.Errorf("%d slices take %d cycles", slices, took)
	}
	return nil
}
